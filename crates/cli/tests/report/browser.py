"""Drives a page of `netsig report` in headless Chromium, as `report.rs` asks for it.

Usage: browser.py TASK PAGE [FILE]. Exit code 0 if the page behaves. FILE holds what is expected, as JSON; for
`accessible` it is axe, a checker of accessibility, and for `pictures` the folder for the pictures of README.
"""

import base64
import contextlib
import csv
import io
import json
import pathlib
import sys
import time
import urllib.parse

from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

# What axe looks at: of figures not the drawing, which their label tells.
LOOKED_AT = {"exclude": [".main-svg", ".static"]}
SWITCHES = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,1400"]


def begun(options):
    """A browser that answers. One that lacks processors while it starts may hang for good: it is begun anew."""
    for _ in range(3):
        driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        driver.set_page_load_timeout(60)
        try:
            driver.get("about:blank")
        except TimeoutException:
            driver.quit()
        else:
            driver.set_page_load_timeout(300)
            driver.set_script_timeout(300)
            return driver
    raise TimeoutError("the browser hangs at its start")


@contextlib.contextmanager
def browser(script=True):
    options = Options()
    for switch in SWITCHES:
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    if not script:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    driver = begun(options)
    try:
        yield driver
    finally:
        driver.quit()


def find(driver, selector):
    return driver.find_element(By.CSS_SELECTOR, selector)


def visible(driver, selector):
    return [own for own in driver.find_elements(By.CSS_SELECTOR, selector) if own.is_displayed()]


def wait(driver, condition, what):
    WebDriverWait(driver, 30).until(lambda _: condition(), what)


def complaints(driver):
    return [own["message"] for own in driver.get_log("browser") if own["level"] in ("SEVERE", "WARNING")]


def requests(driver):
    """Addresses of all requests since the last call but those for the page's data, refused requests among them."""
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    asked = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
    return [address for address in asked if not address.startswith(("data:", "blob:"))]


def show(driver, figure):
    """Scrolls to a figure and waits until it is drawn."""
    driver.execute_script("arguments[0].scrollIntoView({behavior: 'instant'})", figure)
    wait(driver, lambda: figure.find_elements(By.CSS_SELECTOR, ".main-svg"), "a figure is drawn")


