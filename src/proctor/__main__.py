"""The program `proctor`."""

from __future__ import annotations

import os
import sys

from proctor.cli import main as run_command


def main() -> int:
    """Run one command. What agents still print while the program ends does not belong to its output."""
    code = run_command()
    if sys.stdout is not None:
        sys.stdout.flush()
        os.dup2(2, 1)
    return code


if __name__ == "__main__":
    sys.exit(main())
