from pathlib import Path

import pytest

from proctor.demo import knowledge_path
from proctor.demo.library import PAGE, DocumentLibrary, shelf
from proctor.errors import InputError


@pytest.fixture
def library() -> DocumentLibrary:
    return shelf()


def test_search_knowledge_finds_a_section_by_meaning(library: DocumentLibrary) -> None:
    hits = library.search_knowledge(query="How much vacation do workers have?")
    assert hits[0]["source"] == "hr/holidays.md"


def test_search_knowledge_joins_the_forms_of_a_word(library: DocumentLibrary) -> None:
    for query in ("calibrating the Bellwether", "Bellwether calibration", "when is a Bellwether calibrated"):
        assert ("operations/calibration.md", "Intervals") in [
            (hit["source"], hit["section"]) for hit in library.search_knowledge(query=query)
        ]


def test_search_knowledge_ranks_best_first_and_keeps_to_the_limit(library: DocumentLibrary) -> None:
    scores = [hit["score"] for hit in library.search_knowledge(query="warranty of the Murmur", limit=3)]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)


def test_search_knowledge_lets_the_context_tip_the_scales(library: DocumentLibrary) -> None:
    sources = {
        city: library.search_knowledge(query="opening hours of the office", context=f"I am in {city}.")[0]["source"]
        for city in ("Lisbon", "Bergen", "Whitby")
    }
    assert sources == {city: f"offices/{city.lower()}.md" for city in sources}


def test_search_knowledge_says_how_much_of_the_query_it_covered(library: DocumentLibrary) -> None:
    assert library.search_knowledge(query="managing director")[0]["coverage"] == 1.0
    assert library.search_knowledge(query="managing director of submarines")[0]["coverage"] < 1.0


def test_search_knowledge_finds_nothing_for_nothing(library: DocumentLibrary) -> None:
    assert library.search_knowledge(query="what is it?") == []
    assert library.search_knowledge(query="xylophone") == []


def test_search_keyword_finds_the_very_words_in_any_case(library: DocumentLibrary) -> None:
    (hit,) = library.search_keyword(phrase="SHELF of mysteries")
    assert (hit["source"], hit["section"]) == ("operations/returns.md", "Return numbers")
    assert "shelf of mysteries" in hit["text"]


def test_search_keyword_takes_whole_words_only(library: DocumentLibrary) -> None:
    assert library.search_keyword(phrase="GS-41") == []
    assert library.search_keyword(phrase="GS-417") != []


def test_search_keyword_takes_signs_as_they_stand(library: DocumentLibrary) -> None:
    assert library.search_keyword(phrase="0.5 to 30") != []
    assert library.search_keyword(phrase="0x5 to 30") == []
    assert library.search_keyword(phrase=" ") == []


def test_list_contents_shows_the_folders_at_the_top(library: DocumentLibrary) -> None:
    top = library.list_contents()
    assert top["folders"] == sorted(path.name for path in knowledge_path().iterdir())
    assert top["documents"] == []


def test_list_contents_shows_the_documents_of_a_folder(library: DocumentLibrary) -> None:
    history = library.list_contents(folder="history/")
    assert [entry["source"] for entry in history["documents"]] == [
        "history/fire-of-1978.md",
        "history/founding.md",
        "history/milestones.md",
    ]
    assert history["documents"][2]["title"] == "Milestones"


def test_list_contents_of_an_unknown_folder_names_the_known_ones(library: DocumentLibrary) -> None:
    with pytest.raises(InputError, match=r"folder='pets'.*faq, finance, history"):
        library.list_contents(folder="pets")


def test_find_takes_words_of_path_or_title_and_prefers_the_closest(library: DocumentLibrary) -> None:
    assert [entry["source"] for entry in library.find(name="travel policy")] == [
        "policies/travel.md",
        "policies/travel-2021.md",
    ]
    assert library.find(name="tide gauge")[0]["source"] == "products/bellwether.md"
    assert library.find(name="submarine") == []
    assert library.find(name="") == []


