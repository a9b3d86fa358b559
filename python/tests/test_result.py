"""Reading, searching, and what results tell."""

from __future__ import annotations

import json
import os
import unittest
from collections.abc import Callable

import chaincover as cc
from models import COUNTER, Models


class Reading(Models):
    def test_a_model_lists_what_it_has(self) -> None:
        model = cc.read(self.lamp())
        self.assertEqual([str(goal) for goal in model.goals], ["p_third", "p_never", "p_off"])
        self.assertEqual({goal.status for goal in model.goals}, {"undecided"})
        self.assertEqual([signal.name for signal in model.inputs], ["press"])
        self.assertEqual(repr(model), f"<chaincover.Model {model.name}: 3 goals>")

    def test_a2l_files_describe_signals(self) -> None:
        path = self.write("pump.c", "unsigned char level; void step(void) { __CPROVER_cover(level == 7); }")
        entry = '/begin MEASUREMENT level "in the tank" UBYTE NO_COMPU_METHOD 0 0 0 5 PHYS_UNIT "l" /end MEASUREMENT'
        text = f'ASAP2_VERSION 1 71 /begin PROJECT p "" /begin MODULE m "" {entry} /end MODULE /end PROJECT'
        a2l = self.write("pump.a2l", text)
        self.write("chaincover.toml", '[model]\nsources = ["pump.c"]\nstep = "step"\ninputs = ["level"]\n')
        (level,) = cc.read(self.folder, a2l=a2l).inputs
        self.assertEqual((level.unit, level.text), ("l", "in the tank"))
        result = cc.read(self.folder, a2l=a2l, a2l_ranges=True).find_chains(timeout=60)
        self.assertEqual([goal.status for goal in result.goals], ["unreachable"])
        with self.assertRaises(cc.ConfigError) as caught:
            cc.read(path, a2l=self.write("bad.a2l", "\n/include none.a2l"))
        self.assertIn("bad.a2l:2: the included file", str(caught.exception))

    def test_sources_that_are_wrong(self) -> None:
        path = self.write("bad.c", "int n;\nvoid step(int x) { n = x +; }\n")
        with self.assertRaises(cc.ReadError) as caught:
            cc.read(path)
        first = caught.exception.diagnostics[0]
        assert first.place is not None
        self.assertEqual((first.severity, first.place.file, first.place.line), ("error", str(path), 2))
        self.assertEqual(first.place.text, "void step(int x) { n = x +; }")
        self.assertIn("n = x +;", str(caught.exception))
        self.assertTrue(str(first).startswith(f"{path}:2: error: "))

    def test_requests_without_sense(self) -> None:
        path = self.lamp()
        table: list[tuple[Callable[[], object], str]] = [
            (lambda: cc.read(self.folder / "missing.c"), "missing.c"),
            (lambda: cc.read(self.folder), "chaincover.toml"),
            (lambda: cc.read(path, target="ip17"), "--target"),
            (lambda: cc.read(path, coverage=["everything"]), "coverage"),
            (lambda: cc.read(path, timeout=-1), "timeout"),
            (lambda: cc.read(path, timeout=float("nan")), "timeout"),
            (lambda: cc.read(path).find_chains(strategy="best"), "strategy"),
            (lambda: cc.read(path).find_chains(without=["luck"]), "without"),
            (lambda: cc.read(path, ub="ignore"), "ub"),
            (lambda: cc.read(path).find_chains(violations="some"), "violations"),
            (lambda: cc.read(path).find_chains(gap=-0.1), "gap"),
            (lambda: cc.read(path).find_chains(solver="guess"), "solver"),
            (lambda: cc.read(path).find_chains(smooth=False, dwell=3), "smooth"),
            (lambda: cc.read(path).find_chains(slew={"nothing": 1.0}), "nothing"),
            (lambda: cc.read(path).find_chains(slew={"press": float("inf")}), "press"),
            (lambda: cc.read(path, robustness=True, ub="forbid"), "--robustness"),
            (lambda: cc.read(path).explain("p_nothing"), "p_nothing"),
            (lambda: cc.load(self.folder / "chain.json"), "chain.json"),
            (lambda: cc.read(self.write("idle.c", "int n; void step(int x) { n = x; }")).find_chains(), "goal"),
        ]
        for number, (call, part) in enumerate(table):
            with self.subTest(number), self.assertRaises(cc.ConfigError) as caught:
                call()
            self.assertIn(part, str(caught.exception))

    def test_arguments_of_the_wrong_type(self) -> None:
        with self.assertRaises(TypeError):
            cc.read()
        with self.assertRaises((TypeError, OverflowError)):
            cc.read(self.lamp()).find_chains(max_k=-1)
        with self.assertRaises(TypeError):
            cc.read(self.lamp()).find_chains(dwell="three")  # type: ignore[arg-type]

    def test_the_time_limit_of_reading(self) -> None:
        with self.assertRaises(cc.StoppedError) as caught:
            cc.read(self.lamp(), timeout=0)
        self.assertIsNone(caught.exception.result)

    def test_a_limit_of_reading_does_not_limit_what_comes_later(self) -> None:
        model = cc.read(self.lamp(), timeout=5)
        self.assertEqual(model.explain("p_third").length, 3)


