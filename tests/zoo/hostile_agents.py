"""The seen half of the zoo: agents, reviewers and examiners that do what no one should.

Whatever hangs here ends after a minute by itself, and no more than 200 MB are taken.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import gc
import io
import multiprocessing
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
from tests.zoo.cage import Traits, agent, creature, examiner, number_in, reviewer

from proctor import Reply, Request, ToolCall, Usage

MINUTE = 60.0
LATE = 1.8
"""Longer than the limit of a call, which is a second, and shorter than three times as long."""

_KEPT: list[object] = []


def _me() -> asyncio.Task[Any]:
    task = asyncio.current_task()
    assert task is not None
    return task


# Cancelling


@agent(guilty=(3, 5))
async def cancels_its_own_task(number: int) -> str:
    """Cancels the task that it is played in."""
    _me().cancel()
    await asyncio.sleep(0.01)
    return str(number)


@agent(guilty=(3, 5))
async def has_a_child_that_cancels_its_parent(number: int) -> str:
    """Starts a task that cancels the one it came from."""
    asyncio.get_running_loop().create_task(_cancel(_me()))
    await asyncio.sleep(0.5)
    return str(number)


async def _cancel(task: asyncio.Task[Any]) -> None:
    task.cancel()


@agent(ends="either", harms=3, pace=0.05)
async def cancels_every_task(number: int) -> str:
    """Cancels all tasks of the loop, whosoever they are."""
    for task in asyncio.all_tasks():
        task.cancel()
    await asyncio.sleep(0.01)
    return str(number)


@agent("passed", ends="either", harms=1, pace=0.05)
async def cancels_a_sibling_later(number: int) -> str:
    """Answers, and has the newest other task cancelled a moment later."""
    others = sorted(asyncio.all_tasks() - {_me()}, key=lambda task: task.get_name())
    asyncio.get_running_loop().call_later(0.01, others[-1].cancel)
    return str(number)


@agent("passed", guilty=(1, 4, 7), pace=0.05)
async def leaves_a_task_group_open(number: int) -> str:
    """Enters a task group of anyio, never leaves it, and its child fails later, as MCP clients do."""
    group = anyio.create_task_group()
    await group.__aenter__()
    _KEPT.append(group)
    group.start_soon(_fail_soon)
    return str(number)


async def _fail_soon() -> None:
    await asyncio.sleep(0.02)
    raise ValueError("the connection of the tool broke")


@agent(guilty=(2, 6))
async def leaves_a_timeout_open(number: int) -> str:
    """Enters `asyncio.timeout`, never leaves it, and is cancelled by it in the midst of something else."""
    await asyncio.timeout(0.05).__aenter__()
    await asyncio.sleep(0.5)
    return str(number)


@agent()
async def has_a_task_group_with_a_failing_child(number: int) -> str:
    """Waits in a task group for a child that raises."""
    async with asyncio.TaskGroup() as group:
        group.create_task(_fail_soon())
        await asyncio.sleep(0.5)
    return str(number)


@agent("passed", "agent")
async def cancels_itself_and_swallows_it(number: int) -> str:
    """Cancels its own task, catches the cancellation and answers as if nothing had been."""
    _me().cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asyncio.sleep(0.01)
    return str(number)


@agent("passed")
async def cancels_itself_and_takes_it_back(number: int) -> str:
    """Cancels its own task, catches it, and uncancels."""
    _me().cancel()
    try:
        await asyncio.sleep(0.01)
    except asyncio.CancelledError:
        _me().uncancel()
    return str(number)


@agent("agent", "passed", ends="either")
async def stops_the_loop(number: int) -> str:
    """Stops the event loop that plays it."""
    asyncio.get_running_loop().stop()
    await asyncio.sleep(0.05)
    return str(number)


# Leaving things behind


@agent("passed")
def leaves_a_thread(number: int) -> str:
    """Starts a thread that holds up the end of the process."""
    threading.Thread(target=time.sleep, args=(MINUTE,), daemon=False).start()
    return str(number)


@agent("passed")
def leaves_a_pool_that_hangs(number: int) -> str:
    """Leaves a `ThreadPoolExecutor` whose work never ends."""
    pool = ThreadPoolExecutor(1)
    _KEPT.append(pool)
    pool.submit(time.sleep, MINUTE)
    return str(number)


@agent("passed")
async def does_not_await_the_executor(number: int) -> str:
    """Hands the loop's executor something long, and does not wait for it."""
    _KEPT.append(asyncio.get_running_loop().run_in_executor(None, time.sleep, MINUTE))
    return str(number)


