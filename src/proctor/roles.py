"""Protocols of all roles, on one page. No base classes: any object with these members will do."""

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
    """The agent under examination.

    An agent that keeps conversation state itself although it receives context declares `keeps_memory = True`; one with
    `forgets_nothing = True` keeps no state, and `forget` is not called.
    """

    @property
    def name(self) -> str:
        """Display name."""

    @property
    def takes_request(self) -> bool:
        """Whether it receives context and history; if not, it gets only the question."""

    async def reply(self, request: Request) -> Reply:
        """Answer a request. Raises AgentFault if the agent itself fails, EnvironmentFault if the network does."""

    async def forget(self, conversation: str) -> None:
        """Discard the state of a conversation that has ended."""

    async def close(self) -> None:
        """Release connections and processes at the end of the run."""


class Examiner(Protocol):
    """Asks the questions in a battle.

    If `ask` takes a keyword `conversation`, it receives the conversation's id, the same for all of its questions;
    `async def forget(conversation)`, if defined, is called when the conversation is over.
    """

    @property
    def name(self) -> str:
        """Display name."""

    async def ask(self, exam: Exam, turns: Sequence[Turn]) -> Turn | Usage | None:
        """Return the next question as a turn without a reply; None, or the usage of a last call, ends the exam."""


class Reviewer(Protocol):
    """Judges replies.

    A reviewer with `judges_improvised = True` receives an improvised question as a case without an expected answer;
    others receive None as case. One with `asks_nobody = True` judges by rules alone, so its reviews cost nothing.
    """

    @property
    def name(self) -> str:
        """Display name."""

    @property
    def rubric(self) -> str:
        """Version of its criteria; scores under different rubrics are not comparable."""

    async def review(self, case: Case | None, turns: Sequence[Turn]) -> Review:
        """Judge the last of these turns, by the case's expectations if there is a case."""

    async def conclude(self, exam: Exam, turns: Sequence[Turn]) -> Review | None:
        """Judge the conversation as a whole, or return None."""


Halt = Literal["stopped", "storm", "spent", "decided", "misconfigured", "blocked", "exited"]
"""Why a run ended early: stop requested, only environment failures, budget spent, gates decided, wrong key or address,
an agent that blocks the event loop for good, an agent that tried to end the process."""
LETS_FINISH: frozenset[Halt] = frozenset({"spent", "decided"})
"""Reasons for which calls in flight may finish and only no new attempts begin; an attempt without budget ends at its
next call."""


class Executor(Protocol):
    """Plays attempts, in this process or on a cluster."""

    halt: Halt | None
    """Why it ended early, or None."""
    reason: str
    """The reason for ending early, as text."""

    def execute(self, pending_attempts: Iterable[PendingAttempt]) -> Generator[Sequence[Record], None, None]:
        """Play the attempts; yield records in batches, at most 50 ms old, and an empty batch now and then.

        A batch counts as stored when the next one is requested; attempts wait for a slow store.
        """

    def stop(self) -> None:
        """Begin no more attempts, cancel calls in flight, yield the remaining records and end."""

    def end(self, halt: Halt, reason: str = "") -> None:
        """Stop for another reason."""

    def leftover(self) -> Sequence[Record]:
        """Return records not yet yielded, for a caller that was interrupted and cannot wait for them."""


class Journal(Protocol):
    """Writes records. Methods block, and return once the data is on disk."""

    def create(self, run: Run, benchmark: Benchmark) -> None:
        """Store a new run and its benchmark."""

    def amend(self, run: Run) -> None:
        """Update a run's settings, plan, kind of agent and facts; its attempts are kept."""

    def writing(self, run: str) -> AbstractContextManager[None]:
        """Lock the run against a second writer; raises RunBusy. The lock ends with the process.

        Discards stop requests made to an earlier writer.
        """

    def take_stop_request(self, run: str) -> StopRequest | None:
        """Return the stop request for this process, which writes the run; raises RunLost if another took it over."""

    def write(self, records: Sequence[Record]) -> None:
        """Store records. Idempotent: writing the same key twice changes nothing."""

    def mark(
        self, run: str, status: Status, *, reason: str = "", stop: Stop | None = None, seconds: float = 0.0
    ) -> None:
        """Set a run's status, and why it stopped; `seconds` is added to its running time."""

    def request_stop(self, run: str, stop: StopRequest | None) -> None:
        """Request the process that plays the run to pause or cancel."""

    def delete(self, run: str) -> None:
        """Delete a run; transcripts that another run reads are kept."""


class Archive(Protocol):
    """Reads stored runs. Any number of readers may work next to one writer."""

    def runs(self) -> list[Run]:
        """Return all runs, newest first; an unreadable one is `failed`, with the reason and nothing planned."""

    def find(self, name: str) -> Run:
        """Find a run by id, unique prefix of an id, unique name, or `last`; raises NoSuchRun."""

    def benchmark_of(self, run: str) -> Benchmark:
        """Return the exact benchmark version that a run was started with."""

    def attempts(self, run: str) -> Iterator[Attempt]:
        """Stream outcomes without transcripts, in the order of the plan."""

    def full_attempts(self, run: str) -> Iterator[Attempt]:
        """Stream outcomes with transcripts, in the order of the plan."""

    def verdict_counts(self, run: str) -> dict[str, tuple[int, int]]:
        """Map each exam to (attempts with a verdict, attempts that passed), without loading the attempts."""

    def verdict_order(self, run: str) -> dict[tuple[str, str], str]:
        """Map (exam, condition) to its trials' verdicts in order, + passed and - not passed; those without any are left
        out."""

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
        """Return a page of outcomes without transcripts, sorted; those without a score or time come last.

        Filters: verdict (pass, fail, unscored, agent, environment, open), ranges of places (see `Attempt.place`), a
        failed check, and the stage of a failure.
        """

    def attempt(self, key: Key) -> Attempt | None:
        """Return one attempt with its transcript, as far as it got."""

    def pending_attempts(self, run: str) -> Iterator[tuple[Attempt, dict[int, tuple[Review, ...]]]]:
        """Yield attempts in progress or failed by the environment (with their last failure), and reviews already paid
        for."""

    def over(self, run: str) -> int:
        """Count the attempts that are over, whatever their outcome."""

    def finished(self, run: str) -> set[tuple[str, str, int]]:
        """Return (exam, condition, trial) of attempts that need no more work."""

    def stop_request(self, run: str) -> StopRequest | None:
        """Return the pending request to pause or cancel the run, if any."""

    def alive(self, run: str) -> bool:
        """Whether a process is writing the run right now."""