class Finding(Models):
    def test_the_lamp(self) -> None:
        result = cc.read(self.lamp()).find_chains(timeout=60)
        self.assertEqual((result.length, result.lower_bound, result.is_proven_minimal), (3, 3, True))
        self.assertIsNone(result.stopped)
        statuses = {goal.name: (goal.status, goal.expectation) for goal in result.goals}
        expected = {
            "p_third": ("covered", "held"),
            "p_never": ("unreachable", "none"),
            "p_off": ("covered", "violated"),
        }
        self.assertEqual(statuses, expected)
        verdicts = {verdict.name: verdict.verdict for verdict in result.verdicts}
        self.assertEqual(verdicts, {"p_third": "proven", "p_off": "violated"})
        violated = next(verdict for verdict in result.verdicts if verdict.name == "p_off")
        assert violated.counterexample is not None
        self.assertEqual((violated.counterexample.length, violated.counterexample.replayed), (2, True))

    def test_a_chain_has_what_the_file_has(self) -> None:
        result = cc.read(self.lamp()).find_chains(timeout=60)
        (chain,) = result.chains
        self.assertEqual((len(chain), chain.index, chain.replayed), (3, 0, True))
        on = presses = 0
        for step in chain.steps:
            self.assertEqual((step.state["on"], step.state["presses"]), (on, presses))
            if step.inputs["press"]:
                on, presses = 1 - on, min(presses + 1, 3)
        self.assertEqual(presses, 3)
        self.assertEqual(set(chain.order), {"p_third", "p_off"})
        last = result.goal("p_off").at
        assert last is not None
        self.assertEqual(result.steps_to("p_off"), chain.steps[: last + 1])
        with self.assertRaises(LookupError):
            result.steps_to("p_never")
        with self.assertRaises(KeyError):
            result.steps_to("p_nothing")

    def test_no_replay(self) -> None:
        result = cc.read(self.lamp()).find_chains(timeout=60, replay=False, violations="off")
        self.assertEqual((result.chains[0].replayed, result.verdicts), ("evaluator", ()))

    def test_undecided_goals_raise_nothing(self) -> None:
        result = cc.read(self.hard()).find_chains(timeout=0.3)
        self.assertEqual((result.stopped, result.goal("p_open").status), ("timeout", "undecided"))
        self.assertFalse(result.is_proven_minimal)

    def test_values_of_all_kinds(self) -> None:
        result = cc.read(self.kinds()).find_chains(timeout=60)
        self.assertEqual([goal.status for goal in result.goals], ["covered"])
        step = result.chains[0].steps[0]
        types = {name: type(value) for name, value in step.inputs.items()}
        self.assertEqual(types, {"go": bool, "level": int, "offset": int, "gain": float, "wanted": int})
        self.assertGreater(step.inputs["level"], 200)
        self.assertLess(step.inputs["offset"], -5)
        self.assertTrue(0.1 < step.inputs["gain"] < 0.3)
        # The output has the float of the input, widened: floats are exact.
        self.assertEqual(step.outputs["scaled"], step.inputs["gain"])
        wanted = next(signal for signal in result.inputs if signal.name == "wanted")
        self.assertEqual(dict(wanted.enumerators), {"OFF": 0, "ON": 1, "FAULT": 2})
        self.assertEqual(result.chains[0].steps[1].seconds, 0.01)

    def test_hardware(self) -> None:
        result = cc.read(self.write("counter.btor2", COUNTER)).find_chains(timeout=60)
        self.assertEqual(([goal.status for goal in result.goals], result.is_proven_minimal), (["covered"], True))
        self.assertEqual([step.inputs["go"] for step in result.chains[0].steps][:3], [1, 1, 1])

    def test_text_and_table(self) -> None:
        path = self.write("odd.c", "int n; void step(int x) { if (x) n = 1;\n__CPROVER_cover(n < 2); }")
        result = cc.read(path).find_chains(timeout=60)
        self.assertIn("1 of 1 goals covered", str(result))
        self.assertIn("1 of 1 goals covered", repr(result))
        table = result._repr_html_()
        self.assertEqual(table.count("<tr>"), 2)
        self.assertIn("<td>covered</td>", table)

    def test_html_is_escaped(self) -> None:
        self.write("a.c", "int n; void step(int x) { n = x; }")
        text = '[model]\nsources = ["a.c"]\nstep = "step"\n[[goal]]\nname = "g"\nrequirement = "<b>&"\nwhen = "n == 1"\n'
        self.write("chaincover.toml", text)
        table = cc.read(self.folder).find_chains(timeout=60)._repr_html_()
        self.assertIn("<td>&lt;b&gt;&amp;</td>", table)
        self.assertNotIn("<b>", table)

    def test_explanations(self) -> None:
        model = cc.read(self.lamp())
        never = model.explain("p_never", timeout=60)
        self.assertEqual((never.status, never.is_excluded, never.length), ("unreachable", True, None))
        self.assertEqual([part.text for part in never.needed.conditions], ["presses == 4"])
        third = model.explain(model.goals[0], timeout=60)
        self.assertEqual((third.status, third.length, third.lower_bound), ("covered", 3, 3))


