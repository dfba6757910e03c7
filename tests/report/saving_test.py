# SPDX-License-Identifier: Apache-2.0
"""Files that the page of `fredsim report` saves: charts as SVG files, tables as CSV files. Run by page_test.py."""

import csv
import io
import json
import pathlib
import time
import xml.etree.ElementTree

from page import Page

SVG = "{http://www.w3.org/2000/svg}"

# Files that the page would save go into window.saved instead, as {name, blob}.
CATCH_SAVED = """
window.saved = [];
const blobs = new Map();
URL.createObjectURL = (blob) => { blobs.set(`blob:${blobs.size}`, blob); return `blob:${blobs.size - 1}`; };
HTMLAnchorElement.prototype.click = function () { saved.push({ name: this.download, blob: blobs.get(this.href) }); };
"""


class SavingTest(Page):
    def save(self, button):
        """Presses a button and returns the name and text of the file that it would leave."""
        self.browser.execute_script(CATCH_SAVED)
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()
        return self.browser.execute_async_script(
            "const done = arguments[0]; saved[0].blob.text().then((text) => done([saved[0].name, text]))")

    def save_buttons(self, kind):
        self.browser.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
        return [button for button in self.all("button.save") if button.text == kind and button.is_displayed()]

    def test_every_chart_saves_as_a_drawing_that_stands_alone(self):
        titles = []
        for names in (("compare", "traffic", "conflicts"), ("work",), ("one_size", "one_rate")):
            self.open(*names)
            buttons = self.save_buttons("SVG")
            drawings = [svg for svg in self.all("figure svg, #wafer svg") if svg.is_displayed()]
            self.assertEqual(len(buttons), len(drawings), names)
            for button in buttons:
                title = button.get_attribute("aria-label")[len("Save "):-len(" as SVG")]
                titles.append(title)
                name, text = self.save(button)
                self.assertRegex(name, r"^[\w.-]+\.svg$")
                root = xml.etree.ElementTree.fromstring(text.encode())
                self.assertEqual(root.tag, f"{SVG}svg")
                self.assertEqual(root.find(f"{SVG}title").text, title)
                for needs in ("var(", "class=", "rgba(", "url("):
                    self.assertNotIn(needs, text, name)
                width, height = float(root.get("width")), float(root.get("height"))
                self.assertEqual(root.get("viewBox"), f"0 0 {width:g} {height:g}")
        for kind in ("Latency of all_reduce", "Bus bandwidth of", "Latency against", "Accepted against", "Sets without a routing",
                     "Link load of", "Stall cycles", "Injected by", "Over links", "From start to end", "Latency at", "Accepted at"):
            self.assertTrue(any(title.startswith(kind) for title in titles), f"{kind} in {titles}")

    def test_a_saved_drawing_looks_as_in_the_page(self):
        self.open("compare", theme="dark")
        line = self.one("#curves .series-line").value_of_css_property("stroke")
        paper = self.one("body").value_of_css_property("background-color")
        points = len(self.all("#curves figure:first-child .point"))
        legend = [entry.text for entry in self.all("#curves-legend > span")]
        name, text = self.save(self.save_buttons("SVG")[0])
        self.assertEqual(name, "Latency-of-all_reduce.svg")
        file = self.folder / name
        file.write_text(text)
        self.browser.get(file.as_uri())
        self.assertIn(line, [path.value_of_css_property("stroke") for path in self.all("path")])
        self.assertEqual(self.one("rect").value_of_css_property("fill"), paper.replace("rgba", "rgb").replace(", 1)", ")"))
        texts = [text.text for text in self.all("text")]
        for expected in ["Latency of all_reduce", "4 KiB", "16 KiB", "64 KiB", "Size", "Time, ns", *legend]:
            self.assertIn(expected, texts)
        self.assertGreaterEqual(len(self.all("path")), points + 2 * len(legend), "markers, lines and their legend")
        box = self.one("svg").rect
        for text in self.all("text"):
            self.assertLessEqual(text.rect["x"] + text.rect["width"], box["width"] + 1, text.text)
            self.assertLessEqual(text.rect["y"] + text.rect["height"], box["height"] + 1, text.text)

    def test_tables_save_with_the_values_of_the_page(self):
        self.open("compare")
        document = json.loads(pathlib.Path(self.path("compare")).read_text())
        by_title = {}
        for button in self.save_buttons("CSV"):
            name, text = self.save(button)
            self.assertRegex(name, r"^[\w.-]+\.csv$")
            rows = list(csv.DictReader(io.StringIO(text), strict=True))
            for row in rows:
                self.assertNotIn(None, row, "as many fields as headings")
                self.assertNotIn(None, row.values())
            by_title[button.get_attribute("aria-label")] = rows
        runs = by_title["Save Runs as CSV"]
        self.assertEqual(by_title["Save Latency of all_reduce as CSV"], runs, "a chart's table")
        self.assertEqual([(row["Machine"], int(row["Size, bytes"]), int(row["Cycles"]), float(row["Time, ns"]), float(row["busbw, GB/s"]))
                          for row in runs],
                         [(run["fabric"], run["size_bytes"], run["cycles"], run["time_ns"], run["busbw_gbps"]) for run in document["runs"]])
        self.assertEqual(runs[0]["Speed-up"], "", "the base has none")
        links = next(rows for title, rows in by_title.items() if title.startswith("Save Links: "))
        of_run = document["runs"][2]["links"]  # links of the largest size of the first machine
        self.assertEqual({row["Link"]: (int(row["Flits"]), float(row["Utilization, fraction"])) for row in links},
                         {link["name"]: (link["flits"], link["utilization"]) for link in of_run})
        self.assertEqual([row["Link"] for row in links], self.column("links-table", "Link"), "in the order of the page")
        commands = by_title["Save Results files as CSV"]
        self.assertEqual(commands[0]["Command"], document["command"])

    def test_a_saved_file_is_there(self):
        downloads = self.folder / "downloads"
        downloads.mkdir()
        self.browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)})
        self.open("compare")
        for kind, name in (("SVG", "Latency-of-all_reduce.svg"), ("CSV", "Runs.csv")):
            self.save_buttons(kind)[0].click()
            file = downloads / name
            for _ in range(600):  # it is there before its contents are
                if file.exists() and file.stat().st_size > 100:
                    break
                time.sleep(0.1)
            self.assertGreater(file.stat().st_size, 100)