@agent()
async def waits_for_a_thread_that_hangs(number: int) -> str:
    """Is late, and its thread cannot be stopped."""
    await asyncio.to_thread(time.sleep, MINUTE)
    return str(number)


@agent("passed", guilty=(2, 9))
async def leaves_a_task_that_will_not_be_cancelled(number: int) -> str:
    """Leaves a task behind that swallows every cancellation."""
    _KEPT.append(asyncio.get_running_loop().create_task(_deaf()))
    return str(number)


async def _deaf() -> None:
    end = time.monotonic() + MINUTE
    while time.monotonic() < end:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0.2)


@agent("passed")
async def leaves_an_async_generator_open(number: int) -> str:
    """Leaves a generator half read, whose clean-up never ends."""
    stream = _tokens()
    _KEPT.append(stream)
    await anext(stream)
    return str(number)


async def _tokens() -> AsyncIterator[str]:
    try:
        yield "one"
        yield "two"
    finally:
        await asyncio.sleep(MINUTE)


@agent("passed")
def leaves_a_subprocess(number: int) -> str:
    """Leaves a program running that holds standard output and error open."""
    _KEPT.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]))
    return str(number)


@agent("passed")
def leaves_a_multiprocessing_child(number: int) -> str:
    """Leaves a child process that the interpreter waits for at its end."""
    multiprocessing.get_context("fork").Process(target=time.sleep, args=(MINUTE,)).start()
    return str(number)


@agent("passed")
def registers_an_atexit_that_hangs(number: int) -> str:
    """Has something long called at the end of the process."""
    atexit.register(time.sleep, MINUTE)
    return str(number)


@agent("passed")
def registers_an_atexit_that_raises(number: int) -> str:
    """Has something called at the end of the process that raises, and something that wants to exit with 7."""
    atexit.register(_raise, RuntimeError("at the end"))
    atexit.register(_raise, SystemExit(7))
    return str(number)


def _raise(error: BaseException) -> None:
    raise error


@agent("passed")
def registers_with_the_threads_end(number: int) -> str:
    """Hangs in what `threading` calls before it waits for its threads, as executors do."""
    threading._register_atexit(time.sleep, MINUTE)  # type: ignore[attr-defined]
    return str(number)


@agent("passed", "agent", ends="either")
async def replaces_the_signal_handlers(number: int) -> str:
    """Ignores Ctrl-C and the request to end, and raises at a child's end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, lambda *_: _raise(SystemExit(0)))
    await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await asyncio.sleep(0.3)
    return str(number)


@agent("passed")
def replaces_the_hooks_for_exceptions(number: int) -> str:
    """Puts hooks in place that exit and hang, and gives them something to do."""
    sys.excepthook = lambda *_: time.sleep(MINUTE)
    threading.excepthook = lambda _: _raise(SystemExit(0))
    threading.Thread(target=_raise, args=(ValueError("in a thread"),)).start()
    return str(number)


@agent("passed", "agent", ends="either")
async def replaces_the_loops_exception_handler(number: int) -> str:
    """Has the loop raise SystemExit where it would have logged."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda *_: _raise(SystemExit(0)))
    loop.call_soon(_raise, ValueError("in a callback"))
    await asyncio.sleep(0.02)
    return str(number)


@agent("passed")
async def replaces_the_default_executor(number: int) -> str:
    """Leaves the loop with an executor that takes no more work."""
    pool = ThreadPoolExecutor(1)
    asyncio.get_running_loop().set_default_executor(pool)
    pool.shutdown()
    return str(number)


