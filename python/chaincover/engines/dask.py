"""Jobs of a campaign on Dask distributed.

``chaincover campaign run CAMPAIGN.toml --engine dask`` calls this module as a program::

    python3 -m chaincover.engines.dask --program P --store S --threads T --lines 1,3 jobs.jsonl

Each line is one task: a worker calls ``chaincover job``, which writes its result into the store. The
store is the only thing that counts: what a worker, the scheduler or this process were doing when
they died is done again by the next run, and nothing else.

Without ``--scheduler``, a cluster of processes of this machine is started, and ended at the end.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: What to do where Dask is not there.
ADVICE = "Dask is needed for this engine: pip install 'chaincover[dask]'"

#: Calls of a job that ended by itself leave its result, or the reason for none, in the store.
#: Tasks are begun again where a worker died; a job that kills its workers is left to the user.
RETRIES = 3

#: Exit code where jobs have no answer, or the scheduler was lost: the next run performs them.
LOST = 5


def call(program: list[str], store: str, threads: int, line: int, jobs: str) -> tuple[int, str]:
    """Performs a job on a worker; its exit code, and what it said of an error.

    The job ends with its worker: the program is told who started it.
    """
    words = [*program, "job", "--store", store, "--threads", str(threads), "--line", str(line), "--", jobs]
    environment = {**os.environ, "CHAINCOVER_PARENT": str(os.getpid())}
    done = subprocess.run(
        words, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
    )
    return done.returncode, done.stderr.decode(errors="replace")


def perform(client: Any, arguments: argparse.Namespace) -> list[str]:
    """Performs all jobs; says of which there is no answer since their workers died.

    What the others wrote of errors goes to standard output.
    """
    from distributed import as_completed  # noqa: PLC0415 (an optional package)

    lines = [int(line) for line in arguments.lines.split(",") if line]
    futures = {
        client.submit(
            call,
            [str(arguments.program), *arguments.word],
            str(arguments.store),
            arguments.threads,
            line,
            str(arguments.jobs),
            key=f"chaincover-{os.getpid()}-{line}",
            retries=RETRIES,
            pure=False,
        ): line
        for line in lines
    }
    lost: list[str] = []
    # The client is no default one, from which the loop would be taken otherwise.
    for future in as_completed(futures, loop=client.loop):
        place = f"line {futures[future]} of {arguments.jobs}"
        if future.status != "finished":
            lost.append(f"{place}: {future.exception()}")
            continue
        code, message = future.result()
        if code < 0:
            lost.append(f"{place}: ended by signal {-code}")
        elif message:
            print(f"{place}: exit code {code}\n{message.rstrip()}", flush=True)
    return lost


@contextlib.contextmanager
def connected(arguments: argparse.Namespace) -> Iterator[Any]:
    """A client of the scheduler, or of workers of this machine that end with it."""
    from distributed import Client, LocalCluster  # noqa: PLC0415

    if arguments.scheduler:
        with Client(arguments.scheduler, timeout="30s", set_as_default=False) as client:
            yield client
        return
    # Work is done by the processes that workers start: a worker needs one thread.
    with LocalCluster(
        n_workers=arguments.workers, threads_per_worker=1, dashboard_address=None, memory_limit=0
    ) as cluster, Client(cluster, set_as_default=False) as client:
        yield client


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="python -m chaincover.engines.dask", description="Jobs of a campaign on Dask.")
    made.add_argument("jobs", type=Path, help="the file with the jobs, on a file system that all workers see")
    made.add_argument("--program", type=Path, required=True, help="the program, likewise")
    made.add_argument("--word", action="append", default=[], help="what stands before the words of its command line")
    made.add_argument("--store", type=Path, required=True, help="the store, likewise")
    made.add_argument("--lines", required=True, help="the lines to perform, from 1, with commas between them")
    made.add_argument("--threads", type=int, default=1, help="threads of each search")
    made.add_argument("--workers", type=int, default=1, help="workers of a cluster on this machine")
    made.add_argument("--scheduler", help="the address of a scheduler (tcp://host:8786)")
    return made


def main(words: list[str] | None = None) -> int:
    """Performs the jobs; 5 where some have no answer, 2 where Dask cannot be used."""
    arguments = parser().parse_args(words)
    try:
        import distributed  # noqa: F401, PLC0415
    except ImportError:
        print(f"error: {ADVICE}", file=sys.stderr)
        return 2
    is_connected = False
    try:
        with connected(arguments) as client:
            is_connected = True
            lost = perform(client, arguments)
    except Exception as error:  # noqa: BLE001 (Dask documents none)
        if not is_connected:
            print(f"error: the scheduler cannot be used: {error}", file=sys.stderr)
            return 2
        lost = [f"the scheduler was lost: {error}"]
    for one in lost:
        print(f"warning: {one}", file=sys.stderr)
    return LOST if lost else 0


if __name__ == "__main__":
    sys.exit(main())
