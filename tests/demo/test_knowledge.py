import re
from datetime import date
from pathlib import Path

import pytest

from proctor.demo import knowledge_path
from proctor.demo.document import Document
from proctor.demo.library import shelf

PATHS = sorted(knowledge_path().rglob("*.md"))
REFERENCE = re.compile(r"\b[\w-]+/[\w-]+\.md\b")


def text_of(source: str) -> str:
    return (knowledge_path() / source).read_text(encoding="utf-8")


def number_in(source: str, pattern: str) -> int:
    match = re.search(pattern, text_of(source))
    assert match, f"{pattern!r} does not stand in {source}"
    return int(match[1].replace(",", ""))


def test_there_are_about_forty_documents_in_folders() -> None:
    assert 40 <= len(PATHS) <= 50
    assert all(path.parent != knowledge_path() for path in PATHS)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_cross_reference_points_to_a_document(path: Path) -> None:
    for reference in REFERENCE.findall(path.read_text(encoding="utf-8")):
        assert (knowledge_path() / reference).is_file(), f"{path.name} refers to {reference}"


@pytest.mark.parametrize("document", shelf().documents.values(), ids=lambda document: document.source)
def test_every_document_has_title_date_owner_and_sections(document: Document) -> None:
    assert document.title
    assert date.fromisoformat(document.details["updated"]) <= date(2025, 12, 31)
    assert document.details["owner"]
    assert len(document.sections) >= 3


def test_most_documents_are_short_and_some_are_really_long() -> None:
    words = sorted(document.words for document in shelf().documents.values())
    assert words[0] >= 50
    assert sum(count > 300 for count in words) == sum(count > 750 for count in words) == 3


def test_owners_are_people_of_the_company() -> None:
    people = "".join(path.read_text(encoding="utf-8") for path in PATHS if path.parent.name in ("people", "offices"))
    for document in shelf().documents.values():
        assert re.search(rf"(?<!Owner: ){document.details['owner']}", people), document.source


def test_the_superseded_policy_names_the_one_in_force() -> None:
    info = shelf().get_info(source="policies/travel-2021.md")
    assert info["status"] == "superseded by policies/travel.md"
    assert shelf().get_info(source="policies/travel.md")["status"] == "current"


def test_head_counts_add_up_across_documents() -> None:
    offices = [number_in(f"offices/{name}.md", r"(\d+) people work in") for name in ("whitby", "lisbon", "bergen")]
    assert sum(offices) == number_in("finance/budget-2025.md", r"for (\d+) people")


def test_the_training_budget_is_the_allowance_of_everyone() -> None:
    each = number_in("hr/training.md", r"([\d,]+) pounds a year on training")
    people = number_in("finance/budget-2025.md", r"for (\d+) people")
    assert each * people == number_in("finance/budget-2025.md", r"training budget is ([\d,]+) pounds")


def test_spare_parts_are_kept_for_as_long_as_the_document_works_out() -> None:
    years = number_in("products/spare-parts.md", r"kept for (\d+) years")
    replaced = number_in("products/lantern-4.md", r"place of the Lantern 3 in (\d+)")
    assert replaced + years == number_in("products/spare-parts.md", r"this means until (\d+)")
