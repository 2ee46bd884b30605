"""What `import proctor` offers, and what it costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import proctor

HEAVY = ("numpy", "scipy", "sqlalchemy", "alembic", "rich", "jinja2", "pydantic", "langchain_core", "asyncio")


def modules_after(code: str) -> set[str]:
    printing = f"{code}\nimport sys; print(*sys.modules)"
    output = subprocess.run([sys.executable, "-c", printing], capture_output=True, text=True, check=True).stdout
    return set(output.split())


def test_names_are_sorted_and_all_of_them_can_be_imported() -> None:
    assert proctor.__all__ == sorted(proctor.__all__)
    assert set(proctor.__all__) == set(proctor._HOMES)
    for name in proctor.__all__:
        assert getattr(proctor, name) is not None


def test_importing_proctor_loads_nothing_heavy() -> None:
    assert not modules_after("import proctor") & set(HEAVY)


def test_help_loads_nothing_heavy() -> None:
    code = "import contextlib, io\nfrom proctor.cli import main\n"
    code += "with contextlib.redirect_stdout(io.StringIO()): main(['--help'])"
    assert not modules_after(code) & set(HEAVY)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        proctor.nothing_of_the_kind  # noqa: B018
