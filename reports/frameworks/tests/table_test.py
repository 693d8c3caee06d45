"""Tests of what stands between the judge's answers and the table: rounding of recorded rows, sums, comparison of runs, the pages."""
import argparse
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import compare
import description
import figures
import page
import render
import rows
import table
from kernels import KERNELS


def cell(family, epsilon, row_ulp, judged=10, rounded=5, worst=None):
    return {"op": "layer_norm", "x_format": "f32", "param_format": "f32", "y_format": "f32", "family": family, "width_band": "1-3", "epsilon": epsilon,
            "judged": judged, "correctly_rounded": rounded, "class_faults": 0, "not_checked": 1, "max_ulp": 2 * row_ulp, "max_row_ulp": row_ulp, "worst": worst}


class Description(unittest.TestCase):
    TORCH = description.Described("torch", "2.9", "layer_norm rms_norm", "f32 bf16", "f64", "absent-gamma-beta", no_beta="rms_norm")

    def traits(self, ops):
        with mock.patch.dict("os.environ", {"NORMCHECK_FRAMEWORK_OPS": ops} if ops else {}):
            lines = description.text(self.TORCH).split("\n")
        self.assertEqual(lines[-2:], ["", ""])
        return [line for line in lines if line.startswith(("ops", "traits"))]

    def test_states_no_beta_where_no_op_that_is_asked_has_one(self):
        self.assertEqual(self.traits("rms_norm"), ["ops rms_norm", "traits no-beta"])
        self.assertEqual(self.traits("layer_norm"), ["ops layer_norm"])
        self.assertEqual(self.traits(""), ["ops layer_norm rms_norm"])


class Rows(unittest.TestCase):
    def test_rounds_to_nearest_with_ties_to_even(self):
        self.assertEqual(rows.rounded(1 + 2**-8, "bf16"), 1.0)              # half a unit above an even significand
        self.assertEqual(rows.rounded(1 + 3 * 2**-8, "bf16"), 1 + 2**-6)    # half a unit above an odd one
        self.assertEqual(rows.rounded(1 + 2**-8 + 2**-20, "bf16"), 1 + 2**-7)
        self.assertEqual(rows.rounded(2049.0, "f16"), 2048.0)
        self.assertEqual(rows.rounded(2.0**-149 * 1.4, "f32"), 2.0**-149)
        with self.assertRaises(OverflowError):
            rows.rounded(65520.0, "f16")

    def test_converts_a_case_exactly_where_it_fits(self):
        case = {"rows": 1, "width": 2, "epsilon": "1e-5", "x": ["0x1.01p+0", "0x1p+1"], "gamma": ["0x1p+0"] * 2, "beta": ["0x0p+0"] * 2}
        made = rows.converted(case, "rms_norm", ("bf16", "f32", "bf16"))
        self.assertEqual([float.fromhex(text) for text in made["x"]], [1.0, 2.0])
        self.assertNotIn("beta", made)
        self.assertEqual((made["x_format"], made["param_format"], made["epsilon"]), ("bf16", "f32", "1e-5"))


