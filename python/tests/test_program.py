"""The command line of the package, where it calls itself again: jobs, workers, limited memory."""

from __future__ import annotations

import os
import resource
import subprocess
import unittest
import venv
from pathlib import Path

import chaincover
from models import Models

MODEL = "int on; void step(int press) { if (press) on = !on; __CPROVER_cover(on); }\n"

CAMPAIGN = 'models = ["lamp.c"]\n[limits]\ntimeout = "60s"\n'

#: What `pip` installs as `chaincover`.
SCRIPT = "import sys\nfrom chaincover.__main__ import main\nsys.exit(main())\n"

#: Performs an array of one job at once.
SBATCH = """#!/bin/sh
for script; do :; done
SLURM_ARRAY_TASK_ID=1 sh "$script" > {folder}/said 2>&1
echo 7
"""

#: The words of the command line.
RUN = ["campaign", "run", "campaign.toml"]

#: Address space in bytes that is a limit, but enough.
SPACE = 8 << 30


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE))


class Program(Models):
    def setUp(self) -> None:
        """Makes a virtual environment that holds the package, beside a model."""
        super().setUp()
        venv.EnvBuilder(symlinks=True, with_pip=False).create(self.folder / "env")
        packages = next((self.folder / "env/lib").glob("python*/site-packages"))
        (packages / "chaincover").symlink_to(Path(chaincover.__file__).parent)
        self.python = str(self.folder / "env/bin/python")
        self.script = str(self.write("env/bin/chaincover", SCRIPT))
        self.write("lamp.c", MODEL)
        self.write("campaign.toml", CAMPAIGN)

    def call(self, *words: str, limited: bool = False) -> tuple[int, str, str]:
        """Calls the interpreter of the environment; its exit code and what it said."""
        left_out = ("PYTHONPATH", "CHAINCOVER_HAS_PARENT", "CHAINCOVER_PARENT")
        environment = {name: text for name, text in os.environ.items() if name not in left_out}
        environment["PATH"] = f"{self.folder / 'bin'}:{environment.get('PATH', '')}"
        done = subprocess.run(
            [self.python, *words],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            preexec_fn=limit if limited else None,
        )
        return done.returncode, done.stdout, done.stderr

    def test_a_campaign_performs_its_jobs(self) -> None:
        code, out, told = self.call("-m", "chaincover", *RUN)
        self.assertEqual(code, 0, out + told)
        self.assertIn("1 jobs: 0 known, 1 to run ... 1 covered", out)
        # The key names the code of the package: the installed program knows the result.
        code, out, told = self.call(self.script, *RUN)
        self.assertIn("1 jobs: 1 known, 0 to run ... 1 covered", out, told)

    def test_modules_beside_the_model_are_not_loaded(self) -> None:
        self.write("json.py", "raise SystemExit('this is no module of Python')\n")
        code, out, told = self.call(self.script, *RUN)
        self.assertEqual(code, 0, out + told)
        self.assertIn("1 covered", out)

    def test_a_campaign_performs_its_jobs_where_memory_is_limited(self) -> None:
        for entry in (["-m", "chaincover"], [self.script]):
            with self.subTest(entry=entry):
                store = f"store-{len(entry)}"
                code, out, told = self.call(*entry, *RUN, "--store", store, limited=True)
                self.assertEqual(code, 0, out + told)
                self.assertIn("1 jobs: 0 known, 1 to run ... 1 covered", out)

    def test_the_script_for_slurm_calls_the_interpreter(self) -> None:
        (self.folder / "bin").mkdir()
        self.write("bin/sbatch", SBATCH.format(folder=self.folder)).chmod(0o755)
        code, out, told = self.call(self.script, *RUN, "--engine", "slurm")
        script = (self.folder / "out/jobs.sbatch").read_text(encoding="utf-8")
        self.assertIn(f"exec '{self.python}' '", script)
        said = (self.folder / "said").read_text(encoding="utf-8")
        self.assertEqual(code, 0, out + told + said)
        self.assertIn("1 covered", out)


if __name__ == "__main__":
    unittest.main()
