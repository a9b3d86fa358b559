#!/usr/bin/env python3
"""Reads exported files with the reference readers of their formats and compares them with chain.json, value by value.

Usage: compare.py FOLDER...    Each folder holds chain.json and its exports. Ends with 0 if everything agrees, 1 if something
differs, and 77 if a reader is not installed (requirements.txt lists them), which is no verdict.
"""

import csv
import json
import math
import re
import struct
import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

try:
    import asammdf
    import junitparser
    import numpy
    import openpyxl
    import pandas
    import pytest  # noqa: F401, run as a program
    import scipy.io
    import vcdvcd
except ModuleNotFoundError as missing:
    print(f"not run: the reader {missing.name} is not installed", file=sys.stderr)
    sys.exit(77)

UNITS = {"": 1, "s": 1, "sec": 1, "ms": Decimal("1e-3"), "us": Decimal("1e-6"), "ns": Decimal("1e-9"), "m": 60, "min": 60, "h": 3600}


class Signal:
    """A signal of chain.json."""

    def __init__(self, entry):
        self.name, self.bits, self.unit = entry["name"], entry["bits"], entry.get("unit", "")
        self.enumerators, self.type = entry.get("enumerators", {}), entry["type"]
        self.kind = entry["kind"]
        if self.kind == "pointer":
            self.kind = "unsigned"

    def dtype(self):
        """The smallest numpy type with all values."""
        if self.kind == "float":
            return numpy.dtype("float32" if self.bits == 32 else "float64")
        if self.kind == "bool":
            return numpy.dtype("uint8")
        width = next(width for width in (8, 16, 32, 64) if self.bits <= width)
        return numpy.dtype(("uint" if self.kind == "unsigned" else "int") + str(width))

    def value(self, entry):
        """A value of chain.json: an int, or the bits of a float as float of its own type."""
        if self.kind == "float":
            bits = int(entry["bits"], 16)
            packed = struct.pack("<I" if self.bits == 32 else "<Q", bits)
            return numpy.frombuffer(packed, self.dtype())[0]
        return int(entry)

    def read(self, found):
        """What a reader of text or doubles gives, in the signal's own type."""
        if self.kind == "float":
            return self.dtype().type(float(found))
        if isinstance(found, str):
            return int(found)
        if int(found) != found:
            raise ValueError(f"{found} is no integer")
        return int(found)

    def same(self, found, expected):
        if self.kind != "float":
            return int(found) == expected
        if math.isnan(expected):
            return math.isnan(found)
        return self.dtype().type(found).tobytes() == expected.tobytes()


class Recording:
    """chain.json as this script understands it, independently of the program's own reader."""

    def __init__(self, folder):
        self.folder = folder
        self.file = json.loads((folder / "chain.json").read_text())
        self.inputs = [Signal(entry) for entry in self.file["inputs"]]
        self.outputs = [Signal(entry) for entry in self.file["outputs"]]
        self.goals = self.file["goals"]
        self.chains = self.file["chains"]
        text = self.file["model"]["period"]
        self.has_period = text is not None
        self.period = Decimal(1)
        if text:
            number, unit = re.fullmatch(r"\s*([0-9.eE+-]+?)\s*([a-z]*)", text).groups()
            self.period = Decimal(number) * UNITS[unit]

    def time(self, row):
        return self.period * row

    def name(self, chain, ending):
        return f"chain_{chain + 1}{ending}" if len(self.chains) > 1 else f"chain{ending}"

    def columns(self, chain):
        """Each signal with its values along the chain, inputs first."""
        steps = self.chains[chain]["steps"]
        for part, signals in (("inputs", self.inputs), ("outputs", self.outputs)):
            for signal in signals:
                yield part, signal, [signal.value(step[part][signal.name]) for step in steps]

    def covers(self, chain, row):
        return self.chains[chain]["steps"][row]["covers"]


class Comparison:
    """Counts what was compared; collects what differs."""

    def __init__(self):
        self.count, self.wrong = 0, []

    def check(self, holds, text):
        self.count += 1
        if not holds:
            self.wrong.append(text)

    def values(self, where, signal, found, expected):
        self.check(len(found) == len(expected), f"{where} {signal.name}: {len(found)} values, expected {len(expected)}")
        for row, (left, right) in enumerate(zip(found, expected)):
            self.check(signal.same(left, right), f"{where} {signal.name} row {row}: {left!r}, expected {right!r}")

    def times(self, where, recording, found):
        for row, time in enumerate(found):
            self.check(Decimal(repr(float(time))) == recording.time(row) or float(time) == float(recording.time(row)), f"{where} row {row}: time {time}")