@agent("passed")
async def changes_the_policy_of_loops(number: int) -> str:
    """Sets a policy that has no loop to give, and no loop as the current one."""
    asyncio.set_event_loop(None)
    asyncio.set_event_loop_policy(_NoLoops())
    return str(number)


class _NoLoops(asyncio.DefaultEventLoopPolicy):
    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        raise RuntimeError("no loop for you")


@agent("passed", guilty=(0, 4, 8))
def leaves_garbage_that_raises(number: int) -> str:
    """Leaves cycles behind that raise when they are collected."""
    for _ in range(100):
        _Garbage()
    gc.collect()
    for _ in range(100):
        _Garbage()
    return str(number)


class _Garbage:
    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        raise SystemExit(0)


class _HangsWhenClosed:
    """An object that answers well, and hangs when it is forgotten and when it is closed."""

    name = "hangs when closed"
    takes_request = True

    async def reply(self, request: Request) -> Reply:
        return Reply(text=str(number_in(request.question)))

    async def forget(self, conversation: str) -> None:
        if conversation:
            await asyncio.sleep(0)

    async def close(self) -> None:
        await asyncio.sleep(MINUTE)


hangs_when_closed = creature(Traits(guilty=(), outcome=("passed",)))(_HangsWhenClosed())


# Raising


class _Unlike(BaseException):
    pass


@agent(guilty=(2, 5))
async def raises_a_base_exception(number: int) -> str:
    """Raises what derives from BaseException alone."""
    raise _Unlike(number)


@agent(guilty=(2, 5))
async def raises_generator_exit(number: int) -> str:
    """Raises GeneratorExit."""
    raise GeneratorExit


@agent()
async def raises_keyboard_interrupt(number: int) -> str:
    """Raises KeyboardInterrupt, although nobody pressed anything."""
    raise KeyboardInterrupt


@agent(guilty=(2, 5))
async def raises_system_exit(number: int) -> str:
    """Exits with 0, as a script's `main` does."""
    raise SystemExit(0)


class _WithStatus(Exception):
    @property
    def status_code(self) -> int:
        raise SystemExit(3)


@agent()
async def raises_an_error_whose_status_exits(number: int) -> str:
    """Raises an exception whose `status_code` raises SystemExit."""
    raise _WithStatus("ask me for my status")


class _Unspeakable(Exception):
    def __str__(self) -> str:
        raise SystemExit(0)

    def __repr__(self) -> str:
        raise KeyboardInterrupt


@agent()
async def raises_an_error_that_cannot_be_printed(number: int) -> str:
    """Raises an exception whose `str` exits and whose `repr` interrupts."""
    raise _Unspeakable


class _Faceless(Exception):
    @property
    def __class__(self) -> Any:
        raise SystemExit(0)

    @__class__.setter
    def __class__(self, other: Any) -> None:
        raise SystemExit(0)


@agent()
def raises_an_error_without_a_class(number: int) -> str:
    """Raises an exception that exits when it is asked for its class."""
    raise _Faceless("who am I?")


class _Untouchable(Exception):
    def __getattribute__(self, name: str) -> Any:
        raise SystemExit(3)


@agent()
def raises_an_error_whose_every_attribute_exits(number: int) -> str:
    """Raises an exception that exits whatever it is asked for."""
    raise _Untouchable("who am I?")


@agent(guilty=(2, 5))
async def raises_an_error_whose_every_attribute_exits_on_the_loop(number: int) -> str:
    """The same, from a coroutine."""
    raise _Untouchable("who am I?")


@agent()
def raises_stop_iteration(number: int) -> str:
    """Raises StopIteration, which no future can hold."""
    raise StopIteration(number)


@agent(guilty=(2, 5))
async def raises_cancelled_error_by_hand(number: int) -> str:
    """Raises CancelledError, although nobody cancelled."""
    raise asyncio.CancelledError("by hand")


