"""Figures and pictures of the page: `figures.py [--pictures FOLDER] [--saves N]`.

Tells how long it takes from a commit to the changed pixel, what is sent to open the page, and when the first table is
there. With --pictures, the pictures of README and manual are made anew.
"""

import argparse
import threading
import time

from support import Keys, Page, Store, eventually, json, os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../proto-docs/clients/python"))
from depot import Depot  # noqa: E402

# Tells when a text was painted, by the clock of the machine.
WATCH = """
window.painted = {};
const seen = new MutationObserver(() => {
  for (const cell of document.querySelectorAll('studio-grid .changed')) {
    const text = cell.textContent;
    if (window.painted[text]) continue;
    window.painted[text] = 1;
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => { window.painted[text] = performance.timeOrigin + performance.now(); };
      channel.port2.postMessage(0);
    });
  }
});
seen.observe(document.querySelector('studio-grid'), { subtree: true, childList: true });
"""
FIRST = """
new MutationObserver((_, observer) => {
  if (!document.querySelector('studio-grid .body [role="row"]:not(.loading)')) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.firstTable = performance.now(); }));
}).observe(document, { subtree: true, childList: true });
"""


def part(values, share):
    """A percentile of values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def latency(store, page, saves):
    """How long it takes from a commit to the changed pixel, in milliseconds."""
    page.go("#/table/Book?columns=title%2Cpages")
    eventually(lambda: len(page.rows()) >= 16, "the rows")
    page.one("studio-grid[data-live]")
    page.js(WATCH)
    committed = {}
    with Depot(store.socket) as client:
        for number in range(saves + 5):
            pages = 10_000 + number
            client.call("update", entity="Book", ids=[1 + number % 16], set={"pages": pages})
            committed[str(pages)] = time.time() * 1000
            eventually(lambda: page.js("return window.painted[arguments[0]] > 1", str(pages)), f"{pages} is painted")
    painted = page.js("return window.painted")
    # The first ones find nothing in the caches.
    return [painted[pages] - moment for pages, moment in list(committed.items())[5:]]


def opening(store):
    """What is sent to open the page at a table, in bytes, and when its rows are there, in milliseconds."""
    page = Page()
    try:
        address = store.open_studio(True)
        page.open(address)
        page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": FIRST})
        page.driver.execute_cdp_cmd("Network.enable", {})
        page.driver.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": True})
        page.go("#/table/Book")
        times = []
        for _ in range(7):
            page.driver.refresh()
            times.append(eventually(lambda: page.js("return window.firstTable"), "a table"))
        sizes = page.js("""
          const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
          return [all.length, all.reduce((sum, one) => sum + one.transferSize, 0), all.reduce((sum, one) => sum + one.decodedBodySize, 0)];""")
        return sizes, part(times, 0.5)
    finally:
        page.close()


def pictures(store, folder):
    """Makes the pictures of README and manual."""
    os.makedirs(folder, exist_ok=True)
    page = Page(1180, 720, scale=2)
    try:
        page.open(store.open_studio(True))

        def take(name):
            page.picture(os.path.join(folder, f"{name}.png"))

        page.go("#/table/Book?columns=title%2Cyear%2Cpages%2Cprice%2Crating%2Cauthor&beside=Author/1")
        page.until_text("The Dispossessed", ".beside .related")
        page.one("studio-grid[data-live]")
        store.run("update", "Book", "--where", "$id == 9", "--set", "price=21.5", "--set", "rating=5", "--author", "ann")
        store.run("update", "Book", "--where", "$id == 4", "--set", "pages=345", "--author", "ben")
        page.until_text("ben", ".who")
        page.until_text("ann", ".who")
        take("table")
        page.look(True)
        store.run("update", "Book", "--where", "$id == 12", "--set", "pages=277", "--author", "cleo")
        page.until_text("cleo", ".who")
        take("table-dark")
        page.look(False)

        page.go("#/table/Book?columns=title%2Cyear%2Cpages%2Cprice%2Crating%2Cauthor")
        for title, text in (("pages", "224"), ("title", "Orlando: A Biography"), ("rating", "4.5")):
            eventually(lambda: page.js("arguments[0].dispatchEvent(new MouseEvent('dblclick', { bubbles: true })); return true", page.cell(6, title)), "an editor")
            field = page.one(".cell-editor input, .cell-editor textarea")
            page.js("arguments[0].value = ''", field)
            field.send_keys(text, Keys.ENTER)
        store.run("update", "Book", "--where", "$id == 6", "--set", "pages=336", "--set", "title=Orlando (1928)", "--author", "ben")
        page.click(".edit-bar button.primary")
        page.until_text("A conflict", "dialog h2")
        page.click('dialog input[aria-label="title: mine"]')
        take("conflict")
        page.click('dialog input[aria-label="pages: theirs"]')
        page.click("dialog button.primary")
        eventually(lambda: page.js("return document.querySelector('.edit-bar').hidden"), "it is saved")

        store.run("delete", "Book", "--where", "$id == 15", "--author", "ann")
        page.go("#/table/Book?columns=title%2Cyear%2Cpages%2Cprice%2Crating%2Cauthor&at=now")
        slider = page.one('.past-bar input[type="range"]:not([disabled])')
        for _ in range(5):
            slider.send_keys(Keys.ARROW_LEFT)
        page.until_text("changed since", ".past-bar")
        eventually(lambda: page.all(".was"), "what was")
        eventually(lambda: not page.all(".toast"), "no messages")
        page.js("document.activeElement.blur()")
        take("past")

        page.go("#/history")
        page.until_text("ann", ".transactions")
        take("history")
        page.go("#/schema/Book")
        page.until_text("≤ 2100", ".schema-details")
        take("schema")
        page.go("#/query/Book?where=author.country+%3D%3D+%22USA%22+AND+year+%3E+1960&sort=-year&section=author.name")
        page.until_text("Toni Morrison", ".sections")
        page.click(".explained summary")
        page.click(".explained button", "Measure")
        page.until_text("scanned", ".explained .tools")
        take("query")
        page.go("#/service")
        page.until_text("this page", ".service-body")
        stop = threading.Event()

        def work():
            with Depot(store.socket) as client:
                while not stop.is_set():
                    client.call("update", entity="Book", ids=[2], set={"pages": int(time.time() * 1000) % 900 + 1})
                    stop.wait(0.02)

        worker = threading.Thread(target=work)
        worker.start()
        eventually(lambda: page.js("return (document.querySelector('.plot .line').getAttribute('d').match(/L/g) ?? []).length > 7"), "the lines")
        stop.set()
        worker.join()
        take("service")
        page.resize(360, 720)
        page.go("#/table/Book?columns=title%2Cyear")
        eventually(lambda: len(page.rows()) >= 10, "the rows")
        take("narrow")
    finally:
        page.close()


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--pictures", metavar="FOLDER")
    arguments.add_argument("--saves", type=int, default=200)
    arguments.add_argument("--no-figures", action="store_true")
    options = arguments.parse_args()
    store = Store().seed()
    try:
        if options.pictures:
            pictures(store, options.pictures)
        if options.no_figures:
            return
        store.close()
        store = Store().seed()
        page = Page()
        try:
            page.open(store.open_studio(True))
            times = latency(store, page, options.saves)
        finally:
            page.close()
        (files, sent, whole), first = opening(store)
        figures = {
            "saves": options.saves, "commitToPixelP50ms": round(part(times, 0.5), 1), "commitToPixelP99ms": round(part(times, 0.99), 1),
            "filesToOpen": files, "bytesSentToOpen": sent, "bytesToOpen": whole, "firstTableMs": round(first),
        }
        print(json.dumps(figures))
        print(f"commit to the changed pixel, {options.saves} saves: p50 {figures['commitToPixelP50ms']} ms, p99 {figures['commitToPixelP99ms']} ms")
        print(f"to open the page at a table: {files} files, {sent / 1000:.0f} kB sent ({whole / 1000:.0f} kB of text), the first rows after {first:.0f} ms")
    finally:
        store.close()


if __name__ == "__main__":
    main()
