"""Progress, interruption, threads, the command line."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import chaincover as cc
from models import Models


class Watching(Models):
    def test_a_callback_sees_the_search(self) -> None:
        seen: list[cc.Progress] = []
        cc.read(self.hard()).find_chains(timeout=0.5, progress=seen.append)
        self.assertGreater(len(seen), 2)
        self.assertEqual((seen[0].stage, seen[0].best), ("", None))
        self.assertNotEqual(seen[-1].stage, "")

    def test_a_callback_ends_the_search(self) -> None:
        began = time.monotonic()
        with self.assertRaises(cc.StoppedError) as caught:
            cc.read(self.hard()).find_chains(timeout=60, progress=lambda seen: False)
        self.assertLess(time.monotonic() - began, 30)
        assert caught.exception.result is not None
        self.assertEqual(caught.exception.result.stopped, "interrupted")

    def test_what_a_callback_raises_passes_through(self) -> None:
        class Own(Exception):
            pass

        def fail(seen: cc.Progress) -> None:
            raise Own(seen.depth)

        with self.assertRaises(Own):
            cc.read(self.hard()).find_chains(timeout=60, progress=fail)
        with self.assertRaises(Own):
            cc.read(self.lamp()).explain("p_third", progress=fail)

    def test_other_answers_go_on(self) -> None:
        for answer in (None, True, 0, ""):

            def say(seen: cc.Progress, answer: object = answer) -> object:
                return answer

            result = cc.read(self.lamp()).find_chains(timeout=60, progress=say)
            self.assertEqual(result.length, 3)

    def test_ctrl_c_has_the_best_so_far(self) -> None:
        # Jobs in the background of a shell are started with Ctrl-C ignored, and Python keeps that.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        model = cc.read(self.hard())
        found = threading.Event()

        def interrupt() -> None:
            found.wait(60)
            os.kill(os.getpid(), signal.SIGINT)

        def look(seen: cc.Progress) -> None:
            if seen.best is not None:
                found.set()

        thread = threading.Thread(target=interrupt)
        thread.start()
        with self.assertRaises(KeyboardInterrupt) as caught:
            model.find_chains(timeout=60, progress=look)
        thread.join()
        assert isinstance(caught.exception, cc.Interrupted)
        result = caught.exception.result
        self.assertEqual((result.stopped, result.goal("p_first").status), ("interrupted", "covered"))
        # Nothing of it stays behind.
        self.assertEqual(cc.read(self.lamp()).find_chains(timeout=60).length, 3)

    def test_handlers_stay_those_of_python(self) -> None:
        before = signal.getsignal(signal.SIGINT)
        cc.read(self.lamp()).find_chains(timeout=60)
        self.assertIs(signal.getsignal(signal.SIGINT), before)

    def test_other_threads_go_on(self) -> None:
        model, ticks, done = cc.read(self.hard()), 0, threading.Event()

        def search() -> None:
            model.find_chains(timeout=0.6)
            done.set()

        thread = threading.Thread(target=search)
        thread.start()
        while not done.wait(0.01):
            ticks += 1
        thread.join()
        self.assertGreater(ticks, 5)

    def test_several_threads_search_one_model(self) -> None:
        model = cc.read(self.lamp())
        lengths: list[int] = []
        threads = [threading.Thread(target=lambda: lengths.append(model.find_chains().length)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(lengths, [3, 3, 3])


class CommandLine(Models):
    def run_program(self, *words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "chaincover", *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)

    def test_the_program(self) -> None:
        path = self.lamp()
        done = self.run_program("chain", str(path), "-o", str(self.folder / "out"), "--format", "html,csv")
        self.assertEqual(done.returncode, 10, done.stderr)
        self.assertIn("2 of 3 goals covered", done.stdout)
        # The report tells the command line of the user, without that of Python.
        report = (self.folder / "out" / "report.html").read_text(encoding="utf-8")
        self.assertIn(f"chaincover chain {path}", report)

    def test_its_exit_codes(self) -> None:
        for words, code in [(("--version",), 0), (("chain",), 2), (("chain", "missing.c"), 2)]:
            self.assertEqual(self.run_program(*words).returncode, code, words)

    @unittest.skipUnless(sys.platform == "linux", "limits of the address space")
    def test_a_limited_address_space(self) -> None:
        command = ["sh", "-c", 'ulimit -v 4000000; exec "$@"', "sh", sys.executable, "-m", "chaincover"]
        command += ["chain", str(self.lamp())]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 10, done.stderr)

    def test_ctrl_c(self) -> None:
        command = [sys.executable, "-m", "chaincover", "chain", str(self.hard()), "--log-format", "json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            assert isinstance(child.stderr, io.TextIOBase)
            # The search is at work once it tells of a stage.
            while '"stage"' not in child.stderr.readline():
                self.assertIsNone(child.poll())
            child.send_signal(signal.SIGINT)
            child.communicate(timeout=60)
        self.assertEqual(child.returncode, 130)


if __name__ == "__main__":
    unittest.main()
