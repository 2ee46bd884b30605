"""Render a reply's Markdown as safe HTML: no raw HTML, no images, links only to the web."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup

from proctor.reports.words import clean

LONGEST = 20_000
"""Maximum number of characters of a reply that is rendered; a longer one is shown as plain text."""
_SIGNS = re.compile(
    r"^[ ]{0,3}(?:#{1,6} |[-*+] |\d{1,3}[.)] |> |```|~~~|\|.*\|)|\*\*\S|__\S|`[^`\n]+`|\[[^\]\n]+\]\(", re.MULTILINE
)
_SAFE_LINK = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)


def is_markdown(text: str) -> bool:
    """Whether rendering would change how the text looks."""
    return len(text) <= LONGEST and _SIGNS.search(text) is not None


def render_markdown(text: str) -> Markup:
    """Render the text as HTML; everything that is not Markdown is escaped."""
    return Markup(_renderer().render(clean(text)))


@cache
def _renderer() -> MarkdownIt:
    made = MarkdownIt("commonmark", {"html": False, "breaks": True}, renderer_cls=_Renderer)
    made.enable(["table", "strikethrough"]).disable(["html_block", "html_inline", "image", "entity"])
    made.validateLink = lambda url: _SAFE_LINK.match(url) is not None  # type: ignore[method-assign]
    return made


class _Renderer(RendererHTML):
    """Renderer without inline styles, with headings as paragraphs, since the page has its own headings."""

    def heading_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        """Render a heading as a paragraph."""
        return '<p class="heading" dir="auto">'

    def heading_close(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        """Close a heading."""
        return "</p>\n"

    def paragraph_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        """Open a paragraph with automatic text direction."""
        return "" if tokens[at].hidden else '<p dir="auto">'

    def table_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        """Open a table in a container that scrolls."""
        return '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>\n'

    def table_close(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        """Close a table and its container."""
        return "</table></div>\n"

    def link_open(self, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
        """Open a link in a new tab without referrer."""
        token = tokens[at]
        token.attrs = {
            "href": str(token.attrs.get("href", "")),
            "rel": "noopener noreferrer nofollow",
            "target": "_blank",
        }
        return str(self.renderToken(tokens, at, options, env))

    def renderToken(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:  # noqa: N802
        """Render a token without inline styles, which the content security policy forbids."""
        tokens[idx].attrs = {name: value for name, value in tokens[idx].attrs.items() if name != "style"}
        return super().renderToken(tokens, idx, options, env)
