#!/usr/bin/env python3
"""Opens reports in headless Chromium: measures them, uses them by keyboard and pointer, takes pictures of them.

Usage: report_in_browser.py PICTURES REPORT.html...

Needs Debian's `chromium` and `pip install playwright`. For each report it prints size, and time from the request to the first complete drawing;
it fails above 5 MB or 2 s, on any message of the browser's console, on any request to elsewhere, and where keys, pointer or goal list do not
do what the report says. Pictures of each: whole page light and dark, after a jump, and what a printer gets (PDF).
"""

import sys
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

MOST_BYTES, MOST_SECONDS = 5_000_000, 2.0
DRAWN = "document.getElementById('at') === null || document.getElementById('at').textContent !== ''"
FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def opened(browser, report, scheme, wrong):
    """The page, and how long it took to be drawn."""
    page = browser.new_context(color_scheme=scheme, viewport={"width": 1400, "height": 900}).new_page()
    page.on("console", lambda message: wrong.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("request", lambda request: request.url.startswith("file:") or wrong.append(f"request to {request.url}"))
    begun = time.monotonic()
    page.goto(report.resolve().as_uri())
    page.wait_for_function(DRAWN)
    page.evaluate(FRAME)
    return page, time.monotonic() - begun


def status(page):
    page.evaluate(FRAME)
    return page.evaluate("document.getElementById('at').textContent")


def use(page, wrong):
    """Keys, pointer, goal list."""
    page.focus("#plots")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    if not status(page).startswith("step 1"):
        wrong.append(f"ArrowRight leads to {status(page)}")
    page.keyboard.press("Escape")
    whole = status(page)
    page.keyboard.press("+")
    if status(page) == whole and "to 3" not in whole:
        wrong.append("+ does not zoom")
    page.keyboard.press("0")
    if status(page) != whole:
        wrong.append("0 does not show all")
    box = page.locator("#plots canvas").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    if not status(page).startswith("step "):
        wrong.append("the pointer shows no values")
    link = page.locator("a.jump").last
    step = link.get_attribute("data-step")
    link.click()
    if not status(page).startswith(f"step {step}"):
        wrong.append(f"the goal list leads to {status(page)}, not to step {step}")


def examine(browser, report, pictures, name):
    wrong = []
    page, seconds = opened(browser, report, "light", wrong)
    page.screenshot(path=pictures / f"{name}-light.png", full_page=True)
    if page.locator("#plots").count():
        use(page, wrong)
        page.screenshot(path=pictures / f"{name}-jump.png")
    page, _ = opened(browser, report, "dark", wrong)
    page.screenshot(path=pictures / f"{name}-dark.png", full_page=True)
    page.pdf(path=pictures / f"{name}.pdf", format="A4")
    size = report.stat().st_size
    if size > MOST_BYTES:
        wrong.append(f"{size} bytes")
    if seconds > MOST_SECONDS:
        wrong.append(f"{seconds:.2f} s")
    print(f"{name}: {size / 1e6:.2f} MB, drawn after {seconds:.2f} s", *wrong, sep="\n    " if wrong else "")
    return not wrong


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    pictures = Path(sys.argv[1])
    pictures.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        browser.new_page().close()
        good = [examine(browser, Path(name), pictures, Path(name).parent.name or "report") for name in sys.argv[2:]]
        browser.close()
    sys.exit(0 if all(good) else 1)


main()
