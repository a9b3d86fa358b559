"""The command line: `chaincover`, or `python -m chaincover`."""

from __future__ import annotations

import sys

from ._native import main as _main


def main() -> int:
    """Runs the command line on the words of this process and returns the exit code."""
    return _main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