def held(values):
    """Inputs with the row that ends the hold of the last step."""
    return values + values[-1:]


def canonical_csv(recording, result):
    table = pandas.read_csv(recording.folder / "chain.csv", dtype=str, keep_default_na=False)
    several = len(recording.chains) > 1
    position = 1 if several else 0
    result.check(table.columns[position] == ("time" if recording.has_period else "step"), "csv: name of the time column")
    for chain in range(len(recording.chains)):
        part = table[table["chain"] == str(chain + 1)] if several else table
        result.times("csv", recording, part.iloc[:, position])
        for index, (_, signal, expected) in enumerate(recording.columns(chain)):
            found = [signal.read(text) for text in part.iloc[:, position + 1 + index]]
            result.check(part.columns[position + 1 + index] == signal.name, f"csv: column of {signal.name}")
            result.values("csv", signal, found, expected)
        for row, text in enumerate(part["covers"]):
            result.check(text == " ".join(recording.covers(chain, row)), f"csv row {row}: covers {text}")


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def veristand_csv(recording, result, chain):
    header, *rows = rows_of(recording.folder / recording.name(chain, "_veristand.csv"))
    result.check(header[0] == "timestamp", "veristand: header")
    for row, cells in enumerate(rows):
        result.check(Decimal(cells[0]) == recording.time(row) * 1000, f"veristand row {row}: {cells[0]}")
    for column, (part, signal, expected) in enumerate(recording.columns(chain), start=1):
        pattern = re.fullmatch(r"#EXP\(\+0;-0;0\)#(.*)", header[column], re.DOTALL)
        name = header[column] if part == "inputs" else pattern and pattern.group(1)
        result.check(name == signal.name, f"veristand: column {header[column]}")
        cells = [cells[column] for cells in rows]
        if part == "outputs":
            result.check(cells.pop() == "", "veristand: the last row expects nothing")
        result.values("veristand", signal, [signal.read(cell) for cell in cells], held(expected) if part == "inputs" else expected)


def canoe_csv(recording, result, chain):
    header, *rows = rows_of(recording.folder / recording.name(chain, "_canoe.csv"))
    result.check(header == ["Time"] + [signal.name for signal in recording.inputs], "canoe: header")
    for row, cells in enumerate(rows):
        result.check("." in cells[0] and Decimal(cells[0]) == recording.time(row), f"canoe row {row}: {cells[0]}")
    columns = [column for column in recording.columns(chain) if column[0] == "inputs"]
    for column, (_, signal, expected) in enumerate(columns, start=1):
        found = []
        for cells in rows:
            found.append(signal.read(cells[column]) if cells[column] else found[-1])
        result.values("canoe", signal, found, held(expected))


def fmi_csv(recording, result, chain):
    """As a reader with zero-order hold between duplicate times sees it: the last row of each time counts."""
    header, *rows = rows_of(recording.folder / recording.name(chain, "_fmi.csv"))
    result.check(header == ["time"] + [signal.name for signal in recording.inputs], "fmi: header")
    last = {Decimal(cells[0]): cells for cells in rows}
    before = None
    for cells in rows:
        if before is not None and Decimal(before[0]) != Decimal(cells[0]):
            result.check(before[1:] == cells[1:], f"fmi: values change between {before[0]} and {cells[0]}")
        before = cells
    columns = [column for column in recording.columns(chain) if column[0] == "inputs"]
    for column, (_, signal, expected) in enumerate(columns, start=1):
        found = [signal.read(last[recording.time(row)][column]) for row in range(len(expected) + 1)]
        result.values("fmi", signal, found, held(expected))


MATLAB = {"uint8": "uint8", "int8": "int8", "float32": "single", "float64": "double"}


def matlab_type(signal):
    name = signal.dtype().name
    return "boolean" if signal.kind == "bool" else MATLAB.get(name, name)


def is_finite(recording):
    columns = (column for chain in range(len(recording.chains)) for column in recording.columns(chain))
    return all(signal.kind != "float" or all(map(math.isfinite, values)) for _, signal, values in columns)