class Figures(unittest.TestCase):
    def test_sums_cells_and_names_the_worst_family(self):
        got = figures.summed([cell("gaussian", "0x0p+0", 1.5), cell("constant", "0x0p+0", 7.0, rounded=2), cell("sparse", "0x0p+0", 3.0)])
        self.assertEqual((got["judged"], got["not_checked"], got["max_row_ulp"], got["max_row_ulp_family"], got["max_ulp"]), (30, 3, 7.0, "constant", 14.0))
        self.assertEqual(got["correctly_rounded"], 12 / 30)

    def test_groups_by_epsilon_and_leaves_files_of_other_epsilons_out(self):
        with tempfile.TemporaryDirectory() as folder:
            got = figures.of_format([cell("gaussian", "0x0p+0", 1.0), cell("gaussian", (1e-5).hex(), 2.0), cell("public-bugs", "0x1p-3", 9.0)],
                                    pathlib.Path(folder), figures.WorstRows())
        self.assertEqual({name: total["max_row_ulp"] for name, total in got["by_epsilon"].items()}, {"0": 1.0, "1e-5": 2.0})
        self.assertEqual(got["by_family"]["public-bugs"]["max_row_ulp"], 9.0)

    def test_a_fault_is_worse_than_a_number(self):
        with tempfile.TemporaryDirectory() as folder:
            folder, found = pathlib.Path(folder), figures.WorstRows()
            for name in ("number", "fault"):
                (folder / name).write_text(json.dumps({"x": [name]}))
            cells = [cell("a", "0x0p+0", 9.0, worst={"file": "number", "row_ulp": 9.0, "width": 1, "fault": ""}),
                     cell("b", "0x0p+0", 1.0, worst={"file": "fault", "row_ulp": None, "width": 1, "fault": "NaN where the reference has none"})]
            self.assertEqual(figures.worst_row(cells, folder, found, 100)["family"], "b")
            self.assertEqual(figures.worst_row(cells, folder, found, 3), None)
        self.assertEqual(found.lines, ['{"x":["fault"]}'])

    def test_measures_recorded_rows_against_the_correctly_rounded_value(self):
        self.assertEqual(figures.distance("0x1.000004p+0", "0x1p+0", "f32"), 2.0)
        self.assertEqual(figures.distance("0x1p-149", "0x0p+0", "f32"), 1.0)
        self.assertEqual(figures.distance("-0x1p+0", "0x1p+0", "bf16"), 256.0)
        self.assertIsNone(figures.distance("nan:0x7fc00000", "0x1p+0", "f32"))
        verdict = {"case": "rows/activations-a-layer_norm-f16-f32-f16.case.json", "elements": 2, "correctly_rounded": 1, "class_faults": 0,
                   "worst": {"row_ulp": 0.75}, "got": ["0x1p+0", "0x1.8p-14"], "want": ["0x1p+0", "0x1.804p-14"]}
        refused = {"case": "rows/activations-a-rms_norm-f32-f32-f32.case.json", "not_supported": True}
        self.assertEqual(figures.activations(json.dumps([verdict, refused])), {("layer_norm", "f16/f32/f16"): {
            "rows": 1, "judged": 2, "correctly_rounded": 0.5, "class_faults": 0, "max_row_ulp": 0.75, "max_distance": 1.0}})

    def test_reads_laws_with_their_evidence(self):
        got = figures.law_outcomes("exec:./kernel under row-ulp:4, 5 cases a law, seed 1\n  judged    BROKEN    1 cases     0.35 s\n    row 1 element 16\n"
                                   "    case   x\n  repeatable   kept    5 cases     0.00 s\n  statistics   not applicable   0 cases  0.00 s\n")
        self.assertEqual(got, [{"law": "judged", "outcome": "BROKEN", "cases": 1, "evidence": "row 1 element 16"},
                               {"law": "repeatable", "outcome": "kept", "cases": 5}, {"law": "statistics", "outcome": "not applicable", "cases": 0}])

    def test_writes_one_pattern_for_the_recorded_rows(self):
        self.assertEqual(figures.without_the_list("normcheck judge rows/a.case.json rows/b.case.json --kernel k"), "normcheck judge rows/*.case.json --kernel k")

    def test_names_the_frameworks_reason_before_the_missing_beta(self):
        facts = [{"unsupported": {"rms_norm bf16": [figures.NO_BETA, "no bf16"]}}, {"unsupported": {"rms_norm f32": [figures.NO_BETA]}}]
        self.assertEqual(figures.reasons_of(facts), {"rms_norm bf16": "no bf16", "rms_norm f32": figures.NO_BETA})


class Compare(unittest.TestCase):
    def test_finds_what_differs_and_leaves_times_aside(self):
        first = [{"name": "a", "figures": [1.5, 2], "times": {"s": 1}}, {"name": "b", "not_checked": "why"}]
        same = {"columns": ["a"], "compared": 3, "differing": [], "campaigns_compared": 0, "campaigns_differing": []}
        self.assertEqual(compare.differences(first, [{"name": "a", "figures": [1.5, 2], "times": {"s": 9}}, {"name": "b", "figures": [7]}]), same)
        self.assertEqual(compare.differences(first, [{"name": "a", "figures": [1.5, 3]}])["differing"], [["a/figures/1", 2, 3]])
        self.assertEqual(compare.differences([{"name": "a"}], [{"name": "a", "more": 1}])["differing"], [["a/more", None, 1]])

    def test_counts_campaigns_apart(self):
        got = compare.differences([{"name": "a", "campaign": {"op": 1}, "campaign_rows": ["x"]}], [{"name": "a", "campaign": {"op": 2}, "campaign_rows": ["x"]}])
        self.assertEqual(got, {"columns": ["a"], "compared": 1, "differing": [], "campaigns_compared": 2, "campaigns_differing": [["a/campaign/op", 1, 2]]})


