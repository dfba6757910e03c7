#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The site of docs/ in headless Chromium, over HTTP and from the disk, on a screen of 1280 and one of 400 pixels.

  site_test.py --browser CHROMIUM --driver CHROMEDRIVER [--site FOLDER]

Builds the site into a temporary folder, or takes the one that is given. Every page (over HTTP one of each folder): all that it asks for is there and comes from this machine, no script
fails, nothing is wider than the screen. The menu opens on the narrow screen and folds its sections on the wide one, the contents are those of the
page, and the search finds what is there. From the disk there is no search.
"""

import argparse
import functools
import http.server
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import unittest

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

CHECKOUT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-dev-shm-usage
  --disable-background-networking --disable-component-update --disable-sync""".split()
WIDE, NARROW = 1280, 400
PATIENCE = 60  # seconds until a missing event is a failure

OPTIONS = argparse.Namespace()

# Requests of the page, and its pictures that are not there.
ASKED = """return {
  asked: performance.getEntriesByType('resource').map(entry => entry.name),
  pictures: [...document.images].filter(image => !image.complete || image.naturalWidth === 0).map(image => image.src)};"""
# Parts of a page take their places at once: its transitions take a quarter of a second after every
# change of the screen.
AT_ONCE = """const style = document.createElement('style');
  style.textContent = '*, *::before, *::after { transition: none !important; animation: none !important; }';
  document.head.append(style);"""
# Ends when nothing moves any more, with the width of the page and the beginning of the first part
# that reaches beyond the screen.
WIDTH = """const done = arguments[0];
  const scrolls = part => part !== document.body && (getComputedStyle(part).overflowX !== 'visible' || scrolls(part.parentElement));
  const measure = () => {
    const width = document.documentElement.clientWidth;
    const wide = [...document.querySelectorAll('body *')].find(part => part.getBoundingClientRect().right > width + 1 && !scrolls(part));
    done([document.scrollingElement.scrollWidth, wide ? wide.outerHTML.slice(0, 200) : '']);
  };
  const still = () => Promise.allSettled(document.getAnimations().map(animation => animation.finished)).then(measure);
  requestAnimationFrame(() => requestAnimationFrame(still));"""

