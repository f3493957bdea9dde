"""Figures of the page: `figures.py [--saves N]`.

Measures the time from a commit to the changed pixel, the bytes to open the page, and the time to its first table.
"""

import argparse
import time

from support import Page, Store, eventually, json, os, sys

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../proto-docs/clients/python")
)
from depot import Depot  # noqa: E402

# Notes the time of the paint of each changed text, by the clock of the machine.
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
    """Returns the times from commits to the changed pixels, in milliseconds."""
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
            eventually(
                lambda: page.js("return window.painted[arguments[0]] > 1", str(pages)),
                f"{pages} is painted",
            )
    painted = page.js("return window.painted")
    # The first ones find nothing in the caches.
    return [painted[pages] - moment for pages, moment in list(committed.items())[5:]]


def opening(store):
    """Returns the bytes that are sent to open the page at a table, and the milliseconds until its rows are there."""
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
        sizes = page.js(
            """
          const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
          const sum = (name) => all.reduce((sum, one) => sum + one[name], 0);
          return [all.length, sum('transferSize'), sum('decodedBodySize')];"""
        )
        return sizes, part(times, 0.5)
    finally:
        page.close()


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--saves", type=int, default=200)
    options = arguments.parse_args()
    store = Store().seed()
    try:
        page = Page()
        try:
            page.open(store.open_studio(True))
            times = latency(store, page, options.saves)
        finally:
            page.close()
        (files, sent, whole), first = opening(store)
        figures = {
            "saves": options.saves,
            "commitToPixelP50ms": round(part(times, 0.5), 1),
            "commitToPixelP99ms": round(part(times, 0.99), 1),
            "filesToOpen": files,
            "bytesSentToOpen": sent,
            "bytesToOpen": whole,
            "firstTableMs": round(first),
        }
        print(json.dumps(figures))
        print(
            f"commit to the changed pixel, {options.saves} saves: p50 {figures['commitToPixelP50ms']} ms,"
            f" p99 {figures['commitToPixelP99ms']} ms"
        )
        print(
            f"to open the page at a table: {files} files, {sent / 1000:.0f} kB sent"
            f" ({whole / 1000:.0f} kB of text), the first rows after {first:.0f} ms"
        )
    finally:
        store.close()


if __name__ == "__main__":
    main()