class Times(unittest.TestCase):
    def run_of(self, work, only=None):
        with mock.patch.object(table, "whole_table", return_value=["entries"]), mock.patch.object(table.time, "monotonic", side_effect=[5.0, 1005.4]):
            return table.timed(argparse.Namespace(only=only), work)

    def test_times_a_run_of_all_columns_in_one_go_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            self.assertEqual(self.run_of(work, only=["torch"]), (["entries"], None))
            entries, took = self.run_of(work)
            self.assertEqual((entries, took["seconds"]), (["entries"], 1000))
            (work / "torch").mkdir()
            (work / "torch/report.json").write_text("{}")
            (work / "run.json").write_text('{"seconds": 7, "cores": 1}')
            self.assertEqual(self.run_of(work)[1], {"seconds": 7, "cores": 1})

    def test_says_the_time_and_what_was_not_timed(self):
        self.assertEqual(page.time_block([{"seconds": 2000, "cores": 1}, {"seconds": 7, "cores": 2}], {"differing": []}, "CPU")[1],
                         "All columns, one after the other, all steps: 2,000 s on 1 core, the second run 7 s on 2 cores (CPU).")
        self.assertIn("not in one go", page.time_block([None, None], None, "CPU")[1])


class Pages(unittest.TestCase):
    def test_says_which_part_of_the_cells_was_asked(self):
        self.assertEqual(page.judged_word({"shard": "1/4"}, 30), "30 (1/4 of the cells)")
        self.assertEqual(page.judged_word({"shard": "1/1"}, 30), 30)

    def test_says_what_recorded_activations_meet_in_the_worst_framework(self):
        def entry(own, formats, row_ulp):
            return {"name": "k", "own": own, "figures": [{"formats": formats, "activations": {"max_row_ulp": row_ulp}}, {"formats": "f32", "activations": None}]}
        text = page.in_practice([entry(False, "f32", 3.5), entry(True, "f32", 9.0), entry(False, "bf16/f32/bf16", 1.25), entry(False, "f16", 0.5), {"not_checked": "why"}])
        self.assertIn("within 3.5 row ulps in f32 and 1.25 in 16 bits", text)

    def test_says_why_instead_of_a_blank(self):
        entry = {"name": "k", "unsupported": {"layer_norm bf16/bf16/bf16": "no such kernel"}, "lacks": [["rms_norm", "all", "no such op"]],
                 "figures": [{"op": "layer_norm", "formats": "bf16", "judged": 0, "activations": None}]}
        got = list(page.accuracy_rows([entry, {"name": "other", "not_checked": "not installed"}]))
        self.assertEqual([row[3] for row in got], ["not checked: no such kernel", "not checked: no such op", "not checked: not installed"])

    def test_markdown_and_html_hold_the_same_cells(self):
        blocks = [("title", "T"), ("text", "`a` **b** [c](d)"), ("table", ["h|1", "h2"], [["x < y", "a|b"]])]
        self.assertIn("| x < y | a\\|b |", render.markdown(blocks))
        html = render.page(blocks)
        for part in ("<td>x &lt; y</td><td>a|b</td>", '<code>a</code> <b>b</b> <a href="d">c</a>', "<title>T</title>"):
            self.assertIn(part, html)

    def test_each_column_has_an_adapter_and_pinned_requirements(self):
        here = pathlib.Path(page.__file__).parent
        for kernel in KERNELS:
            if kernel.environment:
                self.assertTrue((here / "adapters" / kernel.adapter.split()[0]).exists(), kernel.name)
                pinned = [line for line in (here / "requirements" / f"{kernel.environment}.txt").read_text().splitlines() if not line.startswith("#")]
                self.assertTrue(pinned and all("==" in line for line in pinned), kernel.name)


if __name__ == "__main__":
    unittest.main()
