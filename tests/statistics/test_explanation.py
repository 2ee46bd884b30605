import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "statistics.md"


def test_every_example_of_the_explanation_gives_what_it_says() -> None:
    # The fences of Markdown would be read as expected output.
    text = PAGE.read_text(encoding="utf-8").replace("```python\n", "\n").replace("```\n", "\n")
    examples = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    told: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(examples, out=told.append)
    assert not result.failed, "".join(told)
    assert result.attempted > 50
