"""Build what would be published, check it, and try it in clean environments: `make release-check`.

python tools/release_check.py [PYTHON …]        interpreters to install it with; this one's if none is named
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_NEEDED = ("py.typed", "reports/templates/report.html.j2", "web/static/", "demo/handbook-30.csv", "storage/migrations/")
_PUBLIC = "import proctor; [getattr(proctor, name) for name in proctor.__all__]"


def main(pythons: list[str]) -> None:
    """Build, look inside, then install with each interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        wheel = build(Path(folder))
        for python in pythons or [sys.executable]:
            install(python, wheel, Path(folder))


def build(folder: Path) -> Path:
    """A source archive, and from it a wheel; both as an index would take them."""
    _run(sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT))
    (archive,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    _run(sys.executable, "-m", "twine", "check", "--strict", str(archive), str(wheel))
    held = zipfile.ZipFile(wheel).namelist()
    missing = [name for name in _NEEDED if not any(f"proctor/{name}" in each for each in held)]
    if missing:
        raise SystemExit(f"the wheel lacks {', '.join(missing)}")
    with tarfile.open(archive) as packed:
        sources = len(packed.getnames())
    _say(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {len(held)} files; {archive.name}: {sources} files")
    return wheel


def install(python: str, wheel: Path, folder: Path) -> None:
    """Into an environment with nothing else in it; then the program, every public name, and the demo."""
    began = time.monotonic()
    clean = folder / f"venv-{len([*folder.glob('venv-*')])}"
    _run(python, "-m", "venv", str(clean))
    there = str(clean / "bin" / "python")
    _run(there, "-m", "pip", "install", "-q", "--disable-pip-version-check", str(wheel))
    installed = time.monotonic()
    _run(there, "-m", "pip", "check")
    _run(there, "-c", _PUBLIC)
    version = _run(there, "-m", "proctor", "--version").strip()
    demo = _run(str(clean / "bin" / "proctor"), "demo", cwd=clean)
    if "Pass rate" not in demo:
        raise SystemExit(f"the demo says nothing of a pass rate:\n{demo}")
    interpreter = _run(there, "-V").strip()
    _say(f"{interpreter}: {version} installed in {installed - began:.0f} s, demo ran")


def _run(*command: str, cwd: Path | None = None) -> str:
    ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=cwd)
    if ran.returncode:
        raise SystemExit(f"{' '.join(command)} failed with {ran.returncode}:\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
