"""The contracts, on one page: who plays which part. No base classes; anything of this shape will do."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Literal, Protocol

from proctor.benchmark import Benchmark, Case, Exam
from proctor.run import Attempt, Key, PendingAttempt, Record, Run, Status, Stop, StopRequest
from proctor.score import Review
from proctor.transcript import Reply, Request, Turn
from proctor.usage import Usage


class Agent(Protocol):
    """Who is examined.

    One that keeps the conversation to itself although it is handed context says so by `keeps_memory = True`; one with
    `forgets_nothing = True` keeps nothing, and is not told that a conversation is over.
    """

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def takes_request(self) -> bool:
        """Whether it is handed context and history; if not, it sees the question alone."""

    async def reply(self, request: Request) -> Reply:
        """Answer. Raises AgentFault for its own failure, EnvironmentFault for the network's."""

    async def forget(self, conversation: str) -> None:
        """The conversation is over: drop what was kept for it."""

    async def close(self) -> None:
        """The run is over: let go of connections and processes."""


class Examiner(Protocol):
    """Who asks, in a battle.

    One whose `ask` takes a keyword `conversation` is told which one it is, the same for all of its questions; one that
    has `async def forget(conversation)` is told that it is over.
    """

    @property
    def name(self) -> str:
        """What people call it."""

    async def ask(self, exam: Exam, turns: Sequence[Turn]) -> Turn | Usage | None:
        """The next question as a turn without a reply; None ends the exam, and so does what it cost to say so."""


class Reviewer(Protocol):
    """Who judges.

    One with `judges_improvised = True` is handed a question that an examiner improvised as a case that expects no
    answer; others get no case then. One with `asks_nobody = True` judges by rules alone: its reviews cost nothing.
    """

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def rubric(self) -> str:
        """The version of what it judges; marks under different rubrics are not comparable."""

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        """Judge the last of these turns, by the case's expectations if there is a case."""

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        """Judge the conversation as a whole; None: nothing to say."""


Halt = Literal["stopped", "storm", "spent", "decided", "misconfigured", "blocked", "exited"]
"""Why the play ended early: asked to, environment failures alone, no budget left, gates that are decided, a wrong key
or address, an agent that never gives the event loop back, an agent that tried to end the process."""
LETS_FINISH: frozenset[Halt] = frozenset({"spent", "decided"})
"""Then calls in flight are kept, and only nothing more is begun; an attempt that lacks budget ends at its next call."""


class Executor(Protocol):
    """Who plays the attempts: this process, or a cluster."""

    halt: Halt | None
    """Why it ended early; None: it did not."""
    reason: str
    """The same in words."""

    def execute(self, pending_attempts: Iterable[PendingAttempt]) -> Generator[Sequence[Record], None, None]:
        """Play them; yield what happened in batches, at most 50 ms old, and an empty one now and then.

        A batch counts as stored when the next one is asked for; players wait for a slow store.
        """

    def stop(self) -> None:
        """Begin nothing more, drop calls in flight, yield what is left and end."""

    def end(self, halt: Halt, reason: str = "") -> None:
        """The same, for another reason."""

    def leftover(self) -> Sequence[Record]:
        """Records not yet yielded, for a caller that was interrupted and cannot wait for them."""


class Journal(Protocol):
    """Where records are written. Methods block; a return means that it is on disk."""

    def create(self, run: Run, benchmark: Benchmark) -> None:
        """Store a new run and the benchmark it uses."""

    def amend(self, run: Run) -> None:
        """Store a run's settings, plan, kind of agent and facts again; its attempts stay."""

    def writing(self, run: str) -> AbstractContextManager[None]:
        """Hold the run against a second writer; raises RunBusy. Ends with the process.

        What an earlier writer was asked to do ends here.
        """

    def take_stop_request(self, run: str) -> StopRequest | None:
        """What this process is asked to do, which writes the run; raises RunLost where another has taken it over."""

    def write(self, records: Sequence[Record]) -> None:
        """Store records. Writing the same key twice changes nothing."""

    def mark(
        self, run: str, status: Status, *, reason: str = "", stop: Stop | None = None, seconds: float = 0.0
    ) -> None:
        """Set a run's status, and why it stopped; `seconds` is added to the time it has run."""

    def request_stop(self, run: str, stop: StopRequest | None) -> None:
        """Ask whoever runs it to pause or cancel."""

    def delete(self, run: str) -> None:
        """Forget a run; transcripts that another run reads stay."""


class Archive(Protocol):
    """Where stored things are read. Many may read while one writes."""

    def runs(self) -> list[Run]:
        """All of them, newest first; one that cannot be read is `failed`, with the reason and nothing planned."""

    def find(self, name: str) -> Run:
        """By id, unique prefix of an id, unique name, or `last`; raises NoSuchRun."""

    def benchmark_of(self, run: str) -> Benchmark:
        """The very benchmark a run was started with."""

    def attempts(self, run: str) -> Iterator[Attempt]:
        """Outcomes without transcripts, in the order of the plan, streamed."""

    def full_attempts(self, run: str) -> Iterator[Attempt]:
        """The same with transcripts."""

    def verdict_counts(self, run: str) -> dict[str, tuple[int, int]]:
        """Exam → how many of its attempts have a verdict, and how many of those passed; without reading them."""

    def verdict_order(self, run: str) -> dict[tuple[str, str], str]:
        """Exam and condition → the verdicts of its trials in their order, + passed and - not, where there is any."""

    def page(
        self,
        run: str,
        *,
        verdicts: Collection[str] = (),
        places: Sequence[tuple[int, int]] | None = None,
        check: str | None = None,
        stage: str | None = None,
        order: Literal["place", "score", "seconds"] = "place",
        descending: bool = False,
        offset: int = 0,
        limit: int = 100,
    ) -> list[Attempt]:
        """Some of the outcomes, without transcripts, sorted; those without a score, or time, come last.

        Chosen by verdict (pass, fail, unscored, agent, environment, open), by spans of places (see `Attempt.place`),
        by a check that failed, and by the stage of a failure.
        """

    def attempt(self, key: Key) -> Attempt | None:
        """One, with its transcript, as far as it got."""

    def pending_attempts(self, run: str) -> Iterator[tuple[Attempt, dict[int, tuple[Review, ...]]]]:
        """Attempts under way or failed by the environment (with their last failure), and what is paid for already."""

    def over(self, run: str) -> int:
        """How many attempts are over, whatever became of them."""

    def finished(self, run: str) -> set[tuple[str, str, int]]:
        """(exam, condition, trial) of attempts that need nothing more."""

    def stop_request(self, run: str) -> StopRequest | None:
        """What was asked of whoever runs it."""

    def alive(self, run: str) -> bool:
        """Whether a process is writing the run at this moment."""