def test_read_gives_a_small_document_at_once(library: DocumentLibrary) -> None:
    page = library.read(source="offices/lisbon.md")
    assert (page["page"], page["pages"]) == (1, 1)
    assert page["text"].startswith("## People\n\n37 people work in Lisbon")
    assert page["text"].endswith("one chair too few.")


def test_read_gives_a_large_document_in_pages_that_lose_nothing(library: DocumentLibrary) -> None:
    first = library.read(source="hr/handbook.md")
    assert first["pages"] > 2
    pages = [library.read(source="hr/handbook.md", page=number) for number in range(1, first["pages"] + 1)]
    assert all(len(page["text"]) <= PAGE for page in pages)
    raw = (knowledge_path() / "hr/handbook.md").read_text(encoding="utf-8")
    body = raw[raw.index("This is the long document") :].strip()
    assert "\n\n".join(page["text"] for page in pages) == body


def test_read_gives_one_section(library: DocumentLibrary) -> None:
    page = library.read(source="hr/handbook.md", section="dogs")
    assert page["text"].startswith("## Dogs\n\nDogs are welcome")
    assert "kitchen" in page["text"]
    assert "## The kitchen" not in page["text"]


def test_read_says_what_there_is_when_asked_for_what_there_is_not(library: DocumentLibrary) -> None:
    with pytest.raises(InputError, match=r"source='hr/pension\.md'"):
        library.read(source="hr/pension.md")
    with pytest.raises(InputError, match=r"section='Cats'.*Working hours, Notice periods, Dress"):
        library.read(source="hr/handbook.md", section="Cats")
    with pytest.raises(InputError, match=r"page=2 of 'offices/lisbon\.md'; it has 1"):
        library.read(source="offices/lisbon.md", page=2)


def test_read_around_expands_a_hit_to_its_neighbours(library: DocumentLibrary) -> None:
    hit = library.search_keyword(phrase="Declare the severity")[0]
    around = library.read_around(source=hit["source"], paragraph=hit["paragraph"])
    assert [line[:2] for line in around["text"].split("\n\n")] == ["2.", "3.", "4."]
    assert around["last"] - around["first"] == 2


def test_read_around_stays_within_the_section(library: DocumentLibrary) -> None:
    hit = library.search_keyword(phrase="Acknowledge the page")[0]
    around = library.read_around(source=hit["source"], paragraph=hit["paragraph"], before=5, after=0)
    assert around["text"] == hit["text"]
    assert around["section"] == "The first ten minutes"


def test_read_around_an_unknown_paragraph_is_refused(library: DocumentLibrary) -> None:
    with pytest.raises(InputError, match="paragraph=99"):
        library.read_around(source="offices/lisbon.md", paragraph=99)


def test_get_info_tells_title_size_date_and_sections(library: DocumentLibrary) -> None:
    info = library.get_info(source="policies/remote-work.md")
    assert info["title"] == "Remote work policy"
    assert info["updated"] == "2025-02-03"
    assert info["owner"] == "Marguerite Oyelaran"
    assert info["pages"] == 1
    assert info["sections"] == ["Who may work from home", "Core hours", "Equipment", "Working from abroad"]
    page = library.read(source="policies/remote-work.md")["text"]
    assert info["words"] == sum(len(line.split()) for line in page.split("\n\n") if not line.startswith("##"))


def test_another_folder_of_documents_serves_as_well(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "tea.md").write_text("# Tea\n\n## Brewing\n\nSteep it for four minutes.\n", encoding="utf-8")
    library = DocumentLibrary(tmp_path)
    assert library.search_knowledge(query="How long does tea steep?")[0]["text"] == "Steep it for four minutes."
    assert library.get_info(source="notes/tea.md")["updated"] == ""


def test_a_folder_without_documents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no documents"):
        DocumentLibrary(tmp_path)
