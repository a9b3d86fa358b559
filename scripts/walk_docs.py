#!/usr/bin/env python3
"""Runs the commands that README and docs show, and compares what they print with what stands there.

    scripts/walk_docs.py [--program target/release/chaincover] [--limit 300] [README.md docs/tutorial.md ...]

Each document is walked from its top in a copy of the files that git knows, so that later commands find what earlier ones wrote. Shown are

    $ chaincover chain MODEL          in a block without a language, with what it prints below it;
    chaincover chain MODEL            in a block `sh`. Comments on lines of their own, and the block without a language that comes next, are its output.

Lines have to be printed in their order; `...` stands for anything, white space is not compared. Commands about something of the
reader's (words in capitals such as MODEL, the folder `.`, files that are not there) are not run, nor are those that do not begin with `chaincover` or
`cargo run --release --`. What differs is listed; exit code 1. On a busy machine, searches that time limits end find less than is shown.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

#: Words that stand for something of the reader's.
OPEN = re.compile(r"\b(MODEL|DIR|FILE|CASE|COMMAND|GOAL|REQ|SPEC|REQUIREMENT|NAME|LOG|OLD|SYSTEM|TEST|CHAIN|PATH|N|K)\b(?!=)")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def shown(text: str) -> Iterator[tuple[str, list[str]]]:
    """Commands of a document with the lines that they are to print."""
    blocks = [(match[1], match[2].splitlines()) for match in BLOCK.finditer(text)]
    for index, (language, lines) in enumerate(blocks):
        found: list[tuple[str, list[str]]] = []
        for line in lines:
            if language == "" and line.startswith("$ "):
                found.append((line[2:], []))
            elif language == "sh" and line.startswith("# ") and found:
                found[-1][1].append(line[2:])
            elif language == "sh" and line.strip():
                found.append((re.sub(r"\s+# .*", "", line), []))
            elif found and language == "":
                found[-1][1].append(line)
        following = blocks[index + 1] if index + 1 < len(blocks) else ("sh", [])
        if language == "sh" and found and following[0] == "" and not any(line.startswith("$ ") for line in following[1]):
            found[-1][1].extend(following[1])
        yield from found


def pattern(line: str) -> re.Pattern[str]:
    parts = [re.escape(part) for part in " ".join(line.split()).split("...")]
    return re.compile(".*".join(parts))


def missing(expected: list[str], printed: str) -> list[str]:
    """The expected lines that are not printed behind those before them."""
    lines = [" ".join(line.split()) for line in printed.splitlines()]
    at, absent = 0, []
    for line in expected:
        if not line.strip() or line.strip() == "...":
            continue
        wanted = pattern(line)
        place = next((index for index in range(at, len(lines)) if wanted.fullmatch(lines[index])), None)
        if place is None:
            absent.append(line)
        else:
            at = place + 1
    return absent


def is_open(command: str, folder: pathlib.Path) -> bool:
    """Whether a command is about something of the reader's: a word in capitals, this folder, or a file that is not there."""
    words = shlex.split(command, comments=True)
    given = [word for before, word in zip(words, words[1:]) if before != "-o" and not word.startswith("-") and " " not in word]
    files = [word for word in given if re.search(r"\.[a-z]\w*$|/$", word)]
    return bool(OPEN.search(command)) or "." in words or any(not (folder / word).exists() for word in files)


def walk(document: str, folder: pathlib.Path, options: argparse.Namespace) -> int:
    """Runs the commands of a document; how many print something else."""
    wrong = 0
    for command, expected in shown(pathlib.Path(document).read_text(encoding="utf-8")):
        own = re.sub(r"^cargo run --release -- ", "chaincover ", command)
        if not own.startswith("chaincover ") or is_open(own, folder):
            continue
        path = f"{options.program.parent}{os.pathsep}{os.environ['PATH']}"
        start = time.monotonic()
        try:
            done = subprocess.run(own, shell=True, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True,
                                  timeout=options.limit, check=False)
            printed, code = done.stdout + done.stderr, str(done.returncode)
        except subprocess.TimeoutExpired:
            printed, code = "", "none in time"
        absent = missing(expected, printed)
        state = "differs" if absent or code in ("2", "6", "none in time") else "as shown" if expected else "runs"
        print(f"{document}: {state}, exit code {code}, {time.monotonic() - start:.1f} s: {command}", flush=True)
        if state == "differs":
            wrong += 1
            print("".join(f"    not printed: {line}\n" for line in absent) + "".join(f"    printed:     {line}\n" for line in printed.splitlines()), end="")
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, default=pathlib.Path("target/release/chaincover"))
    parser.add_argument("--limit", type=float, default=300, help="seconds for a command")
    parser.add_argument("documents", nargs="*")
    options = parser.parse_args()
    options.program = options.program.resolve()
    known = subprocess.run(["git", "ls-files", "*.md"], capture_output=True, text=True, check=True).stdout.split()
    documents = options.documents or [name for name in known if re.fullmatch(r"README\.md|docs/[^/]*\.md", name)]
    wrong = 0
    for document in documents:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(f"git ls-files -z | xargs -0 cp --parents -t '{folder}'", shell=True, check=True)
            wrong += walk(document, pathlib.Path(folder), options)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
