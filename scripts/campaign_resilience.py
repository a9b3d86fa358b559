#!/usr/bin/env python3
"""A campaign of 48 jobs whose processes are killed at random times: nothing may be lost. Measures workers and overhead, too.

    scripts/campaign_resilience.py [--program target/release/chaincover] [--engine local|dask|slurm] [--kills 20] [--only scheduler] [--seed 1]
    scripts/campaign_resilience.py --measure [--rounds 3]

Twelve small models in four variants are searched without a disturbance first. Then the campaign begins with an empty store, and while it runs,
processes are killed (-9) at random times: the command, jobs and searches in turn; with Dask also workers, their nannies and the scheduler, with Slurm
parts of the array (by `scancel --signal=KILL`). Where the command has ended, it is run again. After each run

  * every result that was in the store is still there, byte for byte, and the next run knows all of them;
  * no job or search outlives the command that started it (built-in engine).

Where all jobs are done before the last kill, the store is emptied and the campaign begins again. At the end of each such round the table is that of
the undisturbed run, a second run searches nothing within a second, no remains of killed jobs are left, and a change in a header makes exactly the
jobs of the models run that include it. Anything else ends the script with a message and exit code 1.

Dask: the interpreter that runs this script needs `distributed` and the package `chaincover`. Scheduler and two workers are processes of their own.
Slurm: `sbatch`, `squeue` and `scancel` have to work; models and store lie below `--folder`, which all nodes see.

--measure prints how much faster two workers are than one on four jobs of some seconds each, round by round, and what a job costs beside its search:
known (jobs of a full store), and new (the campaign beside calls of `chain` alone). Other work on the machine shows in it: run it on an idle one.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Callable, Optional

MODELS, VARIANTS = 12, 4
JOBS = MODELS * VARIANTS
#: The first so many models include the header that is changed at the end.
SHARING = 3
#: Seconds in which anything must have happened.
PATIENCE = 1200.0
#: Exit codes of a campaign whose jobs all have a result, of one whose jobs wait, and of one with a job that was killed three times.
DONE, WAITING, CRASHED = (0, 10, 20), (5,), (6,)
#: Columns of the table that differ from run to run.
CHANGING = ("known", "seconds", "peak_kib", "result", "model")

#: Two counters, one of which runs while the other rests; a goal, a dead goal in one variant and a violated requirement in another.
MODEL = """#include "{header}"
int n, m;
void step(int up, int down) {{
    if (up && n < LIMIT + {size}) n++; else if (down && n > {size}) m += m < LIMIT;
    __CPROVER_cover(m == LIMIT + GOAL);
#ifdef WRONG
    __CPROVER_assert(m < LIMIT, "below");
#endif
}}
"""
CAMPAIGN = """models = ["models/*.c"]
[matrix]
define = [["GOAL=0"], ["GOAL=1"], ["GOAL=0", "WRONG"], ["GOAL=0", "LONG"]]
[limits]
timeout = "120s"
"""

#: A product of two counters, the second of which is slow: the greater, the longer takes the search.
HARD = """unsigned a, b;
void step(unsigned char x) {{
    a = (a * 5u + x % 4) % 2001u;
    b = (b + (a > 1000u) + x % 2) % {size}u;
    __CPROVER_cover(a == 2000u && b == {size}u - 1);
}}
"""


def check(holds: bool, message: str) -> None:
    """Ends the script where something does not hold."""
    if not holds:
        sys.exit(f"FAILED: {message}")


def until(holds: Callable[[], bool], what: str) -> None:
    """Waits until something holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        check(time.monotonic() < end, f"{what} was waited for in vain")
        time.sleep(0.02)


