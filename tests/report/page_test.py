"""The page of `fredsim report` in headless Chromium: no errors, values on hover, selectors that redraw.

Runs small jobs with the program, makes pages of their results, and uses them as a reader would.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select

FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-dev-shm-usage
  --disable-background-networking --disable-component-update --disable-sync""".split()

WORK = """
- {collective: all_reduce, groups: [[0, 1]], priority: mp, size: 4KiB}
- {collective: all_reduce, groups: [[2, 3]], size: 8KiB, start: 50}
"""

OPTIONS = argparse.Namespace()


def start_browser(profile):
    options = Options()
    options.binary_location = OPTIONS.browser
    for flag in FLAGS + [f"--user-data-dir={profile}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(OPTIONS.driver), options=options)


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="fredsim_page_")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.results("compare", "compare", "configs/mesh_2x2.yaml", "configs/fred_small.yaml",
                    "-b", "4KiB", "-e", "64KiB", "-f", "4")
        cls.results("traffic", "traffic", "configs/mesh_2x2.yaml", "--rate", "0.5:2:0.5",
                    "--warmup", "100", "--cycles", "1000")
        cls.results("slices", "run", "configs/fred_small.yaml", "--set", "fabric.slices=2", "--size", "4KiB")
        cls.results("one_size", "compare", "configs/mesh_2x2.yaml", "configs/fred_small.yaml", "--size", "4KiB")
        cls.results("one_rate", "traffic", "configs/fred_small.yaml", "--rate", "0.5", "--warmup", "100", "--cycles", "1000")
        cls.results("strategy", "run", "configs/fred_small.yaml", "--strategy", "mp2-dp2-pp1", "--dimension", "dp",
                    "--size", "8KiB")
        cls.results("conflicts", "conflicts", "--ports", "12", "--middle", "2,3", "--flows", "2:4", "--trials", "200")
        (cls.folder / "work.yaml").write_text(WORK)
        cls.results("work", "run", "configs/fred_small.yaml", "--work", str(cls.folder / "work.yaml"))
        cls.results("settings", "compare", "configs/fred_small.yaml", "configs/fred_small.yaml@fabric.middle=2,fabric.slices=1",
                    "configs/mesh_2x2.yaml", "--size", "4KiB")
        cls.browser = start_browser(cls.folder / "profile")
        cls.addClassCleanup(cls.browser.quit)

    @classmethod
    def results(cls, name, *arguments):
        subprocess.run([OPTIONS.program, *arguments, "--quiet", "--json", cls.path(name)],
                       check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def path(cls, name):
        return str(cls.folder / f"{name}.json")

    def open(self, *names, width=1280, theme="light"):
        page = self.folder / "page.html"
        subprocess.run([OPTIONS.program, "report", *map(self.path, names), "-o", str(page)], check=True)
        command = self.browser.execute_cdp_cmd
        command("Emulation.setEmulatedMedia",
                {"features": [{"name": "prefers-color-scheme", "value": theme}]})
        command("Emulation.setDeviceMetricsOverride",
                {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.browser.get(page.as_uri())

    def tearDown(self):
        self.assertEqual(self.browser.get_log("browser"), [], "the console is empty")

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def hover(self, selector):
        target = self.one(selector)
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", target)
        ActionChains(self.browser).move_to_element(target).perform()
        tooltip = self.one("#tooltip")
        self.assertTrue(tooltip.is_displayed(), selector)
        return tooltip.text

    def select(self, name, text):
        Select(self.one(f"#{name}")).select_by_visible_text(text)

    def arrows(self):
        return {(a.get_attribute("data-from"), a.get_attribute("data-to")) for a in self.all("#wafer g.arrow")}

    def column(self, table, heading):
        headings = [h.text.split(" ")[0] for h in self.all(f"#{table} th")]
        return [c.text for c in self.all(f"#{table} tbody td:nth-child({headings.index(heading) + 1})")]

    def links_of_last_run(self, name, fabric):
        document = json.loads(pathlib.Path(self.path(name)).read_text())
        return [run for run in document["runs"] if run["fabric"] == fabric][-1]["links"]

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
                for names in (("compare", "traffic", "work"), ("one_size", "one_rate", "conflicts")):
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
    for option in ("program", "browser", "driver"):
        parser.add_argument(f"--{option}", required=True)
    _, rest = parser.parse_known_args(namespace=OPTIONS)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)


if __name__ == "__main__":
    main()