def simulink_table(recording, result, chain, rows, where):
    """The two blocks that begin with a `time` column, from rows of cells."""
    header = rows[0]
    starts = [column for column, name in enumerate(header) if name == "time"]
    parts = [part for part, signals in (("inputs", recording.inputs), ("outputs", recording.outputs)) if signals]
    result.check(len(starts) == len(parts), f"{where}: {len(starts)} time columns")
    columns = {(part, signal.name): (signal, values) for part, signal, values in recording.columns(chain)}
    first = next(row for row in range(1, len(rows)) if rows[row][0] not in ("", None))
    for start, end, part in zip(starts, starts[1:] + [len(header)], parts):
        length = sum(1 for cells in rows[first:] if cells[start] not in ("", None))
        result.times(where, recording, [cells[start] for cells in rows[first : first + length]])
        for column in range(start + 1, end):
            signal, expected = columns[(part, header[column])]
            labels = {cells[column] for cells in rows[1:first] if cells[column]}
            named = signal.enumerators and signal.type.startswith("enum ") and signal.type[5:].isidentifier()
            kind = f"Enum: {signal.type[5:]}" if named else f"Type: {matlab_type(signal)}"
            result.check(kind in labels and "Interp: zoh" in labels, f"{where}: labels {labels}")
            result.check(not signal.unit or f"Unit: {signal.unit}" in labels, f"{where}: unit of {signal.name}")
            found = [signal.read(cells[column]) for cells in rows[first : first + length]]
            if where == "xlsx" and signal.kind == "float":
                expected = [value + signal.dtype().type(0) for value in expected]
            result.values(where, signal, found, held(expected) if part == "inputs" else expected)


def simulink_csv(recording, result, chain):
    path = recording.folder / recording.name(chain, "_simulink.csv")
    if is_finite(recording):
        simulink_table(recording, result, chain, rows_of(path), "csv-simulink")
    else:
        result.check(not path.exists(), "csv-simulink: infinities should be refused")


def xlsx(recording, result, chain):
    """A spreadsheet has no negative zero."""
    book = openpyxl.load_workbook(recording.folder / "chain.xlsx")
    sheet = book[f"chain {chain + 1}"]
    simulink_table(recording, result, chain, [list(cells) for cells in sheet.iter_rows(values_only=True)], "xlsx")
    rows = [list(cells) for cells in sheet.iter_rows(values_only=True)]
    for column, name in enumerate(rows[0]):
        for signal in recording.inputs + recording.outputs:
            if signal.name == name and signal.kind == "bool":
                result.check(isinstance(rows[-2][column], bool), f"xlsx: {name} should hold truths")


def mat(recording, result, chain):
    data = scipy.io.loadmat(recording.folder / recording.name(chain, ".mat"), struct_as_record=False, uint16_codec="utf-16-le")
    regular = scipy.io.loadmat(recording.folder / recording.name(chain, "_regular.mat"))
    result.check(data["StepSize"].item() == float(recording.period), "mat: StepSize")
    names = [name for name in regular if not name.startswith("__")]
    result.check(len(names) == 1 + len(recording.inputs) + len(recording.outputs), f"mat: {names}")
    groups = {"inputs": data["inputs"][0, 0], "outputs": data["expected"][0, 0]}
    index = {"inputs": 0, "outputs": 0}
    for position, (part, signal, expected) in enumerate(recording.columns(chain)):
        group = groups[part]
        entry = group.signals[0, index[part]]
        index[part] += 1
        result.check(entry.label.item() == signal.name, f"mat: label {entry.label}")
        result.check(("".join(entry.unit) if entry.unit.size else "") == signal.unit, f"mat: unit of {signal.name}")
        for values, rows in ((entry.values, held(expected) if part == "inputs" else expected), (regular[names[1 + position]], expected)):
            result.check(values.dtype == signal.dtype(), f"mat: {signal.name} is {values.dtype}, expected {signal.dtype()}")
            result.values("mat", signal, values[:, 0], rows)
        result.times("mat", recording, group.time[:, 0])
    logicals = {entry[0] for entry in scipy.io.whosmat(recording.folder / recording.name(chain, "_regular.mat")) if entry[2] == "logical"}
    truths = sum(signal.kind == "bool" for signal in recording.inputs + recording.outputs)
    result.check(len(logicals) == truths, f"mat: {logicals} are logical")


