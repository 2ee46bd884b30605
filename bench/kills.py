"""Kill a run a hundred times and count what was paid twice: `make kills`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.workflows.killing import torture

KILLS = 100


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        toll = torture(Path(folder), kills=KILLS, cases=1500, trials=2)
    print(f"kills                     {toll.kills}")
    print(f"attempts planned, stored  {toll.planned}, {toll.stored}")
    a_kill = toll.twice / toll.kills
    print(f"calls to the agent        {toll.paid}: {toll.twice} again, {a_kill:.1f} a kill (4 in flight)")
    print(f"calls to the reviewer     {toll.judged}: {toll.judged - toll.planned} again")
    return 0 if toll.kills == KILLS and toll.stored == toll.planned == toll.passed else 1


if __name__ == "__main__":
    sys.exit(main())
