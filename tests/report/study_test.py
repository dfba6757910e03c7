# SPDX-License-Identifier: Apache-2.0
"""The page of a study: its table, filter, scatter with Pareto front, and heat map."""

import csv
import json
import pathlib
import subprocess

from selenium.webdriver.common.keys import Keys

from page import OPTIONS, Page

STUDY = """
machines: [configs/mesh_2x2.yaml, configs/fred_small.yaml]
settings: {switch.input_buffer: [8 KiB, 40 KiB]}
run: [{size: [1KiB, 16KiB, 2KiB]}, {algorithm: in_switch, size: [1KiB, 16KiB, 2KiB]}]
"""
POINTS = 2 * 2 * 2 * 3
FAILED = 2 * 3  # in_switch on the mesh


class StudyTest(Page):
    @classmethod
    def make_results(cls):
        (cls.folder / "study.yaml").write_text(STUDY)
        cls.sweep_results = cls.folder / "results"
        subprocess.run([OPTIONS.program, "sweep", str(cls.folder / "study.yaml"), "--results", str(cls.sweep_results), "--quiet"],
                       check=False, stderr=subprocess.DEVNULL)
        (cls.folder / "study.json").write_bytes((cls.sweep_results / "table.json").read_bytes())
        cls.results("compare", "compare", "configs/mesh_2x2.yaml", "configs/fred_small.yaml", "--size", "4KiB")

    @classmethod
    def rows(cls):
        """Rows of the CSV that are done."""
        with open(cls.sweep_results / "table.csv", newline="", encoding="utf-8") as file:
            return [row for row in csv.DictReader(file) if row["status"] == "done"]

    def filter(self, words):
        field = self.one("#study-words")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(words or Keys.DELETE)

    def selectors(self, chart):
        """Names of the axes of which a chart has one value at a time."""
        return [label.text.split("\n")[0] for label in self.all(f"#{chart}-fixed label")]

    def marks(self):
        """Points of the scatter, without the Pareto front."""
        return [mark for mark in self.all("#study-scatter .point") if "Pareto" not in mark.get_attribute("aria-label")]

    def front(self):
        return [mark for mark in self.all("#study-scatter .point") if "Pareto" in mark.get_attribute("aria-label")]

    def test_the_page_of_the_folder_is_the_same(self):
        self.browser.get((self.sweep_results / "report.html").as_uri())
        own = self.one("#study-table").text
        self.open("study")
        self.assertEqual(self.one("#study-table").text, own)
        self.assertIn(f"study: {POINTS} points", self.one("#summary").text)

    def test_the_table_has_every_point_and_sorts_sizes_by_value(self):
        self.open("study")
        self.assertEqual(len(self.all("#study-table tbody tr")), POINTS)
        self.assertEqual(self.column("study-table", "status").count("failed"), FAILED)
        self.assertIn("message", self.one("#study-table thead").text)
        sizes = [button for button in self.all("#study-table th button") if button.text == "size"]
        sizes[0].click()
        self.assertEqual(self.column("study-table", "size"), ["16KiB"] * 8 + ["2KiB"] * 8 + ["1KiB"] * 8)
        same = self.one("#study-same").text
        self.assertIn("command run", same)
        self.assertNotIn("–", same, "a value that some points lack")
        cycles = dict(zip(self.column("study-table", "point"), self.column("study-table", "cycles")))
        for row in self.rows():
            self.assertEqual(int(cycles[row["point"]].replace(",", "")), int(row["results.cycles"]))

    def test_filters(self):
        self.open("study")
        shown = lambda: len(self.all("#study-table tbody tr"))  # noqa: E731
        for words, number in (("fred_small", POINTS // 2), ("status=failed", FAILED), ("size=16KiB", POINTS // 3), ("size>1KiB", 2 * POINTS // 3),
                              ("size<1.5KiB fred_small", POINTS // 6), ("nothing-like-it", 0), ("", POINTS)):
            self.filter(words)
            self.assertEqual(shown(), number, words)
            self.assertIn(f"{number} of {POINTS} points", self.one("#study-count").text)
        self.select("study-only-options\\.size", "2KiB")
        self.assertEqual(shown(), POINTS // 3)
        self.assertEqual(len(self.marks()), 2 * 2, "the charts follow: machines x buffers of one algorithm")
        self.select("study-only-options\\.size", "all")
        self.assertEqual(shown(), POINTS)
        self.select("study-only-options\\.algorithm", "–")
        self.assertEqual(shown(), POINTS // 2, "points without the option")
        self.assertEqual(set(self.column("study-table", "options.algorithm")), {"–"})

    def test_scatter_and_its_pareto_front(self):
        self.open("study")
        self.select("study-x", "traffic.injected_bytes")
        self.select("study-y", "time_ns")
        self.assertEqual(self.selectors("study-scatter"), ["size", "options.algorithm"], "axes of the work")
        self.select("study-scatter-fixed-options\\.size", "2KiB")
        self.select("study-scatter-fixed-options\\.algorithm", "–")
        rows = [row for row in self.rows() if row["options.size"] == "2KiB" and row["options.algorithm"] == ""]
        self.assertEqual(len(rows), 2 * 2)
        self.assertEqual(len(self.marks()), len(rows))
        points = {(float(row["results.traffic.injected_bytes"]), float(row["results.time_ns"])) for row in rows}

        def expected(across, up):
            return {p for p in points if not any(q != p and across * q[0] <= across * p[0] and up * q[1] <= up * p[1] for q in points)}

        self.assertEqual(len(self.front()), len(expected(1, 1)))
        self.assertGreaterEqual(len(self.front()), 1)
        self.select("study-y-better", "more")
        self.assertEqual(len(self.front()), len(expected(1, -1)))
        self.select("study-x-better", "more")
        self.assertEqual(len(self.front()), len(expected(-1, -1)))
        text = self.hover("#study-scatter .point")
        self.assertIn("time_ns", text)
        self.assertEqual(self.all("#study-scatter .series-line"), self.all("#study-scatter .series-line")[:1], "the front alone has a line")

    def test_heat_map(self):
        self.open("study")
        self.select("study-row", "machine")
        self.select("study-column", "size")
        self.select("study-value", "cycles")
        self.assertEqual(self.selectors("study-heat"), ["switch.input_buffer", "options.algorithm"], "axes that it does not show")
        for buffer in ("8 KiB", "40 KiB"):
            for algorithm in ("–", "in_switch"):
                self.select("study-heat-fixed-settings\\.switch\\.input_buffer", buffer)
                self.select("study-heat-fixed-options\\.algorithm", algorithm)
                cells = {cell.get_attribute("aria-label").rsplit(": ", 1)[0]: cell.get_attribute("aria-label").rsplit(": ", 1)[1]
                         for cell in self.all("#study-heat .cell")}  # fmt: skip
                points = [row for row in self.rows() if row["settings.switch.input_buffer"] == buffer
                          and row["options.algorithm"] == algorithm.replace("–", "")]  # fmt: skip
                self.assertEqual(len(cells), len(points), "a point is a cell")
                for row in points:
                    value = cells[f'{row["machine"]}, {row["options.size"]}']
                    self.assertEqual(int(value.replace(",", "")), int(row["results.cycles"]))
        self.select("study-heat-fixed-options\\.algorithm", "–")
        self.assertIn("switch.input_buffer 40 KiB", self.one("#study-heat figcaption").text)
        columns = [text.text for text in self.all("#study-heat svg > g:nth-of-type(2) text")]
        self.assertEqual(columns, ["1KiB", "2KiB", "16KiB"], "in the order of their values")
        self.assertIn("cycles", self.hover("#study-heat .cell"))

    def test_a_selector_has_what_there_is_with_those_before_it(self):
        self.open("study")
        self.select("study-row", "size")
        self.select("study-column", "switch.input_buffer")
        options = lambda: [option.text for option in self.all("#study-heat-fixed-options\\.algorithm option")]  # noqa: E731
        self.select("study-heat-fixed-machine", "configs/fred_small.yaml")
        self.assertEqual(options(), ["–", "in_switch"])
        self.select("study-heat-fixed-machine", "configs/mesh_2x2.yaml")
        self.assertEqual(options(), [], "in_switch has failed there: nothing to choose from")
        self.assertEqual(len(self.all("#study-heat .cell")), 3 * 2)

    def test_axes_of_bytes_are_binary(self):
        self.open("study")
        self.select("study-x", "traffic.injected_bytes")
        labels = [text.text for text in self.all("#study-scatter .axis:first-of-type .tick text") if text.text]
        self.assertTrue(labels and all(label.endswith("B") for label in labels), labels)

    def test_beside_other_results_and_on_narrow_pages(self):
        for width in (1280, 400):
            for theme in ("light", "dark"):
                self.open("study", "compare", width=width, theme=theme)
                self.assertTrue(self.one("#study").is_displayed())
                self.assertTrue(self.one("#run").is_displayed())
                self.assertLessEqual(self.browser.execute_script("return document.documentElement.scrollWidth"), width)
        for wrong in ("null", "NaN", "undefined"):
            self.assertNotIn(wrong, self.one("#study").text)
        self.open("compare")
        self.assertFalse(self.one("#study").is_displayed())

    def test_two_studies_can_be_chosen_from(self):
        document = json.loads((self.folder / "study.json").read_text())
        document["study"] = "half"
        document["points"] = [point for point in document["points"] if point["command"] == "run" and point["machine"].endswith("small.yaml")]
        pathlib.Path(self.path("half")).write_text(json.dumps(document))
        self.open("study", "half")
        self.assertEqual(len(self.all("#study-table tbody tr")), POINTS)
        self.select("study-name", "half")
        self.assertEqual(len(self.all("#study-table tbody tr")), POINTS // 2)
