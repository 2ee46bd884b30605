"""The program `proctor`."""

from __future__ import annotations

import sys

from proctor.cli import main

if __name__ == "__main__":
    sys.exit(main())
