# SPDX-License-Identifier: Apache-2.0
"""The page of `fredsim report` in headless Chromium, for tests: results of small jobs, pages made of them."""

import argparse
import json
import pathlib
import subprocess
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

# Area and time of three kinds of switches: the last one is larger and slower than the first.
KINDS = (("small", 100, 20000), ("fast", 400, 5000), ("beaten", 200, 30000))

OPTIONS = argparse.Namespace()


def start_browser(profile):
    options = Options()
    options.binary_location = OPTIONS.browser
    for flag in FLAGS + [f"--user-data-dir={profile}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(OPTIONS.driver), options=options)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="fredsim_page_")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.make_results()
        cls.browser = start_browser(cls.folder / "profile")
        cls.addClassCleanup(cls.browser.quit)

    @classmethod
    def make_results(cls):
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
        cls.results("wafer", "compare", "configs/mesh.yaml", "configs/fred_d.yaml", "--size", "4KiB")
        cls.results("dense", "run", "configs/mesh_2x2.yaml", "-b", "1KiB", "-e", "4MiB", "-f", "2")
        cls.results("odd", "run", "configs/mesh_2x2.yaml", "-b", "1000", "-e", "36000", "-f", "6")
        (cls.folder / "work.yaml").write_text(WORK)
        cls.results("work", "run", "configs/fred_small.yaml", "--work", str(cls.folder / "work.yaml"))
        cls.results("breakdown", "run", "configs/fred_small.yaml", "--size", "20KiB", "--breakdown")
        cls.results("settings", "compare", "configs/fred_small.yaml", "configs/fred_small.yaml@fabric.middle=2,fabric.slices=1",
                    "configs/mesh_2x2.yaml", "--size", "4KiB")
        cls.results("training", "train", "configs/mesh_2x2.yaml", "configs/fred_small.yaml", "--workload", "configs/models/small.yaml",
                    "--mp", "2", "--dp", "2")
        cls.results("stages", "train", "configs/mesh_2x2.yaml", "--workload", "configs/models/small.yaml", "--mp", "2", "--pp", "2")
        cls.own_results()
        cls.kinds_results()

    @classmethod
    def results(cls, name, *arguments):
        subprocess.run([OPTIONS.program, *arguments, "--quiet", "--json", cls.path(name)],
                       check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def own_results(cls):
        """Results of tb_own_npu; in the first run there is nothing of what may be null."""
        subprocess.run([OPTIONS.own_npu, "--model", "tlm", "--json", cls.path("own")], check=True, stdout=subprocess.DEVNULL)
        document = json.loads(pathlib.Path(cls.path("own")).read_text())
        for key in ("config", "machine", "size_bytes", "algbw_gbps", "payload"):
            document["runs"][0][key] = None
        pathlib.Path(cls.path("own")).write_text(json.dumps(document))

    @classmethod
    def kinds_results(cls):
        """Kinds as scripts/microarchitectures.sh writes them."""
        kinds = [{"name": name, "kind": "fred", "config": "configs/fred_d.yaml", "logic_kge": 1000.5, "area_mm2": area,
                  "path_fo4": 75.5, "clock_ghz": 1.57, "saturation": 0.6, "conflict_rate": 0.125 if name == "small" else None,
                  "works": [{"work": work, "algorithm": "in_switch", "time_ns": time * scale, "own_clock_time_ns": 0.95 * time * scale,
                             "energy_pj_per_byte": energy} for work, scale, energy in (("one", 1, 2.5), ("other", 2, None))]}
                 for name, area, time in KINDS]  # fmt: skip
        kinds[-1]["conflicts"] = "none by construction"
        pathlib.Path(cls.path("kinds")).write_text(json.dumps({"fredsim": "1.2.3", "microarchitectures": kinds}))

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
