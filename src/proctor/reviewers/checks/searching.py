"""The program in which patterns are searched: it answers line by line, and ends itself when a search takes too long.

Python's own engine can take longer than the universe lasts for `(a+)+$`, holds the interpreter while it does, and
cannot be told to stop; a process can. Each line read is `[pattern, text, seconds]`, each line written a place
`[start, end]`, `null`, or the reason why the pattern cannot be used.
"""

from __future__ import annotations

import json
import re
import signal
import sys


def search(pattern: str, text: str) -> tuple[int, int] | str | None:
    """Where the pattern first matches, whatever the case; or why it is none."""
    try:
        found = re.search(pattern, text, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError, MemoryError, Warning) as error:
        return f"it is no regular expression ({error})"
    return found.span() if found else None


def main() -> None:
    """Answer until nobody asks any more. The time is that of the processor, so a busy machine changes no answer."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    for line in sys.stdin:
        pattern, text, seconds = json.loads(line)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        answer = json.dumps(search(pattern, text))
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.stdout.write(answer + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
