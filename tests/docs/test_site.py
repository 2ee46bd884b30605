"""The site: every page has its place, links beside docs/ lead somewhere, and it builds where MkDocs is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.docs.pages import ROOT

docs_site: Any = SourceFileLoader("docs_site", str(ROOT / "tools" / "docs_site.py")).load_module()


def test_every_page_has_a_place_in_the_order() -> None:
    named = {*re.findall(r"'([^']+\.md)'", str(docs_site.navigation()))}
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages | {*docs_site.BESIDE} == named


@pytest.mark.parametrize(
    ("place", "link", "mended"),
    [
        ("README.md", "[a](../ARCHITECTURE.md)", "[a](ARCHITECTURE.md)"),
        ("how-to/x.md", "[a](../../CHANGELOG.md#b)", "[a](../CHANGELOG.md#b)"),
        ("CHANGELOG.md", "[a](docs/how-to/x.md#b)", "[a](how-to/x.md#b)"),
        ("CONTRIBUTING.md", "[a](tests/README.md)", "a"),
        ("how-to/x.md", "[a](y.md#b)", "[a](../how-to/y.md#b)"),
        ("how-to/x.md", "[a](#b) [c](https://d.example/)", "[a](#b) [c](https://d.example/)"),
    ],
)
def test_links_lead_to_the_page_of_the_site(place: str, link: str, mended: str) -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_uri=place))
    assert docs_site.on_page_markdown(link, page) == mended


def test_a_page_that_loads_something_from_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text('<a href="https://a.example/">a</a> <img src="b.png">')
    docs_site.on_post_build({"site_dir": tmp_path})
    (tmp_path / "page.html").write_text('<script src="https://a.example/x.js"></script>')
    with pytest.raises(SystemExit, match="loads something from elsewhere"):
        docs_site.on_post_build({"site_dir": tmp_path})


def test_the_search_works_from_the_file_system() -> None:
    """A browser loads no JSON there and starts no worker; tests/browser tries what stands for one."""
    settings = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert "plugins: [search, offline]" in settings
    (script,) = re.findall(r"polyfills: \[(\S+)\]", settings)
    assert (ROOT / "docs" / script).exists()


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    program = shutil.which("mkdocs", path=ROOT / ".venv-docs" / "bin")
    if program is None:
        pytest.skip("MkDocs is not installed; `make docs` does it")
    ran = subprocess.run(
        [program, "build", "--strict", "--site-dir", str(tmp_path)], cwd=ROOT, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "search" / "search_index.json").exists()
    assert (tmp_path / "search" / "search_index.js").exists()