class Place:
    """A campaign with its models in a folder, and the processes that belong to it."""

    def __init__(self, folder: pathlib.Path, program: pathlib.Path, engine: list[str], dask: Optional[Dask]) -> None:
        self.folder, self.program, self.engine, self.dask = folder, program, engine, dask
        for number in range(MODELS):
            header = "shared.h" if number < SHARING else "own.h"
            self.write(f"models/m{number:02}.c", MODEL.format(header=header, size=number))
        for name in ("shared.h", "own.h"):
            self.write(f"models/{name}", "#ifdef LONG\n#define LIMIT 9\n#else\n#define LIMIT 5\n#endif\n")
        self.write("campaign.toml", CAMPAIGN)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def command(self, *words: str, engine: Optional[list[str]] = None) -> list[str]:
        own = self.engine if engine is None else engine
        return [str(self.program), "campaign", "run", "campaign.toml", "-j", "2", *own, *words]

    def start(self) -> subprocess.Popen[str]:
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(self.command(), cwd=self.folder, text=True, **pipes)  # type: ignore[call-overload, no-any-return]

    def run(self, *words: str, engine: Optional[list[str]] = None) -> tuple[int, str, float]:
        """Exit code, what was printed, seconds."""
        start = time.monotonic()
        done = subprocess.run(self.command(*words, engine=engine), cwd=self.folder, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr, time.monotonic() - start

    def finish(self, known: int) -> None:
        """Runs the campaign until no job waits; the first run has to know as many jobs as had a result."""
        for attempt in range(10):
            if self.dask:
                self.dask.mend()
            code, told, _ = self.run("--retry", "crashed")
            told_known = int(re.search(r"(\d+) known", told)[1])  # type: ignore[index]
            check(attempt > 0 or told_known >= known, f"{known} results were there, and {told_known} jobs are known:\n{told}")
            # A violated requirement outranks jobs that wait: only the summary tells of them then.
            if " waiting" not in told and " crashed" not in told:
                check(code in DONE, f"exit code {code}:\n{told}")
                return
        sys.exit(f"FAILED: jobs wait after ten runs:\n{told}")

    def table(self, output: str = "out") -> list[dict[str, str]]:
        with open(self.folder / output / "results.csv", newline="", encoding="utf-8") as file:
            return [{key: cell for key, cell in row.items() if key not in CHANGING} for row in csv.DictReader(file)]

    def compare(self, expected: list[dict[str, str]], what: str) -> None:
        """Ends the script where the table is another one."""
        pairs = [(row, other) for row, other in zip(self.table(), expected) if row != other]
        told = [f"{row}\n  and {other}" for row, other in pairs]
        check(len(self.table()) == len(expected) and not told, "the table is not that of " + what + ":\n" + "\n".join(told))

    def results(self) -> dict[str, str]:
        """Digests of the whole results of the store, by folder."""
        found = {}
        for record in (self.folder / ".chaincover-store/results").glob("*/*/*/job.json"):
            digest = hashlib.sha256()
            for path in sorted(record.parent.iterdir()):
                digest.update(path.name.encode() + path.read_bytes() if path.is_file() else b"")
            found[str(record.parent)] = digest.hexdigest()
        return found

    def processes(self, command: str) -> list[int]:
        """Jobs or searches of this store."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0") if entry.name.isdigit() else []
            except OSError:  # it has ended
                continue
            if words[1:2] == [command] and any(str(self.folder) in word for word in words):
                found.append(int(entry.name))
        return found


def kill(number: int) -> bool:
    """Kills a process; says whether it was still there."""
    try:
        os.kill(number, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def children(number: int) -> list[int]:
    told = subprocess.run(["pgrep", "-P", str(number)], capture_output=True, text=True, check=False).stdout
    return [int(word) for word in told.split()]


class Dask:
    """A scheduler and two workers, each with its nanny."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", str(self.port))
        self.workers = [self.start_worker() for _ in range(2)]

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        with open(self.folder / "dask.log", "ab") as log:
            return subprocess.Popen([sys.executable, "-m", "dask", *words, "--no-dashboard"], cwd=self.folder, stdout=log, stderr=log)

    def start_worker(self) -> subprocess.Popen[bytes]:
        return self.start("worker", self.address, "--nworkers", "1", "--nthreads", "1", "--memory-limit", "0", "--death-timeout", "60")

    def mend(self) -> None:
        """Starts again what was killed."""
        if self.scheduler.poll() is not None:
            self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", str(self.port))
        self.workers = [worker if worker.poll() is None else self.start_worker() for worker in self.workers]

    def victims(self) -> dict[str, list[int]]:
        nannies = [worker.pid for worker in self.workers]
        workers = [child for nanny in nannies for child in children(nanny)]
        return {"scheduler": [self.scheduler.pid], "nanny": nannies, "worker": workers}

    def stop(self) -> None:
        for process in [*self.workers, self.scheduler]:
            process.terminate()
        for process in [*self.workers, self.scheduler]:
            process.wait(timeout=60)


