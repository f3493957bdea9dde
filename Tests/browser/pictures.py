"""Makes the pictures of README and manual: `pictures.py FOLDER`."""

import html
import subprocess
import threading
import time
from pathlib import Path

from support import PROGRAMS, Keys, Page, Store, eventually, os, sys

sys.path.insert(
    0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../proto-docs/clients/python")
)
from depot import Depot  # noqa: E402


def pictures(store, folder):
    """Makes the pictures of README and manual."""
    os.makedirs(folder, exist_ok=True)
    page = Page(1180, 720)
    try:
        page.open(store.open_studio(True))

        def take(name):
            page.picture(os.path.join(folder, f"{name}.png"))

        page.go(
            "#/table/Book?columns=title%2Cyear%2Cpages%2Cprice%2Crating%2Cauthor&beside=Author/1"
        )
        page.until_text("The Dispossessed", ".beside .related")
        page.one("studio-grid[data-live]")
        store.run(
            "update",
            "Book",
            "--where",
            "$id == 9",
            "--set",
            "price=21.5",
            "--set",
            "rating=5",
            "--author",
            "ann",
        )
        store.run("update", "Book", "--where", "$id == 4", "--set", "pages=345", "--author", "ben")
        page.one('[data-who="ben"]')
        page.one('[data-who="ann"]')
        take("table")
        page.look(True)
        store.run(
            "update", "Book", "--where", "$id == 12", "--set", "pages=277", "--author", "cleo"
        )
        page.one('[data-who="cleo"]')
        take("table-dark")
        page.look(False)

        page.go("#/table/Book?columns=title%2Cyear%2Cpages%2Cprice%2Crating%2Cauthor")
        for title, text in (("pages", "224"), ("title", "Orlando: A Biography"), ("rating", "4.5")):
            eventually(
                lambda: page.js(
                    "arguments[0].dispatchEvent(new MouseEvent('dblclick', { bubbles: true })); return true",
                    page.cell(6, title),
                ),
                "an editor",
            )
            field = page.one(".cell-editor input, .cell-editor textarea")
            page.js("arguments[0].value = ''", field)
            field.send_keys(text, Keys.ENTER)
        store.run(
            "update",
            "Book",
            "--where",
            "$id == 6",
            "--set",
            "pages=336",
            "--set",
            "title=Orlando (1928)",
            "--author",
            "ben",
        )
        page.click(".edit-bar button.primary")
        page.until_text("A conflict", "dialog h2")
        page.click('dialog input[aria-label="title: mine"]')
        take("conflict")
        page.click('dialog input[aria-label="pages: theirs"]')
        page.click("dialog button.primary")
        eventually(
            lambda: page.js("return document.querySelector('.edit-bar').hidden"), "it is saved"
        )

        store.run("delete", "Book", "--where", "$id == 15", "--author", "ann")
        page.go("#/table/Book?columns=title%2Cyear%2Cpages%2Cprice%2Crating%2Cauthor&at=now")
        slider = page.one('.past-bar input[type="range"]:not([disabled])')
        for _ in range(5):
            slider.send_keys(Keys.ARROW_LEFT)
        page.until_text("changed since", ".past-bar")
        eventually(lambda: page.all(".was"), "the changed cells")
        eventually(lambda: not page.all(".toast"), "no messages")
        page.js("document.activeElement.blur()")
        take("past")

        page.go("#/history")
        page.until_text("ann", ".transactions")
        take("history")
        # The diagram has its natural size, and is shown as a whole.
        page.resize(1480, 720)
        page.go("#/schema/Book")
        page.until_text("≤ 2100", ".schema-details")
        page.one(".diagram a.chosen")
        take("schema")
        page.resize(1180, 720)
        page.go(
            "#/query/Book?where=author.country+%3D%3D+%22USA%22+AND+year+%3E+1960&sort=-year&section=author.name"
        )
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
                    client.call(
                        "update",
                        entity="Book",
                        ids=[2],
                        set={"pages": int(time.time() * 1000) % 900 + 1},
                    )
                    stop.wait(0.02)

        worker = threading.Thread(target=work)
        worker.start()
        eventually(
            lambda: page.js(
                "return (document.querySelector('.plot .line').getAttribute('d').match(/L/g) ?? []).length > 7"
            ),
            "the lines",
        )
        stop.set()
        worker.join()
        take("service")
        page.resize(360, 720)
        page.go("#/table/Book?columns=title%2Cyear")
        eventually(lambda: len(page.rows()) >= 10, "the rows")
        take("narrow")
    finally:
        page.close()


