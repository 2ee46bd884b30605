"""The documentation as a site, opened from the file system: what its search needs."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

SHIM = Path(__file__).parents[2] / "docs" / "assets" / "iframe-worker.js"
_PAGE = """<body><script src="iframe-worker.js"></script><script>
const worker = new Worker("worker.js");
worker.addEventListener("message", (event) => { document.title = event.data });
worker.postMessage("search");
</script></body>"""
_WORKER = 'addEventListener("message", (event) => postMessage(`${event.data} found`));'


def test_a_page_of_the_file_system_has_a_worker_all_the_same(browser: Any, tmp_path: Path) -> None:
    shutil.copy(SHIM, tmp_path)
    (tmp_path / "index.html").write_text(_PAGE)
    (tmp_path / "worker.js").write_text(_WORKER)
    page = browser.new_page()
    page.goto((tmp_path / "index.html").as_uri())
    page.wait_for_function("document.title === 'search found'")
    page.close()
