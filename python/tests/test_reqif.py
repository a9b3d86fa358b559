"""Requirements of ReqIF files, and their texts beside goals."""

from __future__ import annotations

import importlib.util
import os
import sys
import unittest
from pathlib import Path
from unittest import mock

from models import Models

import chaincover as cc

#: The shipped example.
EXAMPLE = Path(os.environ.get("CHAINCOVER_REPOSITORY", Path(__file__).parents[2])) / "examples/window-lift.reqif"

#: A configuration with comments, goals of several steps, and two goals of one requirement.
CONFIGURATION = """# Goals of the lift.
[model]
sources = ["lift.c"]

[[goal]]
name = "short"   # three steps
requirement = "REQ-WL-1"
text = "an old text"

[[goal.step]]
when = "x"

[[goal]]
name = "long"
requirement = "REQ-WL-1"
when = "y"

[[goal]]
name = "free"
when = "z"

[final]
when = "home"
"""

HAS_PACKAGES = all(importlib.util.find_spec(name) for name in ("reqif", "tomlkit"))


class WithoutPackages(Models):
    def test_there_is_advice(self) -> None:
        file = self.write("chaincover.toml", CONFIGURATION)
        table = [
            ({"reqif": None, "reqif.parser": None}, lambda: cc.requirements(EXAMPLE)),
            ({"tomlkit": None}, lambda: cc.describe_goals(file, [])),
        ]
        for modules, call in table:
            with self.subTest(modules), mock.patch.dict(sys.modules, modules):  # type: ignore[arg-type]
                with self.assertRaisesRegex(ModuleNotFoundError, r"pip install 'chaincover\[reqif\]'"):
                    call()


@unittest.skipUnless(HAS_PACKAGES, "reqif and tomlkit are not installed")
class ReqIF(Models):
    def test_the_example_is_read(self) -> None:
        found = cc.requirements(EXAMPLE)
        self.assertEqual([str(requirement) for requirement in found], [f"REQ-WL-{n}" for n in range(1, 8)])
        self.assertEqual(found[3].text, "Two samples of high current are ignored, as is the current of the motor's start.")
        self.assertEqual(found[4].text, "High current reverses closing, but for the seal.")
        by_object = cc.requirements(EXAMPLE, id="IDENTIFIER")
        self.assertEqual([requirement.id for requirement in by_object], [f"_o{n}" for n in range(1, 8)])

    def test_what_cannot_be_read_is_told(self) -> None:
        text = EXAMPLE.read_text(encoding="utf-8")
        table = [
            (text[:3000], {}, "this is no ReqIF that can be read"),
            ("", {}, "this is no ReqIF that can be read: Document is empty"),
            ("<a/>", {}, "Expected root tag to be REQ-IF"),
            ("<REQ-IF/>", {}, "has no content"),
            (text.replace('IDENTIFIER="_o3"', ""), {}, "this is no ReqIF that can be read"),
            (text.replace('"REQ-WL-2"', '"REQ-WL-1"'), {}, "several requirements have the same `ReqIF.ForeignID`: REQ-WL-1"),
            (text.replace('"REQ-WL-2"', '" "'), {}, "the object _o2 has a text and no `ReqIF.ForeignID`"),
            (text, {"id": "ID"}, "has a text and no `ID`; .*ReqIF.ForeignID, ReqIF.Text, IDENTIFIER"),
            (text, {"text": "Text"}, "no requirement has a `Text`; attributes there are ReqIF.ForeignID, ReqIF.Text"),
            (text, {"id": "ID", "text": "Text"}, "no object has the attribute `ID`"),
        ]
        for content, options, expected in table:
            path = self.write("file.reqif", content)
            with self.subTest(expected), self.assertRaisesRegex(cc.ConfigError, expected):
                cc.requirements(path, **options)
        with self.assertRaisesRegex(cc.ConfigError, "No such file"):
            cc.requirements(self.folder / "none.reqif")

    def test_texts_are_written_beside_goals(self) -> None:
        file = self.write("chaincover.toml", CONFIGURATION)
        wanted = [cc.Requirement("REQ-WL-1", 'three "long" steps'), cc.Requirement("REQ-WL-2", "nothing")]
        described = cc.describe_goals(self.folder, wanted)
        self.assertEqual(described, cc.Described(("long",), ("short",), (wanted[1],), ()))
        self.assertIn('text = "an old text"', file.read_text(encoding="utf-8"))
        described = cc.describe_goals(self.folder, wanted, replace=True)
        self.assertEqual(described, cc.Described(("short", "long"), (), (wanted[1],), ()))
        text = 'text = "three \\"long\\" steps"\n'
        expected = CONFIGURATION.replace('text = "an old text"\n', text).replace('when = "y"\n', 'when = "y"\n' + text)
        self.assertEqual(file.read_text(encoding="utf-8"), expected)
        time = file.stat().st_mtime_ns
        self.assertEqual(cc.describe_goals(file, wanted), described)
        self.assertEqual((file.stat().st_mtime_ns, os.listdir(self.folder)), (time, ["chaincover.toml"]))

    def test_reports_have_them(self) -> None:
        self.kinds()
        file = self.folder / "chaincover.toml"
        text = file.read_text(encoding="utf-8").replace('name = "fault"', 'name = "fault"\nrequirement = "REQ-1"')
        file.write_text(text, encoding="utf-8")
        cc.describe_goals(file, [cc.Requirement("REQ-1", "faults are latched")])
        (goal,) = cc.goals(self.folder)
        self.assertEqual((goal.requirement, goal.text), ("REQ-1", "faults are latched"))

    def test_goals_of_other_requirements_are_told(self) -> None:
        other = cc.Requirement("REQ-9", "other")
        file = self.write("chaincover.toml", CONFIGURATION)
        with self.assertRaisesRegex(cc.ConfigError, r"none of the requirements: REQ-WL-1 \(of short, long\)"):
            cc.describe_goals(file, [other])
        self.assertEqual(file.read_text(encoding="utf-8"), CONFIGURATION)
        described = cc.describe_goals(file, [other], allow_unknown=True)
        self.assertEqual(described, cc.Described((), (), (other,), ("REQ-WL-1",)))

    def test_configurations_that_cannot_be_read_are_told(self) -> None:
        for content, expected in [("a = ", "cannot be read"), ("goal = 3", r"begin with \[\[goal\]\]")]:
            path = self.write("other.toml", content)
            with self.subTest(content), self.assertRaisesRegex(cc.ConfigError, expected):
                cc.describe_goals(path, [])
        with self.assertRaisesRegex(cc.ConfigError, "cannot be read"):
            cc.describe_goals(self.folder, [])


if __name__ == "__main__":
    unittest.main()