def mf4(recording, result, chain):
    with asammdf.MDF(recording.folder / recording.name(chain, ".mf4")) as file:
        result.check(file.version == "4.10", f"mf4: version {file.version}")
        positions = {"inputs": 0, "outputs": 0}
        for part, signal, expected in recording.columns(chain):
            positions[part] += 1
            group = 0 if part == "inputs" else 1
            channel = file.get(group=group, index=positions[part], raw=True)
            result.check(channel.name == signal.name, f"mf4: {channel.name}, expected {signal.name}")
            result.check(channel.unit == signal.unit, f"mf4: unit of {signal.name}")
            result.check(channel.samples.dtype == signal.dtype(), f"mf4: {signal.name} is {channel.samples.dtype}")
            expected = held(expected) if part == "inputs" else expected
            result.values("mf4", signal, channel.samples, expected)
            result.times("mf4", recording, channel.timestamps)
            if signal.enumerators:
                texts = {int(value): name for name, value in reversed(signal.enumerators.items())}
                found = file.get(group=group, index=positions[part]).samples
                for text, value in zip(found, expected):
                    text = text.decode() if isinstance(text, bytes) else str(text)
                    result.check(value not in texts or text == texts[value], f"mf4: {signal.name} reads {text}, expected {texts.get(value)}")
        events = sorted((event.name, event.sync_base * event.sync_factor) for event in file.events)
        covered = [goal for goal in recording.goals if goal["chain"] == chain]
        expected = sorted((goal["name"], goal["at"] * float(recording.period)) for goal in covered)
        result.check(events == expected, f"mf4: events {events}, expected {expected}")


def identifiers(names):
    """How the program makes identifiers of names."""
    taken = []
    for name in names:
        text = re.sub(r"[^A-Za-z0-9_]", "\x00", name)
        text = re.sub(r"(?<=[_\x00])\x00+", "", text).replace("\x00", "_").rstrip("_")
        text = text if re.match(r"[A-Za-z]", text) else "s" + text
        free, count = text, 1
        while free.lower() in (other.lower() for other in taken):
            count += 1
            free = f"{text}_{count}"
        taken.append(free)
    return taken


def vcd(recording, result, chain):
    file = vcdvcd.VCDVCD(str(recording.folder / recording.name(chain, ".vcd")))
    result.check(file.timescale["timescale"] == Decimal("1e-9"), f"vcd: timescale {file.timescale}")
    names = {"inputs": identifiers(signal.name for signal in recording.inputs), "outputs": identifiers(signal.name for signal in recording.outputs)}
    index = {"inputs": 0, "outputs": 0}
    references = {re.sub(r"\[\d+:\d+\]$", "", name): name for name in file.references_to_ids}
    module = identifiers([recording.file["model"]["name"]])[0]

    def at(path, row):
        text = file[references[path]][int(recording.time(row) * 10**9)]
        return text

    for part, signal, expected in recording.columns(chain):
        path = f"{module}.{part}.{names[part][index[part]]}"
        index[part] += 1
        for row, value in enumerate(expected):
            text = at(path, row)
            if signal.kind == "float":
                found = signal.read(str(text).lstrip("r"))
            else:
                found = int(text, 2)
                if signal.kind == "signed" and len(text) == signal.bits and text[0] == "1" and signal.bits > 1:
                    found -= 1 << signal.bits
            result.check(signal.same(found, value), f"vcd {signal.name} row {row}: {text}, expected {value}")
    for goal, name in zip(recording.goals, identifiers(goal["name"] for goal in recording.goals)):
        for row in range(len(recording.chains[chain]["steps"])):
            pulse = at(f"{module}.goals.{name}", row) == "1"
            result.check(pulse == (goal["name"] in recording.covers(chain, row)), f"vcd: goal {goal['name']} at {row}")


def junit(recording, result):
    file = junitparser.JUnitXml.fromfile(str(recording.folder / "junit.xml"))
    cases = {case.name: case for suite in file for case in suite}
    result.check(len(cases) == len(recording.goals), f"junit: {len(cases)} cases")
    result.check(file.tests == len(recording.goals), f"junit: tests={file.tests}")
    for goal in recording.goals:
        case = cases[goal["name"]]
        kinds = [type(entry).__name__ for entry in case.result]
        if goal["status"] != "covered":
            expected = ["Skipped"]
        else:
            expected = ["Failure"] if goal["expectation"] == "violated" else []
        result.check(kinds == expected, f"junit: {goal['name']} is {kinds}, expected {expected}")
        properties = {entry.name: entry.value for entry in case.child(junitparser.Properties) or ()}
        if goal["at"] is not None:
            result.check(properties.get("step") == str(goal["at"]), f"junit: step of {goal['name']}")
        result.check(properties.get("requirement") == goal["requirement"], f"junit: requirement of {goal['name']}")


