# SPDX-License-Identifier: Apache-2.0
"""The page of `fredsim report`: no errors, values on hover, selectors that redraw.

Runs small jobs with the program, makes pages of their results, and uses them as a reader would.
"""

import argparse
import json
import pathlib
import sys
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin

from page import OPTIONS, Page
from saving_test import SavingTest  # noqa: F401, run with the others
from study_test import StudyTest  # noqa: F401, the same


class PageTest(Page):
    def size_ticks(self, chart):
        """Labels of the ticks of the horizontal axis, "" for none, and positions of the labelled ones."""
        texts = self.all(f"#curves-charts figure:nth-child({chart}) .axis:not(.grid) .tick text")
        spans = [(t.rect["x"], t.rect["x"] + t.rect["width"]) for t in texts if t.text]
        return [text.text for text in texts], spans

    def test_own_npus_beside_ours(self):
        self.open("own", "one_size")
        for details in self.all("details"):
            self.browser.execute_script("arguments[0].open = true", details)
        self.assertEqual(self.column("runs-table", "Size")[:3], ["–", "4 KiB", "40 KiB"])
        self.assertEqual(self.column("runs-table", "busbw")[:3], ["–"] * 3)
        self.select("collective", "own_message")
        charts = [caption.text for caption in self.all("#curves-charts figcaption")]
        self.assertEqual(charts, ["Latency of own_message"], "there is no bus bandwidth")
        self.select("run-of-machine", "own_message")
        self.assertIn("not checked", self.one("#run-facts").text)
        for wrong in ("null", "NaN", "undefined"):
            self.assertNotIn(wrong, self.one("body").text)
        self.open("own")
        self.assertEqual(len(self.all("#curves-charts figcaption")), 1)

    def test_machines_of_one_file_are_told_apart_by_their_settings(self):
        self.open("settings")
        settings = "fabric.middle=2, fabric.slices=1"
        self.assertEqual(self.column("machines-table", "Machine"),
                         ["fred_small (as in its file)", f"fred_small ({settings})", "mesh_2x2"])
        self.assertEqual(self.column("machines-table", "Settings"), ["–", settings, "–"])
        self.open("compare")
        self.assertNotIn("Settings", self.one("#machines-table").text)

    def test_fits_both_widths_in_both_themes(self):
        backgrounds = set()
        for theme in ("light", "dark"):
            for width in (1280, 400):
                for names in (("compare", "traffic", "work"), ("one_size", "one_rate", "conflicts", "kinds"),
                              ("training",)):
                    self.open(*names, width=width, theme=theme)
                    self.assertLessEqual(self.browser.execute_script("return document.documentElement.scrollWidth"), width)
                backgrounds.add(self.one("body").value_of_css_property("background-color"))
        self.assertEqual(len(backgrounds), 2)

    def test_curves_have_a_point_per_run_with_its_values_on_hover(self):
        self.open("compare")
        self.assertEqual(len(self.all("#curves .point")), 2 * 2 * 3, "charts x machines x sizes")
        runs = json.loads(pathlib.Path(self.path("compare")).read_text())["runs"]
        text = self.hover("#curves .point")
        self.assertIn(runs[0]["fabric"], text)
        self.assertIn("4 KiB", text)
        self.assertIn(f'{runs[0]["cycles"]:,}', text)

    def test_every_link_is_in_the_drawing_and_says_its_load_on_hover(self):
        self.open("compare")
        links = self.links_of_last_run("compare", "mesh_2x2")
        self.assertEqual(self.arrows(), {(link["from"], link["to"]) for link in links})
        for ends in (("r0_0", "r1_0"), ("r1_0", "r0_0")):
            link = [one for one in links if (one["from"], one["to"]) == ends][0]
            text = self.hover(f'#wafer g.arrow[data-from="{ends[0]}"][data-to="{ends[1]}"] .hit')
            self.assertIn(" → ".join(ends), text)
            self.assertIn(f'{100 * link["utilization"]:.2f} %', text)
            self.assertIn(f'{link["flits"]:,}', text)

    def test_the_whole_map_can_be_reached_on_a_narrow_page(self):
        in_view = """
            const view = document.getElementById("wafer").getBoundingClientRect();
            return [...document.querySelectorAll("#wafer .box rect")].map((box) => box.getBoundingClientRect())
              .map((box) => box.left >= view.left - 1 && box.right <= view.right + 1 && box.top >= view.top - 1 && box.bottom <= view.bottom + 1);"""
        self.open("wafer", width=400)
        for machine in ("mesh", "fred_d"):
            self.select("machine", machine)
            self.select("zoom", "readable")
            self.assertIn("scroll it", self.one("#wafer-note").text)
            wafer = self.one("#wafer")
            self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", wafer)
            seen = self.browser.execute_script(in_view)
            self.assertFalse(all(seen), "too small to read")
            for across, down in ((300, 0), (300, 0), (300, 0), (300, 0), (0, 300), (-300, 0), (-300, 0), (-300, 0), (-300, 0)):
                ActionChains(self.browser).scroll_from_origin(ScrollOrigin.from_element(wafer), across, down).perform()
                seen = [one or other for one, other in zip(seen, self.browser.execute_script(in_view))]
                self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", wafer)
            self.assertEqual(seen.count(False), 0, f"{machine}: boxes that the wheel does not bring into view")
            self.select("zoom", "whole")
            self.assertTrue(all(self.browser.execute_script(in_view)), machine)
            self.assertNotIn("scroll it", self.one("#wafer-note").text)

    def test_sizes_on_the_axis_are_the_measured_ones(self):
        for name, sizes in (("compare", ["4 KiB", "16 KiB", "64 KiB"]), ("odd", ["1,000 B", "6,000 B", "36,000 B"]),
                            ("dense", [f"{1 << k} KiB" for k in range(10)] + ["1 MiB", "2 MiB", "4 MiB"])):
            self.open(name)
            for chart in (1, 2):
                ticks = self.size_ticks(chart)[0]
                self.assertEqual([tick or size for tick, size in zip(ticks, sizes)], sizes, "one of many may have no room")
                self.assertEqual(len(ticks), len(sizes))
                self.assertLess(ticks.count(""), len(sizes) / 2)
                labels = [text.text for text in self.all(f"#curves-charts figure:nth-child({chart}) text")]
                self.assertIn("Size", labels)
        self.open("dense", width=400)
        labels, spans = self.size_ticks(1)
        self.assertEqual(len(labels), len(sizes), "a tick without a label is there, too")
        self.assertTrue(all(label in ("", size) for label, size in zip(labels, sizes)), labels)
        self.assertIn("", labels)
        self.assertTrue(labels[0] and labels[-1], "both ends are labelled")
        for (_, right), (left, _) in zip(spans, spans[1:]):
            self.assertLess(right, left, labels)

    def test_the_machine_changes_the_drawing_and_the_table(self):
        self.open("compare")
        before = self.arrows()
        self.select("machine", "fred_small")
        links = self.links_of_last_run("compare", "fred_small")
        self.assertTrue(before.isdisjoint(self.arrows()))
        self.assertEqual(set(self.column("links-table", "Link")), {link["name"] for link in links})
        self.assertIn("64 KiB", self.one("#run-facts").text, "the size stays")
        self.select("run-of-machine", "all_reduce 4 KiB")
        self.assertIn("4 KiB", self.one("#run-facts").text)

    def test_a_slice_alone_has_its_links_only(self):
        self.open("slices")
        links = self.links_of_last_run("slices", "fred_small")
        self.select("slice", "slice 1")
        of_slice = {link["name"] for link in links if ".s1" in link["from"] + link["to"]}
        self.assertEqual(len(of_slice), len(links) / 2)
        self.assertEqual(set(self.column("links-table", "Link")), of_slice)

    def test_headings_sort_their_table(self):
        self.open("compare")
        loads = [float(text.split(" ")[0]) for text in self.column("links-table", "Utilization")]
        self.assertEqual(loads, sorted(loads, reverse=True))
        heading = self.one("#links-table th:first-child button")
        heading.click()
        names = self.column("links-table", "Link")
        self.assertEqual(names, sorted(names))
        self.assertNotEqual(names[0], names[-1])
        heading.click()
        self.assertEqual(self.column("links-table", "Link"), sorted(names, reverse=True))

    def test_parts_and_stalls_have_bars_with_values(self):
        self.open("work")
        self.assertEqual(len(self.all("#parts-chart g[role=img]")), 2)
        text = self.hover("#parts-chart g[role=img]:last-child")
        self.assertIn("{2, 3}", text)
        self.assertIn("50 cycles", text)
        run = json.loads(pathlib.Path(self.path("work")).read_text())["runs"][0]
        name, stalls = run["switches"][0]["name"], run["switches"][0]["stall_cycles"]
        self.assertGreater(sum(stalls.values()), 0)
        text = self.hover("#stalls-chart g[role=img]")
        self.assertIn(name, text)
        for reason, cycles in stalls.items():
            self.assertIn(f"{reason} {cycles:,}", text)

    def test_a_breakdown_has_a_bar_per_stage(self):
        self.open("breakdown")
        part = json.loads(pathlib.Path(self.path("breakdown")).read_text())["runs"][0]["breakdown"][0]
        bars = len(part["stages"]) + len(part["path"]["stages"])
        self.assertEqual(len(self.all("#breakdown-charts g[role=img]")), bars)
        stage = next(stage for stage in part["stages"] if stage["causes"])
        text = self.hover("#breakdown-charts g[role=img]")
        self.assertIn(stage["stage"], text)
        for cause in stage["causes"]:
            self.assertIn(f"{cause['cause']} {cause['mean']:,.1f} cycles", text)
        self.open("work")
        self.assertFalse(self.one("#breakdown").is_displayed())

    def test_traffic_has_mean_and_p99_and_accepted_rates(self):
        self.open("traffic")
        self.assertEqual(len(self.all("#load .point")), 3 * 4, "curves x rates")
        self.assertIn("p99", self.hover("#load .point"))
        self.assertFalse(self.one("#curves").is_displayed())

    def test_traffic_has_the_stalls_of_its_window(self):
        self.open("traffic")
        switch = json.loads(pathlib.Path(self.path("traffic")).read_text())["runs"][-1]["switches"][0]
        self.assertGreater(sum(switch["stall_cycles"].values()), 0)
        text = self.hover("#stalls-chart g[role=img]")
        self.assertIn(switch["name"], text)
        for reason, cycles in switch["stall_cycles"].items():
            self.assertIn(f"{reason} {cycles:,}", text)

    def test_one_size_is_a_bar_with_its_value_per_machine(self):
        self.open("one_size")
        self.assertEqual(self.all("#curves .point"), [])
        self.assertFalse(self.one("#curves-legend").is_displayed())
        runs = json.loads(pathlib.Path(self.path("one_size")).read_text())["runs"]
        bars = self.all("#curves g[role=img]")
        self.assertEqual(len(bars), 2 * 2, "charts x machines")
        for run, latency, bandwidth in zip(runs, bars, bars[2:]):
            self.assertIn(f'{run["fabric"]}, {run["algorithm"]}', latency.text)
            self.assertIn(f'{run["time_ns"]:.5g} ns', latency.text)
            self.assertIn(f'{run["busbw_gbps"]:,.1f} GB/s', bandwidth.text)
        self.assertIn(f'{runs[0]["cycles"]:,}', self.hover("#curves g[role=img]"))

    def test_one_rate_is_bars_with_their_values(self):
        self.open("one_rate")
        self.assertEqual(self.all("#load .point"), [])
        run = json.loads(pathlib.Path(self.path("one_rate")).read_text())["runs"][0]
        mean, p99, accepted = self.all("#load g[role=img]")
        self.assertIn("fred_small, mean", mean.text)
        self.assertIn(f'{run["latency_cycles"]["mean"]:.5g} cycles', mean.text)
        self.assertIn(f'{run["latency_cycles"]["p99"]} cycles', p99.text)
        self.assertIn(f'{run["accepted_rate"]:.4f}', accepted.text)

    def test_conflicts_have_a_rate_with_its_interval(self):
        for names in (("conflicts",), ("conflicts", "compare")):
            self.open(*names)
            self.assertEqual(self.one("#run").is_displayed(), len(names) == 2)
            self.assertEqual(len(self.all("#conflicts .point")), 2 * 3, "m x flows")
            self.assertEqual(len(self.all("#conflicts .interval")), 2 * 3)
            rate = json.loads(pathlib.Path(self.path("conflicts")).read_text())["runs"][-2]
            self.assertEqual((rate["middle"], rate["flows"]), (2, 4))
            text = self.hover("#conflicts .point:nth-child(3)")
            self.assertIn("Fred_2(12)", text)
            self.assertIn(f'no routing {100 * rate["conflict_rate"]:.3f}'.rstrip("0").rstrip("."), text)

    def test_training_iterations_are_bars_of_their_parts(self):
        for names in (("training",), ("training", "compare")):
            self.open(*names)
            self.assertEqual(self.one("#run").is_displayed(), len(names) == 2)
            runs = json.loads(pathlib.Path(self.path("training")).read_text())["runs"]
            mesh, fred = self.all("#training-charts g[role=img]")
            self.assertEqual(len(self.all("#training-charts figure")), 1)
            self.assertEqual(len(mesh.find_elements("css selector", "rect.bar")), len(runs[0]["breakdown_ns"]))
            self.assertIn("mesh_2x2", mesh.text)
            self.assertIn(f'{runs[1]["speedup"]:.3g}'[:3], fred.text)
            self.assertIn("model_small, mp2-dp2-pp1, minibatch 32, serial", self.one("#training").text)

    def test_training_has_a_breakdown_per_machine_memory_and_layers(self):
        self.open("training")
        runs = json.loads(pathlib.Path(self.path("training")).read_text())["runs"]
        for k, run in enumerate(runs):
            table = f"training-parts-{k}-table"
            self.assertTrue(self.one(f"#{table} table").is_displayed(), "open")
            parts = self.column(table, "Part")
            self.assertGreaterEqual(len(parts), sum(ns > 0 for ns in run["breakdown_ns"].values()))
            self.assertIn("MP, exposed", parts)
            shares = [float(text.split(" ")[0]) for text in self.column(table, "Share") if text != "–"]
            self.assertAlmostEqual(sum(shares), 100, delta=0.1)
        self.assertIn("exposed communication", self.one("#training-machines dl").text)
        self.assertTrue(self.one("#training-table table").is_displayed())
        memory = runs[0]["npu_memory"]
        weights = self.column("training-memory-table", "weights")[0]
        number, unit = weights.split(" ")
        self.assertAlmostEqual(float(number) * {"KB": 1e3, "MB": 1e6, "GB": 1e9}[unit] / memory["weights_bytes"], 1, delta=1e-3)
        self.assertFalse(self.one("#training-layers").is_displayed(), "one stage")
        for width in (1280, 400):
            self.open("stages", width=width)
            self.assertEqual(self.column("training-layers-table", "Layers"), [f"{n:g}" for n in
                             json.loads(pathlib.Path(self.path("stages")).read_text())["runs"][0]["layers_per_stage"]])
            self.assertLessEqual(self.browser.execute_script("return document.documentElement.scrollWidth"), width)

    def test_kinds_of_switches_and_their_pareto_front(self):
        for names in (("kinds",), ("kinds", "compare")):
            self.open(*names)
            self.assertEqual(self.one("#run").is_displayed(), len(names) == 2)
            self.assertEqual(len(self.all("#kinds figure:first-child .point")), 3 + 2, "kinds, and those on the front")
            self.assertEqual(len(self.all("#kinds-charts figure")), 4)
            text = self.hover("#kinds figure:first-child .point:nth-child(5)")
            for word in ("beaten", "30 µs", "200 mm²", "2.5 pJ/B"):
                self.assertIn(word, text)
            self.assertEqual(self.column("kinds-table", "Switch"), ["small", "fast", "beaten"])
            self.assertEqual(self.column("kinds-table", "Conflicts"), ["12.5 %", "–", "none by construction"])
            self.select("work-of-kinds", "other")
            self.assertIn("60 µs", self.hover("#kinds figure:first-child .point:nth-child(5)"))
            self.assertEqual(len(self.all("#kinds-charts figure")), 3, "no energies")

    def test_a_point_alone_among_curves_says_its_value(self):
        self.open("compare", "strategy")
        run = json.loads(pathlib.Path(self.path("strategy")).read_text())["runs"][0]
        labels = [label.text for label in self.all("#curves text.value")]
        self.assertEqual(labels, [f'{run["time_ns"]:.5g} ns', f'{run["busbw_gbps"]:,.1f} GB/s'])

    def test_what_was_run_names_strategy_and_placement(self):
        self.open("compare", "strategy")
        self.assertEqual(self.column("machines-table", "Strategy"), ["–", "–", "mp2-dp2-pp1"])
        self.assertEqual(self.column("machines-table", "Dimensions"), ["–", "–", "dp"])
        self.assertEqual(self.column("machines-table", "Placement"), ["–", "–", "paper"])
        self.assertEqual(self.column("machines-table", "Machine")[2], "fred_small (strategy.json)",
                         "without the folders that all files share")
        self.open("compare")
        self.assertNotIn("Strategy", self.one("#machines-table").text)

    def test_names_stay_text(self):
        evil = "</script><img src=x onerror=document.title='x'>"
        document = json.loads(pathlib.Path(self.path("compare")).read_text())
        for run in document["runs"]:
            run["fabric"] = run["config"] = evil
            run["links"][0]["name"] = evil
        document["command"] = evil
        pathlib.Path(self.path("evil")).write_text(json.dumps(document))
        self.open("evil")
        self.assertEqual(self.browser.title, "fredsim report")
        self.assertEqual(self.all("img"), [])
        self.assertIn(evil, self.one("#summary").text)

    def test_a_fabric_without_a_layout_has_its_table(self):
        document = json.loads(pathlib.Path(self.path("compare")).read_text())
        for run in document["runs"]:
            del run["layout"]
        pathlib.Path(self.path("old")).write_text(json.dumps(document))
        self.open("old")
        self.assertEqual(self.all("#wafer svg"), [])
        self.assertIn("do not say where", self.one("#wafer-note").text)
        self.assertGreater(len(self.column("links-table", "Link")), 10)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for option in ("program", "own_npu", "browser", "driver"):
        parser.add_argument(f"--{option.replace('_', '-')}", required=True)
    _, rest = parser.parse_known_args(namespace=OPTIONS)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)


if __name__ == "__main__":
    main()
