"""Nothing is missing from what people write of the reference: public names, keys, variables, links."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.docs.pages import PAGES, ROOT, name_of

import proctor
from proctor.cli import cli
from proctor.config import AgentConfig, Config
from proctor.spending.providers import COMPATIBLE_KEY, PROVIDERS
from proctor.workflows.human_labels import draw, put_label
from proctor.workflows.settings import _OPTIONS

REFERENCE = ROOT / "docs" / "reference"
COMMANDS_PAGE = (REFERENCE / "commands.md").read_text("utf-8")
PYTHON_PAGE = (REFERENCE / "python.md").read_text("utf-8")
CONFIGURATION_PAGE = (REFERENCE / "configuration.md").read_text("utf-8")

CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#+ (?P<words>.+)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def section(page: str, heading: str) -> str:
    """What stands under a heading, down to the next of its rank."""
    mark = heading.split(" ")[0]
    found = re.search(rf"^{re.escape(heading)}$(.*?)(?=^#{{1,{len(mark)}}} |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found, f"there is no section {heading!r}"
    return found[1]


def words_in_code(text: str) -> set[str]:
    """Everything that stands in backticks, and the first word of it."""
    spans = [span.replace("\\|", "|") for span in CODE.findall(FENCED.sub("", text))]
    return {*spans, *(re.split(r"[ (\[=]", span)[0] for span in spans)}


# --- JSON --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two runs, with every sort of trouble in them."""
    where = str(tmp_path_factory.mktemp("documented") / "store.db")
    cases = [
        proctor.Case(
            id=f"case-{number}", question=f"What is {number} + 1?", answer=str(number + 1), categories=("sums",)
        )
        for number in range(4)
    ]
    for name in ("before", "after"):
        run = proctor.evaluate(cases, agent=_sometimes, trials=2, retries=0, name=name, store=where).run.id
        for each in draw(run, store=where, count=4) if name == "before" else ():
            for who in ("ann", "bob"):
                put_label(each.attempt.key, passed=each.attempt.key.exam == "case-2", who=who, store=where)
    assert CliRunner().invoke(cli, ["rescore", "before", "--repeats", "2", "--store", where]).exit_code == 0
    return where


def _sometimes(request: proctor.Request) -> str:
    if request.case == "case-0":
        raise ConnectionError("no route to host")
    if request.case == "case-1":
        raise ValueError("cannot count so far")
    return "3"


def keys(value: object, *, but: tuple[str, ...] = ()) -> set[str]:
    """Every key in a JSON value, however deep; those of the tables in `but` are names that somebody gave."""
    if isinstance(value, Mapping):
        inner = {
            key: each if key not in but or not isinstance(each, Mapping) else list(each.values())
            for key, each in value.items()
        }
        return set(value) | {key for each in inner.values() for key in keys(each, but=but)}
    if isinstance(value, list):
        return {key for each in value for key in keys(each, but=but)}
    return set()


NAMES_OF_OTHERS = (
    "categories",
    "by_category",
    "by_length",
    "unscored",
    "failures",
    "parts",
    "pass_at_k",
    "pass_hat_k",
    "labels",
    "flips",
)
GATE = ("--gate", "pass_rate>=0.1", "--force")