def cancel(rng: random.Random) -> bool:
    """Kills a running part of this user's array in Slurm."""
    told = subprocess.run(["squeue", "--noheader", "--states=RUNNING", "--format=%i", "--me"], capture_output=True, text=True, check=False)
    parts = told.stdout.split()
    return bool(parts) and subprocess.run(["scancel", "--signal=KILL", rng.choice(parts)], check=False).returncode == 0


class Kills:
    """The kills: when, what, and what must hold then."""

    def __init__(self, place: Place, options: argparse.Namespace) -> None:
        self.place, self.engine, self.most, self.dask = place, options.engine, options.kills, place.dask
        self.rng, self.window = random.Random(options.seed), options.window
        kinds = {"local": [], "dask": ["scheduler", "nanny", "worker"], "slurm": ["array"]}[self.engine]
        self.kinds = options.only or ["command", "job", "chain", *kinds]
        self.count = 0
        self.done: dict[str, int] = dict.fromkeys(self.kinds, 0)

    def victim(self, kind: str, command: int) -> bool:
        """Kills a process of this kind, if there is one."""
        if kind == "array":
            return cancel(self.rng)
        others = self.dask.victims() if self.dask else {}
        found = others.get(kind, [command] if kind == "command" else [])
        found = found or self.place.processes(kind)
        return bool(found) and kill(self.rng.choice(found))

    def run(self) -> int:
        """Runs the campaign, and kills at random times until the command has ended; the number of results then."""
        command = self.place.start()
        before: dict[str, str] = {}
        kind = ""
        while command.poll() is None and self.count < self.most:
            # Each kind in turn, so that twenty kills meet all of them.
            kind = self.kinds[self.count % len(self.kinds)]
            end = time.monotonic() + self.rng.uniform(0.0, self.window)
            while command.poll() is None and time.monotonic() < end:
                time.sleep(0.005)
            before |= self.place.results()
            if command.poll() is None and self.victim(kind, command.pid):
                self.count += 1
                self.done[kind] += 1
            if self.dask:
                self.dask.mend()
        out, error = command.communicate(timeout=PATIENCE)
        is_killed = command.returncode == -signal.SIGKILL
        if is_killed and self.engine == "local":
            until(lambda: not self.place.processes("job") + self.place.processes("chain"), "the end of what a killed command had started")
        # A scheduler that was killed before the command had reached it cannot be used, and is told so.
        is_unreached = "scheduler" in self.kinds and "the scheduler cannot be used" in error
        check(is_killed or is_unreached or command.returncode in (*DONE, *WAITING, *CRASHED), f"after kills, exit code {command.returncode}:\n{out}{error}")
        after = self.place.results()
        check(all(after.get(folder) == digest for folder, digest in before.items()), f"{kind} was killed, and a result was lost or changed")
        return len(after)


def whole(place: Place, expected: list[dict[str, str]], known: int) -> float:
    """Finishes the campaign, and checks all that must hold at its end; the seconds of a run that knows everything."""
    place.finish(known)
    place.compare(expected, "the undisturbed run")
    before = place.results()
    code, told, seconds = place.run()
    check(f"{JOBS} jobs: {JOBS} known, 0 to run" in told and code in DONE, f"the second run:\n{told}")
    check(place.results() == before, "the second run changed results")
    check(seconds < 1.0, f"the second run took {seconds:.2f} s")
    left = list((place.folder / ".chaincover-store/aside").iterdir())
    check(not left or bool(place.processes("job")), f"remains of killed jobs: {left}")
    header = place.folder / "models/shared.h"
    text = header.read_text()
    header.write_text(text.replace("5", "6"))
    _, told, _ = place.run()
    check(f"{JOBS - SHARING * VARIANTS} known, {SHARING * VARIANTS} to run" in told, f"after a change in a header:\n{told}")
    header.write_text(text)
    _, told, _ = place.run()
    check(f"{JOBS} known, 0 to run" in told, f"after the change was taken back:\n{told}")
    place.compare(expected, "the undisturbed run, after the change was taken back")
    return seconds


