"""Cases that were drafted and that nobody has reviewed yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proctor.benchmark import Exam


def sentences(exams: Sequence[Exam]) -> Iterator[str]:
    """What a reader has to know where the expectations of cases are nobody's word yet."""
    every = [case for exam in exams for case in exam.cases]
    drafts = sum(case.review == "needed" for case in every)
    if drafts:
        are = "is a draft" if drafts == 1 else "are drafts"
        yield f"{drafts:,} of {len(every):,} cases {are} that nobody has reviewed (review: needed)."