class Files(Models):
    def test_export_load_and_replay(self) -> None:
        path = self.lamp()
        result = cc.read(path).find_chains(timeout=60)
        out = self.folder / "out"
        files = result.export(out, ["csv", "vcd"])
        self.assertEqual([file.name for file in files], ["chain.json", "chain.csv", "chain.vcd"])
        self.assertTrue(all(file.is_file() for file in files))
        self.assertTrue((out / "violation_p_off.json").is_file())
        loaded = cc.load(out / "chain.json")
        self.assertEqual((loaded.goals, loaded.chains), (result.goals, result.chains))
        self.assertEqual(cc.goals(out / "chain.json"), list(result.goals))
        written = next(verdict for verdict in loaded.verdicts if verdict.name == "p_off")
        assert written.counterexample is not None
        self.assertEqual(written.counterexample.file, "violation_p_off.json")
        with self.assertRaises(cc.ConfigError):
            loaded.export(out)
        replayed = cc.replay(out / "chain.json")
        self.assertTrue(replayed.is_as_recorded)
        self.assertEqual((replayed.changed, replayed.lost), ((), ()))
        # Three presses do no longer suffice for the counter, and the lamp stays off.
        text = path.read_text().replace("presses < 3", "presses < 1")
        path.write_text(text)
        replayed = cc.replay(out / "chain.json")
        self.assertFalse(replayed.is_as_recorded)
        self.assertEqual((len(replayed.changed), replayed.lost), (1, ("p_third",)))

    def test_files_of_others_stay(self) -> None:
        result = cc.read(self.lamp()).find_chains(timeout=60)
        mine = self.write("chain.csv", "mine")
        with self.assertRaises(cc.ConfigError):
            result.export(self.folder, ["csv"])
        self.assertEqual(mine.read_text(), "mine")
        result.export(self.folder, ["csv"], force=True)
        self.assertNotEqual(mine.read_text(), "mine")

    def test_exports_without_sense(self) -> None:
        result = cc.read(self.lamp()).find_chains(timeout=60)
        out = self.folder / "out"
        table: list[tuple[Callable[[], object], str]] = [
            (lambda: result.export(out, ["cvs"]), "cvs"),
            (lambda: result.export(out, "csv"), "list"),
            (lambda: result.export(out, dont_care="any"), "any"),
            (lambda: result.export(out, tolerances={"nothing": {"abs": 1.0}}), "nothing"),
            (lambda: result.export(out, tolerances={"on": {"max": 1.0}}), "max"),
            (lambda: result.export(out, tolerances={"on": {"abs": -1.0}}), "width"),
            (lambda: result.export(out, ["btor2-witness"]), "BTOR2"),
        ]
        for number, (call, part) in enumerate(table):
            with self.subTest(number), self.assertRaises(cc.ConfigError) as caught:
                call()
            self.assertIn(part, str(caught.exception))

    def test_forged_files_are_refused(self) -> None:
        result = cc.read(self.lamp()).find_chains(timeout=60)
        path = result.export(self.folder / "out")[0]
        data = json.loads(path.read_text())
        data["schema"] = "chaincover/chain/99"
        path.write_text(json.dumps(data))
        with self.assertRaises(cc.ConfigError):
            cc.load(path)

    def test_goals_without_a_search(self) -> None:
        goals = cc.goals(self.lamp())
        self.assertEqual([str(goal) for goal in goals], ["p_third", "p_never", "p_off"])
        with_coverage = cc.goals(self.lamp(), coverage=["decision"])
        self.assertGreater(len(with_coverage), len(goals))

    def test_formats(self) -> None:
        self.assertLessEqual({"csv", "mf4", "vcd", "html"}, set(cc.formats()))


class Repository(unittest.TestCase):
    """Models of all languages; the folder of the repository is in the environment."""

    def test_models_of_all_languages(self) -> None:
        root = os.environ["CHAINCOVER_REPOSITORY"]
        table = [
            ("benchmarks/corpus/cruise-1", (4, 4, 9)),
            ("examples/buffer.ri", (12, 12, 7)),
        ]
        for path, expected in table:
            with self.subTest(path):
                result = cc.read(os.path.join(root, path)).find_chains(timeout=60)
                covered = sum(goal.status == "covered" for goal in result.goals)
                self.assertEqual((covered, len(result.goals), result.length), expected)
                self.assertTrue(result.is_proven_minimal)
        buffer = cc.read(os.path.join(root, "examples/buffer.ri")).find_chains(timeout=60)
        self.assertEqual(buffer.chains[0].grade, "certain")
        self.assertIsNotNone(buffer.chains[0].steps[0].allowed)


if __name__ == "__main__":
    unittest.main()