def resilience(options: argparse.Namespace, folder: pathlib.Path) -> None:
    dask = Dask(folder) if options.engine == "dask" else None
    engine = [] if options.engine == "local" else ["--engine", options.engine]
    engine += ["--scheduler", dask.address] if dask else []
    try:
        place = Place(folder, options.program, engine, dask)
        code, told, seconds = place.run("--store", "undisturbed", "-o", "undisturbed-out", engine=[])
        check(code in DONE and f"{JOBS} jobs: 0 known, {JOBS} to run" in told, f"the undisturbed run, exit code {code}:\n{told}")
        print(f"undisturbed: {told.splitlines()[0]}   {seconds:.1f} s", flush=True)
        expected = place.table("undisturbed-out")
        kills, known, rounds, second = Kills(place, options), 0, 0, []
        while kills.count < options.kills:
            known = kills.run()
            if known == JOBS or kills.count == options.kills:
                second.append(whole(place, expected, known))
                rounds += 1
                shutil.rmtree(place.folder / ".chaincover-store")
        done = ", ".join(f"{count} {kind}" for kind, count in kills.done.items())
        print(f"{kills.count} kills ({done}) in {rounds} rounds: nothing lost, same table; second run {max(second):.2f} s at most", flush=True)
    finally:
        if dask:
            dask.stop()


def campaign(program: pathlib.Path, folder: pathlib.Path, workers: int, name: str = "campaign.toml") -> float:
    """Seconds of a run of a campaign."""
    start = time.monotonic()
    done = subprocess.run([program, "campaign", "run", name, "-j", str(workers)], cwd=folder, capture_output=True, text=True, check=False)
    check(done.returncode in DONE, f"exit code {done.returncode}:\n{done.stdout}{done.stderr}")
    return time.monotonic() - start


def measure(options: argparse.Namespace, folder: pathlib.Path) -> None:
    hard = folder / "hard"
    (hard / "models").mkdir(parents=True)
    for number in range(4):
        (hard / f"models/h{number}.c").write_text(HARD.format(size=options.size + number))
    (hard / "campaign.toml").write_text('models = ["models/*.c"]\n[limits]\ntimeout = "120s"\n')
    for _ in range(options.rounds):
        seconds = []
        for workers in (1, 2):
            seconds.append(campaign(options.program, hard, workers))
            shutil.rmtree(hard / ".chaincover-store")
        print(f"four hard jobs: one worker {seconds[0]:.1f} s, two {seconds[1]:.1f} s, ratio {seconds[0] / seconds[1]:.2f}", flush=True)

    tiny = folder / "tiny"
    (tiny / "models").mkdir(parents=True)
    count = 100
    for number in range(count):
        (tiny / f"models/t{number:03}.c").write_text(f"int n;\nvoid step(int x) {{ n = x; __CPROVER_cover(n == {number}); }}\n")
    (tiny / "campaign.toml").write_text('models = ["models/*.c"]\n[limits]\ntimeout = "60s"\n')
    alone = []
    for number in range(20):
        start = time.monotonic()
        words = [options.program, "chain", "--timeout=60s", "--jobs=2", "-q", "-o", f"alone/{number}", "--format=csv,html", f"models/t{number:03}.c"]
        subprocess.run(words, cwd=tiny, capture_output=True, check=True)
        alone.append(time.monotonic() - start)
    new = campaign(options.program, tiny, 1) / count
    known = min(campaign(options.program, tiny, 1) for _ in range(3)) / count
    search = statistics.fmean(alone)
    print(f"tiny jobs: {1000 * new:.0f} ms each, {1000 * search:.0f} ms of them `chain` alone; known {1000 * known:.1f} ms each", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, default=pathlib.Path("target/release/chaincover"))
    parser.add_argument("--engine", choices=["local", "dask", "slurm"], default="local")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--window", type=float, default=3.0, help="seconds from the start or the last kill within which the next one comes")
    parser.add_argument("--only", action="append", metavar="KIND", help="kill this kind only: command, job, chain, scheduler, nanny, worker, array")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=pathlib.Path, help="where temporary folders are made")
    parser.add_argument("--measure", action="store_true", help="workers and overhead instead")
    parser.add_argument("--rounds", type=int, default=3, help="of measurements of workers")
    parser.add_argument("--size", type=int, default=700, help="of the hard models")
    options = parser.parse_args()
    # Ended from outside, it ends what it has started, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    options.program = options.program.resolve()
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="campaign-") as folder:
        path = pathlib.Path(folder).resolve()
        measure(options, path) if options.measure else resilience(options, path)


if __name__ == "__main__":
    main()
