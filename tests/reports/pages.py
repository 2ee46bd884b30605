"""Reading HTML reports: elements, attributes and text, and that nothing in them can do harm."""

from __future__ import annotations

import io
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from proctor.reports.run.html import write_html

if TYPE_CHECKING:
    from tests.reports.battles import Battle
    from tests.reports.conftest import Sample

HOSTILE = (
    "</pre></details><script>alert(1)</script><img src=x onerror=alert(1)>\"' style=x \x00\x1b[31m\u202e {{ 7*7 }}"
)
VOID = {"meta", "input", "br", "img", "link", "hr"}


class Page(HTMLParser):
    """Elements, attributes and text; raises where an element is closed that is not open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.ids: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)

    @property
    def said(self) -> str:
        return " ".join(" ".join(self.text).split())


def written(sample: Sample | Battle) -> str:
    stream = io.StringIO()
    write_html(sample.findings, sample.exams, sample.attempts, stream)
    return stream.getvalue()


def parsed(text: str) -> Page:
    page = Page()
    page.feed(text)
    page.close()
    assert page.open == []
    return page


def assert_harmless(page: Page) -> None:
    assert not {"script", "img", "iframe", "object", "embed", "link", "form"} & set(page.tags)
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    for _, name, value in page.attributes:
        if name in ("href", "src"):
            assert value.startswith("#")