def traceability(recording, result):
    table = pandas.read_csv(recording.folder / "traceability.csv", dtype=str, keep_default_na=False)
    result.check(list(table["goal"]) == [goal["name"] for goal in recording.goals], "trace: goals")
    for goal, (_, row) in zip(recording.goals, table.iterrows()):
        result.check(row["requirement"] == (goal["requirement"] or ""), f"trace: requirement of {goal['name']}")
        result.check(row["status"] == goal["status"] and row["verdict"] == goal["expectation"], f"trace: {goal['name']}")
        result.check(row["step"] == ("" if goal["at"] is None else str(goal["at"])), f"trace: step of {goal['name']}")
        origin = goal["origin"] or {"file": "", "line": ""}
        result.check((row["file"], row["line"]) == (origin["file"], str(origin["line"])), f"trace: origin of {goal['name']}")


DRIVER = """
import json
import math


class Driver:
    \"\"\"Plays the outputs of a chain, whose inputs it expects; counts outputs that it spoils.\"\"\"

    def reset(self):
        self.row = -1
        self.given = {{}}

    def set_input(self, name, value):
        self.given[name] = value

    def step(self):
        self.row += 1

    def get_output(self, name):
        import test_chain
        position = [entry[0] for entry in test_chain.OUTPUTS].index(name)
        chains = [chain for chain in test_chain.CHAINS if len(chain) > self.row]
        chain = chains[{chain}]
        inputs = chain[self.row][0]
        assert all(self.given[name] == value or value != value for name, value in zip(test_chain.INPUTS, inputs))
        value = chain[self.row][1][position]
        spoilt = {spoilt} and self.row == len(chain) - 1 and position == 0
        return (0 if value else 1) if spoilt else value

    def close(self):
        pass
"""


def pytest_module(recording, result):
    """The module's data; that it passes on a system that does as expected, fails on one that does not, and skips without driver."""
    module = (recording.folder / "test_chain.py").read_text()
    space = {}
    exec(compile(module.split("\n\nimport struct\n")[0], "test_chain.py", "exec"), space)
    result.check(space["INPUTS"] == [signal.name for signal in recording.inputs], "pytest: inputs")
    for chain in range(len(recording.chains)):
        for part, position in (("inputs", 0), ("outputs", 1)):
            columns = [column for column in recording.columns(chain) if column[0] == part]
            for index, (_, signal, expected) in enumerate(columns):
                found = [step[position][index] for step in space["CHAINS"][chain]]
                result.values("pytest", signal, [signal.read(value) for value in found], expected)


def pytest_runs(recording, result):
    module = (recording.folder / "test_chain.py").read_text()
    for spoilt, present, expected in ((False, True, 0), (True, True, 1), (False, False, 0)):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "test_chain.py").write_text(module)
            if present:
                (Path(folder) / "chain_driver.py").write_text(DRIVER.format(chain=0, spoilt=spoilt))
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "test_recorded_outputs and 0"]
            ended = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            word = "failed" if spoilt else "passed" if present else "skipped"
            result.check(ended.returncode == expected and word in ended.stdout, f"pytest: {ended.stdout[-400:]}")


def compare(folder, result, run_modules):
    recording = Recording(folder)
    canonical_csv(recording, result)
    junit(recording, result)
    traceability(recording, result)
    pytest_module(recording, result)
    if run_modules and recording.chains and recording.outputs:
        pytest_runs(recording, result)
    for chain in range(len(recording.chains)):
        if recording.chains[chain]["steps"]:
            for reader in (veristand_csv, canoe_csv, fmi_csv, simulink_csv, xlsx, mat, mf4, vcd):
                reader(recording, result, chain)


def main():
    failed = False
    for number, name in enumerate(sys.argv[1:]):
        result = Comparison()
        try:
            compare(Path(name), result, run_modules=number == 0)
        except Exception as error:  # a reader that refuses a file is a finding like any other
            result.check(False, f"{type(error).__name__}: {error}")
        for text in result.wrong[:10]:
            print(f"{name}: {text}")
        print(f"{name}: {result.count} comparisons, {len(result.wrong)} differ")
        failed |= bool(result.wrong)
    sys.exit(1 if failed or len(sys.argv) < 2 else 0)


main()