# Two terminals above the page, each with the size of its text.
DESK = """<!doctype html><meta charset="utf-8"><style>
body { margin: 0; padding: 16px; background: #d8dde6; display: grid; gap: 16px;
  grid-template-columns: 5fr 4fr; font: 13px/1.45 "DejaVu Sans Mono", monospace; }
pre { margin: 0; padding: 12px 14px; border-radius: 8px; background: #16202e; color: #e4e9f0;
  font: inherit; white-space: pre-wrap; min-height: 152px; }
b { color: #8fd0a4; font-weight: normal; }
img { grid-column: 1 / 3; width: 100%; border-radius: 8px; }
</style><pre>FOLLOWS</pre><pre>CHANGES</pre><img src="PAGE">"""


def terminal(text):
    """A terminal's text as HTML, with its command lines in another colour."""
    lines = html.escape(text.rstrip()).split("\n")
    return "\n".join(f"<b>{line}</b>" if line.startswith("$ ") else line for line in lines)


def desk(store, folder):
    """Makes the picture of two programs beside the page that shows their changes."""
    follows = ["depot", "log", "--follow", "--limit", "1", "Book"]
    page = Page(1148, 560)
    log = subprocess.Popen(
        [os.path.join(PROGRAMS, "depot"), *follows[1:], "-o", "table"],
        env=store.environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        page.open(store.open_studio(True))
        page.go("#/table/Book?columns=title%2Cyear%2Cpages%2Cprice%2Crating%2Cauthor")
        page.one("studio-grid[data-live]")
        changes = ""
        for number, change, author in ((9, "price=21.5", "ann"), (4, "pages=345", "ben")):
            words = ["update", "Book", "--where", f"$id == {number}", "--set", change]
            done = subprocess.run(
                [os.path.join(PROGRAMS, "depot"), *words, "--author", author, "-o", "table"],
                env=store.environment,
                capture_output=True,
                text=True,
                check=True,
            )
            changes += f"$ depot update Book --where '$id == {number}' \\\n"
            changes += f"    --set {change} --author {author}\n{done.stdout}{done.stderr}"
        page.one('[data-who="ann"]')
        page.one('[data-who="ben"]')
        shown = os.path.join(store.folder, "page.png")
        page.picture(shown)
        lines = []
        while "update Book/4" not in "".join(lines):
            lines.append(log.stdout.readline())
        text = "".join(lines)
        # The picture begins with the first change that it shows.
        start = text[: text.index("update Book/9")].rstrip().rindex("\n\n")
        followed = "$ " + " ".join(follows[:3]) + " Book\n" + text[start:].strip()
        desk = os.path.join(store.folder, "desk.html")
        filled = DESK.replace("FOLLOWS", terminal(followed)).replace("CHANGES", terminal(changes))
        Path(desk).write_text(filled.replace("PAGE", "page.png"), encoding="utf-8")
        page.resize(1180, 790)
        page.driver.get(f"file://{desk}")
        page.picture(os.path.join(folder, "desk.png"))
    finally:
        log.kill()
        page.close()


if __name__ == "__main__":
    for make in (pictures, desk):
        filled = Store().seed()
        try:
            make(filled, sys.argv[1])
        finally:
            filled.close()