# The line above the results of a search, and the pages of the results that are shown.
SEARCH_SAYS = "return document.querySelector('.md-search-result__meta').textContent;"
FOUND = """return [...document.querySelectorAll('.md-search-result__item > a')]
  .filter(link => link.getClientRects().length).map(link => link.href.split(/[?#]/)[0]);"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """The files of the site. missing: paths that were asked for and are not there."""

    missing: list = []

    def end_headers(self):
        self.send_header("Cache-Control", "no-store")  # a page that is left while it loads locks no entry of a cache
        super().end_headers()

    def log_request(self, code="-", size="-"):
        if int(code) >= 400:
            self.missing.append(self.path)

    def log_message(self, format, *args):
        pass  # the test reports missing pages


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 64  # connections of sequential pages


class SiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="fredsim_site_")
        cls.addClassCleanup(folder.cleanup)
        cls.site = pathlib.Path(OPTIONS.site or f"{folder.name}/site").resolve()
        if not OPTIONS.site:
            subprocess.run(["/usr/bin/mkdocs", "build", "--quiet", "--strict", "--config-file", CHECKOUT / ".mkdocs.yml", "--site-dir", cls.site], check=True)
        cls.pages = sorted(str(page.relative_to(cls.site)) for page in cls.site.rglob("*.html"))
        server = Server(("127.0.0.1", 0), functools.partial(Handler, directory=cls.site))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        cls.address = f"http://127.0.0.1:{server.server_port}/"
        options = Options()
        options.binary_location = OPTIONS.browser
        for flag in [*FLAGS, f"--user-data-dir={folder.name}/profile"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        cls.browser = webdriver.Chrome(service=Service(OPTIONS.driver), options=options)
        cls.addClassCleanup(cls.browser.quit)
        cls.browser.set_script_timeout(PATIENCE)

    def tearDown(self):
        self.assertEqual(self.browser.get_log("browser"), [], "the console is empty")
        self.assertEqual(Handler.missing, [], "all that was asked for is there")

    def screen(self, width):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width == NARROW})

    def open(self, page, width, root=None):
        self.screen(width)
        self.browser.get((root or self.address) + page)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def shown(self, selector):
        return [found for found in self.all(selector) if found.is_displayed()]

    def until(self, condition, what):
        WebDriverWait(self.browser, PATIENCE, 0.05).until(lambda _: condition(), what)

    def check_pages(self, root, pages):
        """Pages at both widths, without opening them twice."""
        for page in pages:
            with self.subTest(page=root + page):
                self.open(page, WIDE, root)
                found = self.browser.execute_script(ASKED)
                self.assertEqual([name for name in found["asked"] if not name.startswith(root)], [], "it asks for nothing elsewhere")
                self.assertEqual(found["pictures"], [], "its pictures are there")
                self.browser.execute_script(AT_ONCE)
                for width in (WIDE, NARROW):
                    self.screen(width)
                    width_of_page, wide = self.browser.execute_async_script(WIDTH)
                    self.assertLessEqual(width_of_page, width, f"wider than the screen: {wide}")
                self.assertEqual(self.browser.get_log("browser"), [], "the console is empty")

    def test_pages_from_the_disk(self):
        self.check_pages(f"{self.site.as_uri()}/", [page for page in self.pages if page != "404.html"])  # its paths are the server's

    def test_pages_over_http(self):
        """One page of each folder, the one with the longest title, which the header has to hold; each asks for the whole index of the search."""
        pages = {}
        for page in sorted(self.pages, key=lambda page: len(re.search("<title>(.*?)</title>", (self.site / page).read_text(encoding="utf-8"))[1])):
            pages[pathlib.Path(page).parent] = page
        self.check_pages(self.address, ["404.html", *pages.values()])

    def test_wide_tables_and_outputs_scroll_by_themselves(self):
        self.open("user/first_steps.html", NARROW)
        outputs = self.browser.execute_script("return [...document.querySelectorAll('pre > code')].map(code => [code.clientWidth, code.scrollWidth]);")
        self.assertTrue(any(inner > outer for outer, inner in outputs), "an output of 80 columns scrolls on a phone")
        self.open("reference/machine_files.html", NARROW)
        tables = self.browser.execute_script("return [...document.querySelectorAll('.md-typeset__scrollwrap')].map(box => [box.clientWidth, box.scrollWidth]);")
        self.assertTrue(any(inner > outer for outer, inner in tables), "the table of keys scrolls on a phone")

    def menu_opens(self, root):
        self.open("user/install.html", NARROW, root)
        menu, = self.all(".md-sidebar--primary")
        self.assertLess(menu.rect["x"] + menu.rect["width"], 1, "closed at first")
        self.all(".md-header label[for=__drawer]")[0].click()
        self.until(lambda: menu.rect["x"] >= 0, "the menu opens")
        other = next(link for link in self.shown(".md-sidebar--primary a") if "first_steps" in link.get_attribute("href"))
        self.until(lambda: other.rect["x"] >= 0, "its pages come into sight")
        other.click()
        self.until(lambda: self.browser.current_url.endswith("user/first_steps.html"), "a page of the menu opens")

    def test_menu_opens_on_a_phone(self):
        self.menu_opens(self.address)
        self.menu_opens(f"{self.site.as_uri()}/")

    def test_sections_fold(self):
        self.open("index.html", WIDE)
        links = ".md-sidebar--primary a[href^='studies/']"
        self.assertEqual(self.shown(links), [], "only the section of a page is open")
        label = next(label for label in self.shown(".md-sidebar--primary label.md-nav__link") if label.text == "Studies")
        label.click()
        self.until(lambda: len(self.shown(links)) > 10, "the studies are shown")
        label.click()
        self.until(lambda: not self.shown(links), "the studies are hidden")

    def test_contents_of_a_page(self):
        self.open("user/first_steps.html", WIDE)
        contents = [link.text for link in self.shown(".md-sidebar--secondary .md-nav__link")]
        headings = [heading.text.rstrip("¶").strip() for heading in self.all("article h2")]
        self.assertTrue(headings)
        self.assertEqual([text for text in contents if text in headings], headings)

    def check_search(self, words, page, width):
        """The search finds a page. Results are replaced with every letter, so that they are read by a script, at once."""
        self.open("index.html", width)
        self.until(lambda: "Initializing" not in self.browser.execute_script(SEARCH_SAYS), "the index of the search is there")
        if width == NARROW:
            self.all(".md-header label[for=__search]")[0].click()
        box, = self.all(".md-search__input")
        self.until(box.is_displayed, "there is a box for words")
        box.send_keys(words)
        self.until(lambda: self.address + page in self.browser.execute_script(FOUND), f"{words} is found on {page}")

    def test_search_finds_words_names_and_keys(self):
        self.check_search("pre-emption", "studies/preemption.html", WIDE)
        self.check_search("fabric.link_latency", "reference/machine_files.html", WIDE)
        self.check_search("--compute-rate", "user/training.html", NARROW)
        self.check_search("all_to_all", "reference/options.html", NARROW)

    def test_no_search_from_the_disk(self):
        for width in (WIDE, NARROW):
            self.open("index.html", width, f"{self.site.as_uri()}/")
            self.assertEqual(self.all(".md-search"), [])
            self.assertEqual(self.shown(".md-header label[for=__search]"), [])


def main():
    parser = argparse.ArgumentParser(description="The site of docs/ in a browser.")
    parser.add_argument("--browser", required=True, help="Chromium")
    parser.add_argument("--driver", required=True, help="its WebDriver")
    parser.add_argument("--site", help="a site that is built; default: builds one")
    _, words = parser.parse_known_args(namespace=OPTIONS)
    unittest.main(argv=[sys.argv[0], *words])


if __name__ == "__main__":
    main()