def expected(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def heard_without_a_mouse(driver):
    """The arrow keys show the values of every figure in turn, and a screen reader hears them."""
    figures = [own for own in driver.find_elements(By.CSS_SELECTOR, "figure") if own.is_displayed()]
    for figure in figures:
        show(driver, figure)
        plot = figure.find_element(By.CSS_SELECTOR, ".plot")
        told = figure.find_element(By.CSS_SELECTOR, ".told")
        assert told.get_attribute("role") == "status" and not told.get_attribute("textContent")
        heard = []
        for _ in range(3):
            plot.send_keys(Keys.ARROW_RIGHT)
            heard.append(told.get_attribute("textContent"))
        assert len(set(heard)) > 1 and all(heard), heard
        wait(driver, lambda: plot.find_elements(By.CSS_SELECTOR, ".hoverlayer text"), "an arrow shows the values")


def interaction(page):
    with browser() as driver:
        driver.get(page)
        heard_without_a_mouse(driver)
        # Hover tells values.
        figure = find(driver, ".algorithm.chosen figure")
        show(driver, figure)
        plot = figure.find_element(By.CSS_SELECTOR, ".plot")
        place = driver.execute_script(
            "const p = arguments[0], t = p._fullData.findIndex((t) => t.mode === 'markers' && t.visible === true);"
            "const l = p._fullLayout, d = p._fullData[t], i = Math.floor(d.x.length / 2), b = p.getBoundingClientRect();"
            "return [l.xaxis.d2p(d.x[i]) + l._size.l - b.width / 2, l.yaxis.d2p(d.y[i]) + l._size.t - b.height / 2];",
            plot,
        )
        ActionChains(driver).move_to_element_with_offset(plot, 5 - plot.size["width"] // 2, 30 - plot.size["height"] // 2).perform()
        ActionChains(driver).move_to_element_with_offset(plot, *map(round, place)).perform()
        wait(driver, lambda: plot.find_elements(By.CSS_SELECTOR, ".hoverlayer text"), "hovering tells the values")
        told = plot.find_element(By.CSS_SELECTOR, ".hoverlayer").text
        assert "processes" in told and ("s" in told), told
        # A check box hides and shows a series, by the keyboard too.
        box = find(driver, ".algorithm.chosen .toggles input:checked")
        count = "return arguments[0]._fullData.filter((t) => t.visible === true).length"
        before = driver.execute_script(count, plot)
        box.send_keys(" ")
        wait(driver, lambda: driver.execute_script(count, plot) < before, "a box hides a series")
        box.send_keys(" ")
        wait(driver, lambda: driver.execute_script(count, plot) == before, "a box shows it again")
        # Zoom narrows the axis.
        driver.execute_script("Plotly.relayout(arguments[0], {'xaxis.range': [3, 4]})", plot)
        assert driver.execute_script("return arguments[0]._fullLayout.xaxis.range", plot) == [3, 4]
        # The choice of an algorithm changes the figures.
        choice = Select(find(driver, ".chooser select"))
        names = [own.text for own in choice.options]
        choice.select_by_visible_text(names[1])
        assert [own.text for own in visible(driver, ".algorithms:first-of-type .algorithm > h3")][0] == names[1]
        # The map tells the best algorithm.
        board = find(driver, "figure.map")
        show(driver, board)
        board.find_element(By.CSS_SELECTOR, ".plot").send_keys(Keys.ARROW_RIGHT)
        wait(driver, lambda: "processes, " in board.find_element(By.CSS_SELECTOR, ".hoverlayer").text, "a tile is told")
        # The sliders move all figures: their cursor, and the cell whose repetitions are shown.
        one_cell = find(driver, "figure.distribution")
        show(driver, one_cell)
        cell = lambda: one_cell.find_element(By.CSS_SELECTOR, ".alt").text
        cursors = lambda: driver.execute_script(
            "return [...document.querySelectorAll('.js-plotly-plot')].map((plot) => JSON.stringify(plot.layout.shapes || []))")
        before = cell(), cursors()
        for name, key in (("size", Keys.HOME), ("procs", Keys.HOME)):
            find(driver, f"#slide-{name}").send_keys(key)
        wait(driver, lambda: cell() != before[0], "another cell is shown")
        wait(driver, lambda: sum(own != other for own, other in zip(cursors(), before[1])) >= len(before[1]) // 2, "cursors move")
        # Dark changes the colours of page and figures.
        ground = lambda: driver.execute_script("return getComputedStyle(document.body).backgroundColor")
        paper = lambda: driver.execute_script("return document.querySelector('figure.map .plot')._fullLayout.paper_bgcolor")
        before = ground(), paper()
        find(driver, "#theme").click()
        wait(driver, lambda: ground() != before[0] and paper() != before[1], "the theme changes")
        assert not complaints(driver), complaints(driver)


def predictor(page, path):
    """Compares the page's answers with those of the command line, and types into the form."""
    points = expected(path)
    with browser() as driver:
        driver.get(page)
        worst = 0.0
        for point in points:
            found = driver.execute_script(
                "return window.netsigReport.rank(arguments[0], arguments[1], arguments[2])",
                point["predictor"], point["procs"], point["size"],
            )
            first = found[0] if found else None
            found = {own["algorithm"]: own for own in found}
            if point["best"] is not None and first["algorithm"] != point["best"]:
                # Only times of the ranking that are too near to each other may change places.
                assert not first["isHeld"], (point, first)
                assert found[point["best"]]["order"] / first["order"] < 1.0086, (point, first)
            # Later algorithms of the command line come no earlier here, but for the tolerance of the curves.
            orders = [found[row["algorithm"]]["order"] for row in point["rows"]]
            for place, order in enumerate(orders):
                assert order * 1.0086 > max(orders[:place], default=0), (point, orders)
            for row in point["rows"]:
                own = found[row["algorithm"]]
                for key in ("time", "lower", "upper"):
                    if row[key] is None:
                        assert own[key] is None, (point, own)
                        continue
                    worst = max(worst, abs(own[key] / row[key] - 1))
                    assert worst < 0.005, (worst, key, own[key], row, point["procs"], point["size"])
        first = points[0]
        field = lambda name: find(driver, f"#predict-{name}")
        Select(field("collective")).select_by_index(first["predictor"])
        for name, value in (("procs", first["procs"]), ("size", first["size"])):
            field(name).clear()
            field(name).send_keys(str(value))
        row = find(driver, "#predict-ranking tbody tr")
        assert row.get_attribute("data-algorithm") in {own["algorithm"] for own in first["rows"]}
        field("size").clear()
        field("size").send_keys("many")
        assert "not a whole number of bytes" in field("says").text, field("says").text
        field("size").clear()
        field("size").send_keys("1.5 KiB")
        field("procs").clear()
        field("procs").send_keys("999999")
        assert "not in the table" in field("says").text, field("says").text
        # The sliders move the fields.
        before = field("size").get_attribute("value")
        find(driver, "#slide-size").send_keys(Keys.HOME)
        assert field("size").get_attribute("value") != before, before
        print(f"{len(points)} points, largest difference: {worst:.5f}")


def download(page):
    with browser() as driver:
        driver.get(page)
        links = driver.find_elements(By.CSS_SELECTOR, "a.download")
        assert len(links) >= 4, len(links)
        for link in links:
            table = link.find_element(By.XPATH, "ancestor::details").find_element(By.TAG_NAME, "table")
            shown = len(table.find_elements(By.CSS_SELECTOR, "tbody tr"))
            head, _, body = link.get_attribute("href").partition(",")
            assert head == "data:text/csv;charset=utf-8", head
            rows = list(csv.reader(io.StringIO(urllib.parse.unquote(body))))
            assert len(rows) == shown + 1, (link.get_attribute("download"), len(rows), shown)
            assert link.get_attribute("download").endswith(".csv")


def plain(page):
    """Without JavaScript: the verdict, the tables and static pictures."""
    with browser(script=False) as driver:
        driver.get(page)
        assert visible(driver, "#verdict dd") and visible(driver, ".static svg") and visible(driver, "details.table")
        assert not visible(driver, ".plot .main-svg") and not visible(driver, "#predict")


def hostile(page, path):
    """Names in the data are text."""
    names = expected(path)
    with browser() as driver:
        driver.get(page)
        for figure in driver.find_elements(By.CSS_SELECTOR, "figure"):
            if figure.is_displayed():
                show(driver, figure)
                figure.find_element(By.CSS_SELECTOR, ".plot").send_keys(Keys.ARROW_RIGHT)
                assert not figure.find_elements(By.CSS_SELECTOR, ".main-svg :is(a, [style*=bold])"), "a name is marked up"
        assert driver.execute_script("return window.stolen") is None
        for name in names:
            assert name in driver.execute_script("return document.body.textContent"), name
        assert not driver.find_elements(By.CSS_SELECTOR, "main img, main script, main iframe")
        assert not complaints(driver), complaints(driver)


def private(page):
    """Every figure of the page is drawn, no button offers to upload it, forms send nothing, and nothing is requested."""
    with browser() as driver:
        requests(driver)
        driver.get(page)
        figures = [own for own in driver.find_elements(By.CSS_SELECTOR, "figure") if own.is_displayed()]
        assert figures, "the page has figures"
        for figure in figures:
            show(driver, figure)
            plot = figure.find_element(By.CSS_SELECTOR, ".plot")
            titles = [own.get_attribute("data-title") for own in plot.find_elements(By.CSS_SELECTOR, ".modebar-btn")]
            assert any("Download" in own for own in titles), titles
            assert not any("hare" in own or "loud" in own for own in titles), titles
            assert "plotlyServerURL" not in driver.execute_script("return Object.keys(arguments[0]._context)", plot)
        policy = find(driver, "meta[http-equiv=Content-Security-Policy]").get_attribute("content")
        for rule in ("default-src 'none'", "form-action 'none'", "base-uri 'none'"):
            assert rule in policy, policy
        # Points of what was measured, or of statistics that another program computed.
        count = "return [...document.querySelectorAll('.js-plotly-plot')].flatMap((p) => p._fullData).filter((t) => t.mode === 'markers').length"
        assert driver.execute_script(count) > 0, "marks"
        # The picture of a figure is made without a request, too.
        picture = "Plotly.toImage(document.querySelector('.js-plotly-plot'), {format: 'png'}).then(arguments[0])"
        assert driver.execute_async_script(picture).startswith("data:image/png;base64,")
        assert not complaints(driver), complaints(driver)
        asked = requests(driver)
        assert asked == [page], asked


# Most stops of the tabulator on a page of two collectives.
MOST_STOPS = 60

SHIFTS = """
window.shifts = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""


def steady(page):
    """Nothing jumps while the figures are drawn: the cumulative layout shift of the whole page."""
    for width, height in [(1400, 900), (390, 844)]:
        with browser() as driver:
            size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": SHIFTS})
            driver.get(page)
            height_of_page = lambda: driver.execute_script("return document.documentElement.scrollHeight")
            position = 0
            while position < height_of_page():
                driver.execute_script("window.scrollTo(0, arguments[0])", position)
                time.sleep(0.05)
                position += height // 2
            shifts = driver.execute_script("return window.shifts")
            assert shifts <= 0.1, (width, shifts)


def layout(page):
    """No sideways scrolling on a phone, and no figure cut off in print."""
    with browser() as driver:
        phone = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
        driver.get(page)
        for figure in driver.find_elements(By.CSS_SELECTOR, "figure"):
            if figure.is_displayed():
                show(driver, figure)
        width = driver.execute_script("return document.documentElement.scrollWidth")
        assert width <= 390, width
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        pdf = base64.b64decode(driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
        assert pdf.startswith(b"%PDF") and len(pdf) > 20_000, len(pdf)


def accessible(page, axe):
    """No fault that axe finds (names, contrast, roles), light and dark; every control is reached by the keyboard."""
    with browser() as driver:
        for theme, look in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
            features = [{"name": "prefers-color-scheme", "value": theme}]
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
            driver.get(page)
            for kind in ("figure.map", ".algorithm.chosen figure"):
                show(driver, find(driver, kind))
            driver.execute_script(pathlib.Path(axe).read_text(encoding="utf-8"))
            found = driver.execute_async_script("axe.run(...arguments[0]).then(arguments[1])", [LOOKED_AT, look])
            assert found["passes"], "axe has looked at the page"
            faults = [(own["id"], own["help"], own["nodes"][0]["html"][:200], len(own["nodes"])) for own in found["violations"]]
            assert not faults, (theme, faults)
        # The tabulator goes through all controls, with few stops: the boxes of a figure are one.
        controls = visible(driver, "a[href]:not(.download), button, select, input, summary, .js-plotly-plot")
        controls = [own for own in controls if own.get_attribute("tabindex") != "-1"]
        driver.execute_script(
            "document.activeElement.blur(); window.reached = new Set();"
            "document.addEventListener('focusin', (event) => window.reached.add(event.target))"
        )
        ActionChains(driver).send_keys(Keys.TAB * MOST_STOPS).perform()
        missed = driver.execute_script("return arguments[0].filter((own) => !window.reached.has(own)).map((own) => own.outerHTML)", controls)
        assert not missed, [own[:200] for own in missed]
        stops = driver.execute_script("return window.reached.size")
        print(f"{stops} stops of the tabulator")


def pictures(page, folder):
    """Takes the pictures of README: on a desktop, in the dark, on a phone and in print."""
    wide = {"width": 1180, "height": 1640, "deviceScaleFactor": 1, "mobile": False}
    first_screen = {**wide, "height": 900}
    phone = {"width": 390, "height": 1180, "deviceScaleFactor": 2, "mobile": True}
    for name, size, theme, media, place in [
        ("desktop", first_screen, "light", "screen", "body"),
        ("dark", wide, "dark", "screen", ".chapter"),
        ("figures", wide, "light", "screen", ".algorithms"),
        ("phone", phone, "light", "screen", "body"),
        ("print", wide, "light", "print", "body"),
    ]:
        with browser() as driver:
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
            features = [{"name": "prefers-color-scheme", "value": theme}]
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})
            driver.get(page)
            # What stands above grows while its figures are drawn.
            for _ in range(8):
                driver.execute_script("document.querySelector(arguments[0]).scrollIntoView()", place)
                time.sleep(0.5)
            driver.save_screenshot(f"{folder}/report-{name}.png")


if __name__ == "__main__":
    task, path, *more = sys.argv[1:]
    globals()[task](f"file://{path}", *more)