@pytest.mark.parametrize(
    ("heading", "arguments"),
    [
        ("## proctor run", ["show", "before", "--json", *GATE]),
        ("## proctor run", ["show", "after", "--json", *GATE]),
        ("## proctor judges", ["judges", "before", "--json"]),
        ("## proctor list", ["list", "--json"]),
        ("## proctor compare", ["compare", "before", "after", "--json"]),
        ("## proctor plan", ["plan", "--difference", "0.1", "--flips", "0.2", "--json"]),
        ("## proctor plan", ["plan", "--gate", "pass_rate>=0.9", "--json"]),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_every_key_of_the_json_is_on_the_page(store: str, heading: str, arguments: list[str]) -> None:
    result = CliRunner().invoke(cli, [*arguments, "--store", store])
    assert result.stdout.startswith(("{", "[")), result.output
    told = words_in_code(section(COMMANDS_PAGE, heading)) | words_in_code(section(COMMANDS_PAGE, "## proctor run"))
    assert sorted(keys(json.loads(result.stdout), but=NAMES_OF_OTHERS) - told) == []


def test_every_key_of_check_is_on_the_page(tmp_path: Path) -> None:
    path = tmp_path / "faulty.csv"
    path.write_text('"question";"answer"\n' + '"one field"\n' * 101, "utf-8")
    found: Any = json.loads(CliRunner().invoke(cli, ["check", str(path), "--json"]).stdout)
    assert {"more_errors", "line"} <= keys(found)
    assert sorted(keys(found) - words_in_code(section(COMMANDS_PAGE, "## proctor check"))) == []


# --- Python ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", proctor.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    assert name in words_in_code(PYTHON_PAGE)


@pytest.mark.parametrize(
    ("name", "fields"), re.findall(r"^\| `(\w+)` \| (`.*?`) \| [^|]+\|$", PYTHON_PAGE, re.MULTILINE)
)
def test_every_field_on_the_page_exists(name: str, fields: str) -> None:
    kind = getattr(proctor, name, None)
    if kind is not None:
        known = {*dir(kind), *getattr(kind, "__annotations__", {}), *inspect.signature(kind.__init__).parameters}
        assert [field for field in CODE.findall(fields) if field.removesuffix("()") not in known] == []


DOORS = (proctor.aevaluate, proctor.aresume, proctor.arescore, proctor.compare)
PARAMETERS = [parameter for door in DOORS for parameter in inspect.signature(door).parameters.values()]
GIVEN = {parameter.name for parameter in PARAMETERS if parameter.kind is inspect.Parameter.KEYWORD_ONLY} - {"config"}


@pytest.mark.parametrize("name", sorted({*GIVEN, *_OPTIONS} - {"type"}))
def test_every_option_of_a_function_is_documented(name: str) -> None:
    assert name in words_in_code(section(PYTHON_PAGE, "## Examine an agent"))


# --- configuration -----------------------------------------------------------------------------


def test_every_key_of_the_configuration_is_documented() -> None:
    told = words_in_code(CONFIGURATION_PAGE)
    for key, known in Config.model_fields.items():
        assert {key, f"[{key}]", f"[{key}.NAME]"} & told, f"{key}: {known.annotation}"
    assert [key for key in AgentConfig.model_fields if key not in told] == []


def test_every_environment_variable_is_documented() -> None:
    source = "\n".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    ours = set(re.findall(r"\bPROCTOR_[A-Z_]+\b", source))
    theirs = {key for provider in PROVIDERS.values() for key in provider.keys} | {COMPATIBLE_KEY}
    assert ours
    assert sorted((ours | theirs) - words_in_code(CONFIGURATION_PAGE)) == []


# --- every page --------------------------------------------------------------------------------


def test_the_readme_is_short() -> None:
    assert len(PAGES[0].read_text("utf-8").splitlines()) < 150


def anchors(page: Path) -> set[str]:
    """The names that headings can be linked by."""
    headings = HEADING.findall(FENCED.sub("", page.read_text("utf-8")))
    return {re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-") for words in headings}


@pytest.mark.parametrize("page", [*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CHANGELOG.md"], ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for found in LINK.finditer(FENCED.sub("", page.read_text("utf-8"))):
        path, _, anchor = found["target"].partition("#")
        if "://" in path:
            continue
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), found["target"]
        assert not anchor or anchor in anchors(there), found["target"]


def test_every_page_can_be_reached_from_the_index() -> None:
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / found["target"]).resolve() for found in LINK.finditer(index.read_text("utf-8"))}
    missing = [name_of(page) for page in PAGES[1:] if page not in linked and page != index]
    assert missing == [], "link them in docs/README.md"


def test_no_file_tells_of_somebody_s_machine_or_registry() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout, so nothing says which files are tracked")
    telling = re.compile(
        r"(?<![\w.])/(?:home|root|work|Users)/\w|\bpypi\.org\b|\bpythonhosted\b|--index-url", re.IGNORECASE
    )
    told = [
        name for name in listed.stdout.splitlines() if name != name_of(Path(__file__)) and telling.search(_text(name))
    ]
    assert told == []


def _text(name: str) -> str:
    path = ROOT / name
    try:
        return path.read_text("utf-8") if path.is_file() else ""
    except UnicodeDecodeError:
        return ""
