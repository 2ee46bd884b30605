"""Replies in Markdown: rendered, and unable to do anything."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.web.views.markdown import is_markdown, render_markdown

_TAGS = {
    "p", "strong", "em", "s", "code", "pre", "a", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th",
    "td", "br", "hr", "div",
}  # fmt: skip
_ATTRIBUTES = {"href", "rel", "target", "class", "dir", "start", "tabindex", "role", "aria-label"}
HOSTILE = (
    "<script>attack()</script>",
    "<img src=x onerror=attack()>",
    "[a](javascript:attack())",
    "[a](JaVaScRiPt&#58;attack())",
    "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "[a](vbscript:attack())",
    "[a](//evil.example)",
    "[a](https://x.example \"' onmouseover='attack()\")",
    "![a](https://evil.example/pixel.png)",
    '<https://x.example/"onmouseover=attack()>',
    "`<b>`",
    '```"><script>\nattack()\n```',
    "| <script> |\n|---|\n| <img> |",
    "[a]: javascript:attack()\n\n[a]",
    "&lt;script&gt;attack()&lt;/script&gt;",
    "# <svg onload=attack()>",
)


class Elements(HTMLParser):
    """What a browser would make of it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: dict[str, set[str]] = {}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, set()).add(value or "")


def check(text: str) -> None:
    found = Elements(str(render_markdown(text)))
    assert found.names <= _TAGS, found.names - _TAGS
    assert found.attributes.keys() <= _ATTRIBUTES
    assert all(
        link.startswith(("http://", "https://", "mailto:")) for link in map(str.lower, found.attributes.get("href", ()))
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_a_reply_says_does_anything(text: str) -> None:
    check(text)
    check(f"**bold** {text} and\n\n> - {text}")


@given(
    st.lists(
        st.sampled_from(
            [
                "<",
                ">",
                '"',
                "'",
                "&",
                "#",
                "*",
                "[",
                "]",
                "(",
                ")",
                "!",
                "`",
                "|",
                "\n",
                "javascript:",
                "a",
                " ",
                "http://x",
                "style=",
                "\x00",
                "\u202e",
            ]
        ),
        max_size=40,
    )
)
def test_however_signs_are_strung_together(pieces: list[str]) -> None:
    check("".join(pieces))


def test_what_is_markdown_is_set_as_such() -> None:
    html = str(
        render_markdown(
            "# Rules\n\n1. **First**\n2. `second`\n\n| a | b |\n|--|--:|\n| 1 | 2 |\n\n[more](https://x.example)"
        )
    )
    assert '<p class="heading" dir="auto">Rules</p>' in html
    assert "<li><strong>First</strong></li>" in html.replace("\n", "")
    assert "<td>2</td>" in html
    assert 'href="https://x.example" rel="noopener noreferrer nofollow" target="_blank"' in html
    assert "style" not in html


@pytest.mark.parametrize(
    ("text", "is_it"),
    [
        ("You have 28 days.", False),
        ("**28** days", True),
        ("- one\n- two", True),
        ("5 * 3 * 2", False),
        ("**a**" + "x" * 20_000, False),
    ],
)
def test_plain_words_stay_as_they_are(text: str, is_it: bool) -> None:
    assert is_markdown(text) is is_it
