"""Chains as tables, where pandas is installed."""

from __future__ import annotations

import importlib.util
import unittest

import chaincover as cc
from models import Models

HAS_PANDAS = importlib.util.find_spec("pandas") is not None


class Without(Models):
    @unittest.skipIf(HAS_PANDAS, "pandas is installed")
    def test_the_message_says_what_to_install(self) -> None:
        result = cc.read(self.lamp()).find_chains(timeout=60)
        with self.assertRaisesRegex(ModuleNotFoundError, r"chaincover\[pandas\]"):
            result.chains[0].to_pandas()


@unittest.skipUnless(HAS_PANDAS, "pandas is not installed")
class Tables(Models):
    def test_types_index_and_units(self) -> None:
        chain = cc.read(self.kinds()).find_chains(timeout=60).chains[0]
        table = chain.to_pandas(state=True)
        types = {str(name): str(dtype) for name, dtype in table.dtypes.items()}
        expected = {
            "go": "bool",
            "level": "uint8",
            "offset": "int16",
            "gain": "float32",
            "wanted": "category",
            "mode": "category",
            "scaled": "float64",
            "count": "uint32",
        }
        self.assertEqual({name: types[name] for name in expected}, expected)
        self.assertEqual((table.index.name, list(table.index[:2])), ("seconds", [0.0, 0.01]))
        self.assertEqual(table.attrs["units"], {"offset": "mV"})
        self.assertEqual(list(table["wanted"].cat.categories), ["OFF", "ON", "FAULT"])
        self.assertEqual(table["wanted"].iloc[0], "FAULT")
        for name in ("level", "offset", "gain"):
            self.assertEqual(table[name].tolist(), [step.inputs[name] for step in chain.steps])

    def test_steps_without_a_period(self) -> None:
        chain = cc.read(self.lamp()).find_chains(timeout=60).chains[0]
        table = chain.to_pandas(state=True)
        self.assertEqual((table.index.name, len(table)), ("step", 3))
        self.assertEqual(len(set(table.columns)), len(table.columns))

    def test_a_step_that_does_not_return(self) -> None:
        text = "void reach_error(void); int out; int n;\nint step(int x) { n += x == 7; if (n == 2) reach_error(); return n; }"
        chain = cc.read(self.write("ends.c", text), step="step").find_chains(timeout=60).chains[0]
        self.assertIsNotNone(chain.steps[-1].ends)
        table = chain.to_pandas()
        missing = [name for name in table.columns if table[name].isna().any()]
        self.assertNotEqual(missing, [])
        self.assertEqual({str(table[name].dtype) for name in missing}, {"Int32"})
        self.assertEqual(len(table), len(chain))

    def test_words_wider_than_pandas_has(self) -> None:
        text = "1 sort bitvec 100\n2 sort bitvec 1\n3 input 1 wide\n4 ones 1\n5 eq 2 3 4\n6 bad 5 all\n"
        chain = cc.read(self.write("wide.btor2", text)).find_chains(timeout=60).chains[0]
        self.assertEqual(chain.steps[0].inputs["wide"], (1 << 100) - 1)
        table = chain.to_pandas()
        self.assertEqual((str(table["wide"].dtype), table["wide"].iloc[0]), ("object", (1 << 100) - 1))


if __name__ == "__main__":
    unittest.main()
