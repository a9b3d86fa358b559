"""The command line: `chaincover`, or `python -m chaincover`.

It calls itself again by the path of this file: neither the folder that it is called in nor another
installed version makes a difference then.
"""

from __future__ import annotations

import sys
from pathlib import Path

if not __package__:
    # This file was called by its path: the package is the one around it. Python has put the folder
    # of the package where modules are sought first, and none is to be found there.
    _here = Path(__file__).absolute().parent
    sys.path[:] = [entry for entry in sys.path if entry != str(_here)]
    from importlib.util import module_from_spec, spec_from_file_location

    _spec = spec_from_file_location("chaincover", _here / "__init__.py")
    assert _spec is not None and _spec.loader is not None  # there is a loader for source files
    _package = module_from_spec(_spec)
    sys.modules["chaincover"] = _package
    _spec.loader.exec_module(_package)

from chaincover import _native


def main() -> int:
    """Runs the command line on the words of this process and returns the exit code."""
    # An interpreter that keeps to itself is called as one again.
    isolated = ["-I"] if sys.flags.isolated else []
    again = [*isolated, str(Path(__file__).absolute())]
    return _native.main(sys.argv[1:], sys.executable, again, str(Path(_native.__file__).absolute()))


if __name__ == "__main__":
    sys.exit(main())
