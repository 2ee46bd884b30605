"""What MkDocs does not know of our pages: their order, those that stand beside docs/, and that nothing is loaded."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BESIDE = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md")
"""Pages of the repository that are shown among the others."""
_ENTRY = re.compile(r"^- \[(?P<title>[^\]]+)\]\((?P<page>[^)#]+\.md)\)", re.MULTILINE)
_LINK = re.compile(r"\[(?P<words>[^\]]*)\]\((?P<target>[^)\s]+)\)")
_LOADED = re.compile(r"<(?:script|img|iframe|source|link)\b[^>]*\b(?:src|href)=[\"']?(?:https?:)?//[^>]*>")


def navigation() -> list[dict[str, Any]]:
    """Sections of pages, in the order of docs/README.md."""
    _, *parts = re.split(r"^## ", (ROOT / "docs/README.md").read_text("utf-8"), flags=re.MULTILINE)
    sections: list[dict[str, Any]] = [{"Start": "README.md"}]
    for part in parts:
        pages = [{found["title"]: found["page"].removeprefix("../")} for found in _ENTRY.finditer(part)]
        sections.append({part.partition(":")[0]: pages})
    named = str(sections)
    return [*sections, {"Project": [name for name in BESIDE if name not in named]}]


def on_config(config: Any) -> Any:
    """Give the site its order."""
    config["nav"] = navigation()
    return config


def on_files(files: Any, config: Any) -> Any:
    """Take in the pages that stand beside docs/."""
    from mkdocs.structure.files import File

    for name in BESIDE:
        files.append(File.generated(config, name, content=(ROOT / name).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Mend the links that lead from docs/ to a page beside it, or from there into docs/."""
    place: str = page.file.src_uri
    return _LINK.sub(lambda found: _mended(found, place), markdown)


def _mended(link: re.Match[str], place: str) -> str:
    """The link as the site has it; words alone where it leads to no page of the site."""
    target = link["target"]
    if "://" in target or target.startswith("#"):
        return link[0]
    folder = ROOT if place in BESIDE else (ROOT / "docs" / place).parent
    path, _, anchor = target.partition("#")
    there = (folder / path).resolve()
    here = "../" * place.count("/")
    if there.name in BESIDE and there.parent == ROOT:
        inside = there.name
    elif there.is_relative_to(ROOT / "docs"):
        inside = there.relative_to(ROOT / "docs").as_posix()
    else:
        return link["words"]
    return f"[{link['words']}]({here}{inside}{'#' if anchor else ''}{anchor})"


def on_post_build(config: Any) -> None:
    """Refuse a site that would ask another host for anything."""
    for page in Path(config["site_dir"]).rglob("*.html"):
        for found in _LOADED.finditer(page.read_text("utf-8")):
            raise SystemExit(f"{page.name} loads something from elsewhere: {found[0]}")