@agent()
async def raises_a_group_of_exits(number: int) -> str:
    """Raises a group that holds SystemExit, GeneratorExit and a group of its own."""
    raise BaseExceptionGroup(
        "many", [SystemExit(0), GeneratorExit(), BaseExceptionGroup("more", [KeyboardInterrupt(), ValueError("x")])]
    )


@agent(pace=0.3)
async def raises_a_message_of_five_megabytes(number: int) -> str:
    """Raises an exception that says very much, in a form that looks for secrets are slow on."""
    raise ValueError("password=aaaaaaaa:" * (5_000_000 // 18))


@agent()
async def raises_an_error_that_is_its_own_cause(number: int) -> str:
    """Raises an exception with a circle of causes and contexts."""
    one, other = ValueError("one"), KeyError("other")
    one.__cause__, other.__cause__ = other, one
    one.__context__, other.__context__ = other, one
    raise one


@agent()
async def recurses_without_end(number: int) -> str:
    """Calls itself until Python has enough."""
    return await recurses(number)


async def recurses(number: int) -> str:
    return await recurses(number + 1)


@agent("environment", ends="incomplete")
def raises_memory_error(number: int) -> str:
    """Finds no memory, which is nobody's fault but the machine's."""
    raise MemoryError


class _SlowToSpeak(Exception):
    def __str__(self) -> str:
        time.sleep(1.0)
        return "finally"


@agent(pace=0.3)
async def raises_an_error_that_is_slow_to_print(number: int) -> str:
    """Raises an exception whose `str` takes a second."""
    raise _SlowToSpeak


# Blocking


@agent("passed", pace=0.2)
async def blocks_the_loop_for_a_short_while(number: int) -> str:
    """Sleeps on the loop for less than the limit."""
    time.sleep(0.4)
    return str(number)


@agent(pace=0.3)
async def blocks_the_loop_for_longer_than_the_limit(number: int) -> str:
    """Sleeps on the loop for nearly twice the limit."""
    time.sleep(LATE)
    return str(number)


@agent(pace=0.3)
async def computes_on_the_loop_for_longer_than_the_limit(number: int) -> str:
    """Is busy on the loop for nearly twice the limit."""
    end = time.monotonic() + LATE
    while time.monotonic() < end:
        pass
    return str(number)


@agent(guilty=(8,), ends="incomplete", report="maybe")
async def never_gives_the_loop_back(number: int) -> str:
    """Holds the loop: the run has to end itself after three times the limit."""
    end = time.monotonic() + MINUTE
    while time.monotonic() < end:
        pass
    return str(number)


@agent("agent", "passed", ends="either", pace=0.3)
async def holds_the_interpreter_in_a_long_call(number: int) -> str:
    """Matches a pattern that takes over a second, in which no other thread can do anything."""
    re.match(r"(a+)+$", "a" * 25 + "b")
    return str(number)


@agent(guilty=(3, 5))
def hangs_in_a_thread(number: int) -> str:
    """Blocks as a plain function may: it is late, and nobody else."""
    time.sleep(MINUTE)
    return str(number)


# Streams


@agent("passed", report="destroyed")
def closes_standard_output(number: int) -> str:
    """Closes `sys.stdout`."""
    sys.stdout.close()
    return str(number)


@agent("passed", report="destroyed")
def closes_the_first_handle(number: int) -> str:
    """Closes what standard output writes to, and lets the next file that is opened take its place."""
    os.close(1)
    return str(number)


@agent("passed")
def closes_the_second_handle(number: int) -> str:
    """Closes what standard error writes to."""
    os.close(2)
    return str(number)


@agent("passed")
def replaces_standard_output(number: int) -> str:
    """Puts a buffer in the place of standard output, and never takes it away."""
    sys.stdout = io.StringIO()
    return str(number)


@agent("passed")
def prints_ten_megabytes(number: int) -> str:
    """Prints very much to standard output, with escape sequences among it."""
    for _ in range(100):
        print("\x1b[2J\x1b]0;title\x07" + "x" * 100_000)
    return str(number)


@agent("passed")
def writes_to_the_first_handle(number: int) -> str:
    """Writes past Python to where standard output goes, as programs that it starts do."""
    os.write(1, b'{"status": "completed"}\n')
    subprocess.run(["echo", "hello"], check=True)
    return str(number)


# Processes


@agent("passed", leaves_nobody=True)
def forks_and_both_return(number: int) -> str:
    """Forks in its thread, and the child goes on with our code."""
    os.fork()
    return str(number)


@agent("passed", guilty=(3, 6), leaves_nobody=True)
def forks_a_child_that_exits(number: int) -> str:
    """Forks, and the child ends at once with 0: the real exit stays in children."""
    child = os.fork()
    if not child:
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    return str(number)


@agent(guilty=(8,), ends="incomplete", report="maybe")
def exits_the_process_with_0(number: int) -> str:
    """Ends the whole process at once, with the code of success."""
    time.sleep(0.3)
    os._exit(0)


@agent(guilty=(8,), ends="incomplete", report="maybe")
async def exits_the_process_with_1(number: int) -> str:
    """Ends the whole process at once from the loop, with the code of a gate that was not met."""
    await asyncio.sleep(0.3)
    os._exit(1)


@agent("passed")
def exits_in_a_thread(number: int) -> str:
    """Calls `sys.exit` in a thread of its own."""
    thread = threading.Thread(target=sys.exit, args=(0,))
    thread.start()
    thread.join()
    return str(number)


@agent("passed", "agent", guilty=(8,), ends="incomplete", report="maybe")
def asks_the_process_to_end(number: int) -> str:
    """Sends SIGTERM to the process that it runs in."""
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(0.5)
    return str(number)


@agent("passed", guilty=(0,))
def goes_to_another_folder(number: int) -> str:
    """Changes the current folder of the process."""
    os.chdir("/")
    return str(number)


@agent("passed", guilty=(0,))
def clears_the_environment(number: int) -> str:
    """Takes away every environment variable, and the rights of files that will be made."""
    os.environ.clear()
    os.umask(0o777)
    return str(number)


@agent("passed", guilty=(0,), ends="either", report="maybe")
async def takes_the_file_handles_away(number: int) -> str:
    """Lowers the number of files that may be open to fewer than are."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (8, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    return str(number)


@agent("passed", guilty=(0,))
async def turns_what_it_can(number: int) -> str:
    """Turns the garbage collector off and asyncio's debugging on."""
    gc.disable()
    asyncio.get_running_loop().set_debug(True)
    return str(number)


@agent("agent", "passed", ends="either")
async def closes_the_loops_selector(number: int) -> str:
    """Takes away what the loop waits with."""
    asyncio.get_running_loop()._selector.close()  # type: ignore[attr-defined]
    await asyncio.sleep(0.01)
    return str(number)


# Wrong values


@agent()
def returns_nothing(number: int) -> None:
    """Returns None."""


@agent()
def returns_bytes(number: int) -> bytes:
    """Returns the right answer in the wrong type."""
    return b"\xff\x00" + str(number).encode()


@agent("agent", "passed", "wrong")
def returns_a_generator(number: int) -> Iterator[str]:
    """Returns a generator that raises SystemExit when it is read."""
    return (sys.exit(0) for _ in range(3))


@agent("wrong")
def returns_twenty_megabytes(number: int) -> str:
    """Returns a very long text."""
    return "x y " * 5_000_000


class _Text(str):
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise SystemExit(0)

    def __hash__(self) -> int:
        raise SystemExit(0)

    def __len__(self) -> int:
        raise KeyboardInterrupt

    def strip(self, *_: object) -> str:
        raise GeneratorExit

    def encode(self, *_: object, **__: object) -> bytes:
        raise SystemExit(0)

    def casefold(self) -> str:
        raise SystemExit(0)

    lower = casefold


@agent("passed", "agent")
def returns_a_text_whose_methods_raise(number: int) -> str:
    """Returns a str of its own kind that cannot be compared, measured or encoded."""
    return _Text(number)


@agent("agent", "wrong", "passed")
def returns_a_dict_with_odd_keys(number: int) -> dict[object, object]:
    """Returns a dict with keys and values that no JSON has."""
    return {
        "text": str(number),
        1: 2,
        None: object(),
        ("a",): {1, 2},
        "tool_calls": {"name": 3},
        "usage": {"cost": float("nan"), "input_tokens": -(10**40)},
    }


@agent("agent", "wrong")
def returns_half_a_character(number: int) -> str:
    """Returns lone surrogates and NULs, which not every database can hold."""
    return f"{number}\ud800\x00\udfff\x1b[31m"


@agent("agent", "wrong", "passed")
def returns_deep_tool_calls(number: int) -> dict[str, object]:
    """Returns a tool call whose arguments are nested ten thousand deep."""
    deep: object = 1
    for _ in range(10_000):
        deep = {"a": [deep]}
    return {"text": str(number), "tool_calls": [{"name": "t", "arguments": {"deep": deep}, "result": deep}]}


@agent("agent", "wrong", "passed")
def returns_a_reply_that_lies(number: int) -> Reply:
    """Returns a Reply whose fields are not what they say."""
    lies: dict[str, Any] = {"text": number, "usage": Usage(input_tokens="many"), "tool_calls": (7, ToolCall(name=None))}  # type: ignore[arg-type]
    return Reply(**lies)


# Reviewers


@reviewer(guilty=(3, 5))
async def reviewer_that_cancels_its_task(number: int) -> bool:
    """Cancels the task that it is called in."""
    _me().cancel()
    await asyncio.sleep(0.01)
    return True


@reviewer(harms=3)
async def reviewer_that_cancels_every_task(number: int) -> bool:
    """Cancels all tasks of the loop."""
    for task in asyncio.all_tasks():
        task.cancel()
    await asyncio.sleep(0.01)
    return True


@reviewer(guilty=(2, 5))
async def reviewer_that_exits(number: int) -> bool:
    """Raises SystemExit(0)."""
    raise SystemExit(0)


@reviewer()
async def reviewer_that_raises_generator_exit(number: int) -> bool:
    """Raises GeneratorExit."""
    raise GeneratorExit


@reviewer()
async def reviewer_that_waits_for_a_thread(number: int) -> bool:
    """Does not answer in time, and leaves its thread behind."""
    await asyncio.to_thread(time.sleep, MINUTE)
    return True


@reviewer("environment", "unscored", "passed")
async def reviewer_that_blocks_the_loop(number: int) -> bool:
    """Sleeps on the loop for nearly twice the limit."""
    time.sleep(LATE)
    return True


@reviewer(guilty=(3, 5))
def reviewer_that_gives_no_number(number: int) -> float:
    """Gives a mark that is none."""
    return float("nan")


@reviewer(guilty=(8,), ends="incomplete", report="maybe")
def reviewer_that_ends_the_process(number: int) -> bool:
    """Ends the process with the code of success, in the midst of its work."""
    time.sleep(0.3)
    os._exit(0)


@reviewer("passed")
def reviewer_that_leaves_a_thread_and_an_atexit(number: int) -> bool:
    """Judges well, and leaves behind what hangs at the end."""
    threading.Thread(target=time.sleep, args=(MINUTE,)).start()
    atexit.register(time.sleep, MINUTE)
    return True


# Examiners


@examiner()
async def examiner_that_cancels_its_task(number: int) -> str:
    """Cancels the task that it is called in."""
    _me().cancel()
    await asyncio.sleep(0.01)
    return f"Please say {number}."


@examiner()
async def examiner_that_raises_a_base_exception(number: int) -> str:
    """Raises what derives from BaseException alone."""
    raise _Unlike(number)


@examiner()
def examiner_that_hangs(number: int) -> str:
    """Never asks, in a thread that cannot be stopped."""
    time.sleep(MINUTE)
    return f"Please say {number}."


@examiner()
def examiner_that_asks_nothing(number: int) -> None:
    """Returns None for a question."""
