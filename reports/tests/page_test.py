#!/usr/bin/python3
"""Opens the report page and the kill matrix in a headless Chromium and uses them as a reader does.

page_test.py NORMCHECK             checks the pages that this binary writes (part of ctest; 77 = not checked)
page_test.py --pages FILE...       checks pages that are there already, with the ones beside them
page_test.py --screenshot PAGE OUT.png [WIDTH [HEIGHT [light|dark]]]   makes a picture of a page, in few colours
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

NOT_CHECKED = 77
LARGEST_PAGE = 3_000_000
LONGEST_OPENING = 2.0
LARGEST_MATRIX = 1_000_000
PHONE, DESK = 400, 1280


def not_checked(why):
    print(f"not checked: {why} (apt-get install chromium chromium-driver python3-selenium)")
    sys.exit(NOT_CHECKED)


try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
except ImportError:
    not_checked("python3-selenium is missing")


def browser(width=DESK, height=900, script=True, scheme="light"):
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver:
        not_checked("chromium or chromium-driver is missing")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--disable-gpu"):
        options.add_argument(argument)
    if not script:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(service=Service(driver), options=options)
    # The window of a headless browser may be narrower than asked or have a least width: the metrics are what the page sees.
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width <= PHONE})
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    opened.set_network_conditions(offline=True, latency=0, throughput=0)
    return opened


def url_of(page):
    return pathlib.Path(page).resolve().as_uri()


class Pages(unittest.TestCase):
    report = matrix = None
    desk = None

    @classmethod
    def setUpClass(cls):
        cls.desk = browser()

    @classmethod
    def tearDownClass(cls):
        cls.desk.quit()

    def open(self, page, fragment=""):
        self.desk.get("about:blank")
        self.desk.get_log("browser")
        self.desk.get(url_of(page) + fragment)

    def all(self, selector, within=None):
        return (within or self.desk).find_elements(By.CSS_SELECTOR, selector)

    def check_console(self, page):
        self.open(page)
        self.assertEqual([], self.desk.get_log("browser"))

    def check_opening(self, page, largest):
        self.assertLess(os.path.getsize(page), largest)
        self.open(page)
        opened = self.desk.execute_script("return performance.getEntriesByType('navigation')[0].loadEventEnd")
        self.assertGreater(opened, 0)
        self.assertLess(opened / 1000, LONGEST_OPENING)

    def check_narrow(self, page):
        phone = browser(width=PHONE)
        try:
            phone.get(url_of(page))
            self.assertEqual(PHONE, phone.execute_script("return innerWidth"))
            phone.execute_script("document.querySelectorAll('details').forEach((place) => { place.open = true; })")
            self.assertLessEqual(phone.execute_script("return document.documentElement.scrollWidth"), PHONE)
        finally:
            phone.quit()

    def check_ids(self, page):
        self.open(page)
        repeated = self.desk.execute_script(
            "const ids = Array.from(document.querySelectorAll('[id]'), (e) => e.id);"
            "return ids.filter((id, at) => ids.indexOf(id) !== at)")
        self.assertEqual([], repeated)
        dangling = self.desk.execute_script(
            "return Array.from(document.querySelectorAll('a[href^=\"#\"]'), (e) => e.getAttribute('href').slice(1))"
            ".filter((id) => !document.getElementById(id))")
        self.assertEqual([], dangling)

    def test_consoles_stay_silent(self):
        self.check_console(self.report)
        self.check_console(self.matrix)

    def test_pages_open_fast_and_are_small(self):
        self.check_opening(self.report, LARGEST_PAGE)
        self.check_opening(self.matrix, LARGEST_MATRIX)

    def test_nothing_is_wider_than_a_phone(self):
        self.check_narrow(self.report)
        self.check_narrow(self.matrix)

    def test_ids_are_single_and_links_lead_somewhere(self):
        self.check_ids(self.report)
        self.check_ids(self.matrix)

    def test_nothing_comes_from_outside(self):
        for page in (self.report, self.matrix):
            self.open(page)
            self.assertEqual([], self.desk.execute_script("return performance.getEntriesByType('resource').map((e) => e.name)"
                                                          ".filter((name) => !name.startsWith('data:'))"))

    def test_table_sorts_both_ways(self):
        self.open(self.report)
        table = self.all("table.heat")[0]
        self.all("thead button", table)[1].click()
        keys = lambda: [float(cell.get_attribute("data-sort")) for cell in self.all("tbody td:nth-child(2)", table)]
        falling = keys()
        self.assertEqual(sorted(falling, reverse=True), falling)
        self.assertEqual("descending", self.all("thead th", table)[1].get_attribute("aria-sort"))
        self.all("thead button", table)[1].click()
        self.assertEqual(sorted(falling), keys())
        self.all("thead button", table)[0].click()
        names = [cell.text for cell in self.all("tbody th", table)]
        self.assertEqual(sorted(names), names)

    def test_first_screen_holds_sentences_and_the_table(self):
        self.open(self.report)
        sentences = self.all(".verdict")
        self.assertEqual(len(json.loads((pathlib.Path(self.report).parent / "report.json").read_text())["kernels"]), len(sentences))
        self.assertLess(self.all("table.heat tbody tr")[0].rect["y"], 900)

    def test_cell_opens_its_worst_row(self):
        self.open(self.report)
        link = self.all("table.heat td.broken a")[0]
        row = self.desk.find_element(By.ID, link.get_attribute("href").split("#")[1])
        self.assertFalse(row.is_displayed())
        link.click()
        self.assertTrue(row.is_displayed())
        shown = row.text
        for word in ("x", "got", "want", "error", "bound", "mistake", "replay", "0x"):
            self.assertIn(word, shown)
        case = self.all("a[href$='.case.json']", row)[0].get_attribute("href")
        self.assertTrue(pathlib.Path(case.removeprefix("file://")).exists(), case)

    def test_replay_line_is_copied(self):
        self.open(self.report)
        link = self.all("table.heat td.broken a")[0]
        link.click()
        place = self.all(".replay", self.desk.find_element(By.ID, link.get_attribute("href").split("#")[1]))[0]
        line = self.all("code", place)[0].text
        self.assertTrue(line.startswith("./normcheck judge --kernel "), line)
        self.desk.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        button = self.all("button", place)[0]
        button.click()
        for _ in range(50):
            if button.text != "copy":
                break
            time.sleep(0.05)
        self.assertEqual("copied", button.text)
        read = "navigator.clipboard.readText().then(arguments[0], (error) => arguments[0](String(error)))"
        self.assertEqual(line, self.desk.execute_async_script(read))

    def test_charts_have_hover_text(self):
        self.open(self.report)
        figures = self.all("figure")
        self.assertEqual(4, len(figures))
        for figure in figures:
            hover = [title.get_attribute("textContent") for title in self.all("svg g g > title", figure)]
            self.assertTrue(any("row ulps" in text for text in hover), hover[:3])

    def test_readable_without_script(self):
        plain = browser(script=False)
        try:
            for page, cells in ((self.report, "table.heat td.number"), (self.matrix, "table.heat td.number")):
                plain.get(url_of(page))
                self.assertEqual([], plain.find_elements(By.CSS_SELECTOR, "thead button, .replay button"))
                self.assertTrue(plain.find_elements(By.CSS_SELECTOR, cells)[0].text)
                self.assertTrue(plain.find_element(By.CSS_SELECTOR, "thead th").is_displayed())
            plain.get(url_of(self.report))
            details = plain.find_element(By.CSS_SELECTOR, "details")
            details.find_element(By.CSS_SELECTOR, "summary").click()
            self.assertTrue(details.find_element(By.CSS_SELECTOR, "details summary").is_displayed())
        finally:
            plain.quit()

    def test_matrix_opens_a_shrunk_row(self):
        self.open(self.matrix)
        link = self.all("table.matrix tbody th a")[0]
        row = self.desk.find_element(By.ID, link.get_attribute("href").split("#")[1])
        self.assertFalse(row.is_displayed())
        link.click()
        self.assertTrue(row.is_displayed())
        self.assertIn("epsilon=", row.text)


class Contrast(unittest.TestCase):
    """Text against what lies behind it, by the formula of WCAG 2: at least 4.5 to 1, in light and in dark."""

    MEASURE = """
      const parse = (text) => { const v = text.match(/[\\d.]+/g).map(Number); return v.length === 3 ? [...v, 1] : v; };
      const light = (rgb) => { const [r, g, b] = rgb.slice(0, 3).map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                               return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
      const over = (top, below) => top.slice(0, 3).map((v, i) => v * top[3] + below[i] * (1 - top[3]));
      const behind = (e) => { for (let at = e; at; at = at.parentElement) { const c = parse(getComputedStyle(at).backgroundColor); if (c[3] === 1) return c; }
                              return [255, 255, 255, 1]; };
      const worst = {ratio: 99};
      for (const e of document.querySelectorAll("p, th, td, td b, td small, dd, dt, li, code, summary b, figcaption, .badge, .legend span, a")) {
        if (!e.checkVisibility() || !e.textContent.trim()) continue;
        const ground = behind(e), ink = parse(getComputedStyle(e).color);
        ink[3] *= Number(getComputedStyle(e).opacity);
        const [a, b] = [light(over(ink, ground)), light(ground)].sort((p, q) => q - p);
        const ratio = (a + 0.05) / (b + 0.05);
        if (ratio < worst.ratio) Object.assign(worst, {ratio, what: e.outerHTML.slice(0, 120)});
      }
      return worst;"""

    def check(self, scheme):
        opened = browser(scheme=scheme)
        try:
            for page in (Pages.report, Pages.matrix):
                opened.get(url_of(page))
                worst = opened.execute_script(self.MEASURE)
                self.assertGreaterEqual(worst["ratio"], 4.5, worst)
        finally:
            opened.quit()

    def test_light_is_readable(self):
        self.check("light")

    def test_dark_is_readable(self):
        self.check("dark")


def write_pages(normcheck, folder):
    """A report of a kernel that is kept and one that is broken, and a small kill matrix."""
    report = [normcheck, "report", "--quick", "--out", f"{folder}/report", "--kernel", "rms_norm", "--kernel", "mutant:eps-after-root"]
    matrix = [normcheck, "properties", "--cases", "5", "--kill-matrix", folder, "--kernel", "mutant:eps-after-root", "--kernel", "mutant:gamma-ignored"]
    for command in (report, matrix):
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    return f"{folder}/report/index.html", f"{folder}/kill-matrix.html"


def screenshot(page, out, width=DESK, height=900, scheme="light"):
    opened = browser(int(width), int(height), scheme=scheme)
    try:
        opened.get(url_of(page))
        opened.save_screenshot(out)
    finally:
        opened.quit()


def run(report, matrix):
    Pages.report, Pages.matrix = report, matrix
    result = unittest.TextTestRunner(verbosity=2).run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]))
    sys.exit(0 if result.wasSuccessful() else 1)


if __name__ == "__main__":
    if sys.argv[1] == "--screenshot":
        screenshot(*sys.argv[2:])
    elif sys.argv[1] == "--pages":
        run(*sys.argv[2:4])
    else:
        browser().quit()
        with tempfile.TemporaryDirectory() as place:
            run(*write_pages(sys.argv[1], place))
