"""Jobs of a campaign on Dask: the module, with a Dask that performs at once."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import subprocess
import sys
import unittest
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Optional
from unittest import mock

from models import Models

from chaincover.engines import dask

#: Writes down how it was called; the third line kills it.
PROGRAM = """#!/bin/sh
echo "$* $CHAINCOVER_PARENT" >> {log}
case "$*" in *"--line 3 "*) kill -9 $$;; *"--line 4 "*) echo "no such model" >&2; exit 2;; esac
"""


class Future:
    def __init__(self, key: str, result: Any = None, error: Optional[Exception] = None) -> None:
        self.key, self.status, self.kept, self.error = key, "error" if error else "finished", result, error

    def result(self) -> Any:
        return self.kept

    def exception(self) -> Optional[Exception]:
        return self.error


class Client:
    """Performs a task when it is handed in; the fifth line has lost its workers."""

    addresses: list[object] = []
    loop = object()

    def __init__(self, address: object = None, **options: Any) -> None:
        self.addresses.append(address)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def submit(self, function: Any, *arguments: Any, key: str, **options: Any) -> Future:
        if key.endswith("-5"):
            return Future(key, error=RuntimeError("all workers died"))
        return Future(key, function(*arguments))


class Cluster(Client):
    pass


def fake() -> ModuleType:
    module = ModuleType("distributed")

    def as_completed(futures: Any, *, loop: object = None) -> Iterator[Future]:
        if loop is not Client.loop:
            # Dask's own message: clients of the module are no default ones.
            raise ValueError("No clients found")
        yield from futures

    for name, value in (("Client", Client), ("LocalCluster", Cluster), ("as_completed", as_completed)):
        setattr(module, name, value)
    return module


class Dask(Models):
    def run_main(self, *words: str, distributed: Optional[ModuleType]) -> tuple[int, str]:
        told, self.said = io.StringIO(), io.StringIO()
        out = contextlib.redirect_stdout(self.said)
        with out, mock.patch.dict(sys.modules, {"distributed": distributed}), contextlib.redirect_stderr(told):  # type: ignore[dict-item]
            code = dask.main(["jobs.jsonl", *words])
        return code, told.getvalue()

    def words(self, lines: str) -> list[str]:
        program = self.write("program", PROGRAM.format(log=self.folder / "log"))
        program.chmod(0o755)
        return ["--program", str(program), "--store", "S", "--threads", "2", "--lines", lines]

    def test_each_line_is_performed(self) -> None:
        code, told = self.run_main(*self.words("1,2"), "--scheduler", "tcp://head:1", distributed=fake())
        self.assertEqual((code, told), (0, ""))
        self.assertEqual(Client.addresses[-1], "tcp://head:1")
        calls = (self.folder / "log").read_text(encoding="utf-8").splitlines()
        wanted = [f"job --store S --threads 2 --line {n} -- jobs.jsonl {os.getpid()}" for n in (1, 2)]
        self.assertEqual(calls, wanted)

    def test_words_stand_before_those_of_the_job(self) -> None:
        words = [*self.words("1"), "--word=-I", "--word=main.py"]
        code, told = self.run_main(*words, distributed=fake())
        self.assertEqual((code, told), (0, ""))
        call = (self.folder / "log").read_text(encoding="utf-8")
        self.assertTrue(call.startswith("-I main.py job --store S "), call)

    def test_what_is_lost_is_told(self) -> None:
        code, told = self.run_main(*self.words("3,4,5"), distributed=fake())
        self.assertEqual(code, dask.LOST)
        self.assertIn("line 3 of jobs.jsonl: ended by signal 9", told)
        self.assertIn("line 5 of jobs.jsonl: all workers died", told)
        self.assertNotIn("line 4", told)
        self.assertEqual(self.said.getvalue(), "line 4 of jobs.jsonl: exit code 2\nno such model\n")

    @unittest.skipUnless(importlib.util.find_spec("distributed"), "Dask is not installed")
    def test_a_cluster_of_its_own(self) -> None:
        words = [sys.executable, "-m", "chaincover.engines.dask", *self.words("1,2,3"), "jobs.jsonl"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
        calls = (self.folder / "log").read_text(encoding="utf-8").splitlines()
        lines = sorted(call.split(" -- ")[0] for call in calls)
        self.assertEqual(lines, [f"job --store S --threads 2 --line {n}" for n in (1, 2, 3)], done.stderr)
        self.assertEqual(done.returncode, dask.LOST, done.stderr)
        self.assertIn("line 3 of jobs.jsonl: ended by signal 9", done.stderr)

    def test_without_dask_there_is_advice(self) -> None:
        code, told = self.run_main(*self.words("1"), distributed=None)
        self.assertEqual((code, told), (2, "error: Dask is needed for this engine: pip install 'chaincover[dask]'\n"))


if __name__ == "__main__":
    unittest.main()
