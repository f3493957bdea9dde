"""The common parts of the browser's scenarios: a service, a program beside the page, and the page itself.

DEPOT_PROGRAMS is the folder with `depot` and `depotd`; CHROMIUM and CHROMEDRIVER say where the browser is if it
isn't Debian's. No test waits for a time: each asks until the expected text is there. With DEPOT_DELAY each frame of
the page waits so many milliseconds in both directions: a test that relies on a quick service fails then.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from selenium import webdriver
from selenium.common.exceptions import (
    JavascriptException,
    StaleElementReferenceException,
    WebDriverException,
)
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service as DriverService
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

PROGRAMS = os.environ.get("DEPOT_PROGRAMS", "")
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
CHROMEDRIVER = os.environ.get("CHROMEDRIVER", "/usr/bin/chromedriver")
# Only a failing test waits so long.
PATIENCE = float(os.environ.get("DEPOT_PATIENCE", "60"))
DELAY = int(os.environ.get("DEPOT_DELAY", "0"))
SLOW_FRAMES = """
const { send } = WebSocket.prototype;
WebSocket.prototype.send = function (data) {
  setTimeout(() => this.readyState === WebSocket.OPEN && send.call(this, data), DELAY);
};
const { set } = Object.getOwnPropertyDescriptor(WebSocket.prototype, "onmessage");
Object.defineProperty(WebSocket.prototype, "onmessage", {
  set(handler) { set.call(this, (event) => setTimeout(() => handler.call(this, event), DELAY)); },
});
"""

SCHEMA = {
    "version": "1.0.0",
    "entities": [
        {
            "name": "Author",
            "attributes": [
                {"name": "name", "type": "string", "unique": True},
                {"name": "born", "type": "date", "optional": True},
                {
                    "name": "country",
                    "type": "string",
                    "optional": True,
                    "cases": ["Italy", "Japan", "Kenya", "Norway", "UK", "USA"],
                },
                {
                    "name": "home",
                    "type": "composite",
                    "optional": True,
                    "properties": [
                        {"name": "city", "type": "string"},
                        {"name": "zip", "type": "string", "optional": True},
                    ],
                },
                {"name": "portrait", "type": "data", "optional": True, "externalStorage": True},
            ],
            "relationships": [
                {
                    "name": "books",
                    "destination": "Book",
                    "toMany": True,
                    "inverse": "author",
                    "deleteRule": "cascade",
                }
            ],
        },
        {
            "name": "Book",
            "attributes": [
                {"name": "title", "type": "string", "minLength": 1, "spotlight": True},
                {"name": "year", "type": "int64", "optional": True, "max": 2100, "indexed": True},
                {"name": "pages", "type": "int64", "optional": True, "min": 1},
                {"name": "price", "type": "decimal", "optional": True},
                {"name": "rating", "type": "double", "optional": True},
                {"name": "inPrint", "type": "bool", "default": True},
                {"name": "added", "type": "date", "optional": True},
                {"name": "keywords", "type": "string", "collection": "set", "optional": True},
                {"name": "extra", "type": "json", "optional": True},
                {"name": "summary", "type": "string", "optional": True, "externalStorage": True},
            ],
            "relationships": [
                {"name": "author", "destination": "Author", "inverse": "books", "optional": True},
                {"name": "tags", "destination": "Tag", "toMany": True, "inverse": "books"},
                {
                    "name": "loans",
                    "destination": "Loan",
                    "toMany": True,
                    "inverse": "book",
                    "deleteRule": "deny",
                },
            ],
        },
        {
            "name": "Tag",
            "attributes": [{"name": "name", "type": "string", "unique": True}],
            "relationships": [
                {"name": "books", "destination": "Book", "toMany": True, "inverse": "tags"}
            ],
        },
        {
            "name": "Loan",
            "attributes": [{"name": "reader", "type": "string"}],
            "relationships": [{"name": "book", "destination": "Book", "inverse": "loans"}],
        },
    ],
}

AUTHORS = [
    ("Ursula K. Le Guin", "USA"),
    ("Italo Calvino", "Italy"),
    ("Haruki Murakami", "Japan"),
    ("Ngũgĩ wa Thiong’o", "Kenya"),
    ("Jon Fosse", "Norway"),
    ("Virginia Woolf", "UK"),
    ("Toni Morrison", "USA"),
    ("Kazuo Ishiguro", "UK"),
]
TITLES = [
    "The Left Hand of Darkness",
    "Invisible Cities",
    "Kafka on the Shore",
    "Petals of Blood",
    "Septology",
    "Orlando",
    "Beloved",
    "The Remains of the Day",
    "The Dispossessed",
    "If on a winter’s night a traveler",
    "Norwegian Wood",
    "A Grain of Wheat",
    "Morning and Evening",
    "The Waves",
    "Song of Solomon",
    "Never Let Me Go",
]
YEARS = [
    1969,
    1972,
    2002,
    1977,
    2019,
    1928,
    1987,
    1989,
    1974,
    1979,
    1987,
    1967,
    2000,
    1931,
    1977,
    2005,
]


def eventually(condition, name=""):
    """Returns the value of a condition, which is tried until it is true."""
    end = time.monotonic() + PATIENCE
    last = None
    while time.monotonic() < end:
        try:
            last = condition()
            if last:
                return last
        except (
            StaleElementReferenceException,
            JavascriptException,
            WebDriverException,
            IndexError,
            AttributeError,
            KeyError,
        ) as error:
            last = error
        time.sleep(0.02)
    raise AssertionError(f"never came: {name or condition} (last: {last!r})")


class Store:
    """A service with a store of its own, and programs beside it."""

    def __init__(self, schema=SCHEMA, options=()):
        self.folder = tempfile.mkdtemp(prefix="depot-browser-")
        self.socket = os.path.join(self.folder, "s")
        self.options = list(options)
        self.environment = {
            **os.environ,
            "HOME": self.folder,
            "DEPOT_SOCKET": self.socket,
            "DEPOT_NO_START": "1",
            "XDG_RUNTIME_DIR": self.folder,
        }
        self.environment.pop("DEPOT_AUTHOR", None)
        self.service = None
        self.studio = None
        self.start()
        if schema:
            path = os.path.join(self.folder, "schema.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(schema, file)
            self.run("schema", "apply", path)

    @property
    def path(self):
        return os.path.join(self.folder, "store.sqlite")

    def start(self):
        self.service = subprocess.Popen(
            [
                os.path.join(PROGRAMS, "depotd"),
                "--socket",
                self.socket,
                "--store",
                self.path,
                *self.options,
            ],
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        eventually(
            lambda: subprocess.run(
                [os.path.join(PROGRAMS, "depot"), "ping"], env=self.environment, capture_output=True
            ).returncode
            == 0,
            "a service",
        )

    def kill(self):
        self.service.send_signal(signal.SIGKILL)
        self.service.wait()

    def stop(self):
        self.service.terminate()
        self.service.wait()

    def run(self, *arguments, stdin=None):
        """Runs the command, and returns its output."""
        done = subprocess.run(
            [os.path.join(PROGRAMS, "depot"), *map(str, arguments)],
            env=self.environment,
            capture_output=True,
            text=True,
            input=stdin,
        )
        if done.returncode != 0:
            raise AssertionError(f"depot {' '.join(map(str, arguments))}: {done.stderr}")
        return done.stdout

    def call(self, operation, **arguments):
        return json.loads(self.run("call", operation, json.dumps(arguments)).splitlines()[-1])

    def row(self, entity, identifier):
        """A row as the service has it, or None."""
        lines = self.run(
            "fetch", entity, "--where", f"$id == {identifier}", "-o", "ndjson"
        ).splitlines()
        return json.loads(lines[0]) if lines else None

    def seed(self):
        """Stores the books of the tests."""
        authors = [[f"#a{index}", name, country] for index, (name, country) in enumerate(AUTHORS)]
        tags = [["#t0", "classic"], ["#t1", "translated"]]
        books = [
            [
                f"#b{index}",
                title,
                YEARS[index],
                120 + 31 * index,
                f"{9 + index}.5",
                (index % 10) / 2,
                f"#a{index % 8}",
                ["#t0" if index % 2 else "#t1"],
            ]
            for index, title in enumerate(TITLES)
        ]
        loans = [["#l0", "mia", "#b5"], ["#l1", "ben", "#b6"]]
        self.call(
            "save",
            insert=[
                {"entity": "Author", "columns": ["$id", "name", "country"], "rows": authors},
                {"entity": "Tag", "columns": ["$id", "name"], "rows": tags},
                {
                    "entity": "Book",
                    "columns": [
                        "$id",
                        "title",
                        "year",
                        "pages",
                        "price",
                        "rating",
                        "author",
                        "tags",
                    ],
                    "rows": books,
                },
                {"entity": "Loan", "columns": ["$id", "reader", "book"], "rows": loans},
            ],
        )
        return self

    def open_studio(self, write=True, container=None):
        """Starts the bridge, and returns the address that it prints."""
        command = [
            os.path.join(PROGRAMS, "depot"),
            "--socket",
            self.socket,
            *(["--container", container] if container else []),
            "studio",
            "--no-open",
            *(["--write"] if write else []),
        ]
        if self.studio and self.studio.poll() is None:
            return json.loads(
                subprocess.run(
                    command, env=self.environment, capture_output=True, text=True
                ).stdout.splitlines()[0]
            )["address"]
        self.studio = subprocess.Popen(
            command,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return json.loads(self.studio.stdout.readline())["address"]

    def close(self):
        for process in (self.studio, self.service):
            if process and process.poll() is None:
                process.terminate()
                process.wait()
        if self.studio:
            self.studio.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Page:
    """The page in a browser without a window."""

    def __init__(self, width=1280, height=800, is_dark=False, scale=1):
        options = Options()
        options.binary_location = CHROMIUM
        for argument in (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--enable-precise-memory-info",
            "--js-flags=--expose-gc",
            f"--force-device-scale-factor={scale}",
            # As with a mouse: the buttons that appear below it aren't shown always.
            "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
        ):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.set_capability("unhandledPromptBehavior", "ignore")
        self.driver = webdriver.Chrome(options=options, service=DriverService(CHROMEDRIVER))
        if DELAY:
            self.driver.execute_cdp_cmd(
                "Page.addScriptToEvaluateOnNewDocument",
                {"source": SLOW_FRAMES.replace("DELAY", str(DELAY))},
            )
        self.scale = scale
        self.resize(width, height)
        self.look(is_dark)

    def resize(self, width, height=800):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": self.scale, "mobile": False},
        )

    def look(self, is_dark):
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {
                "features": [
                    {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
                ]
            },
        )

    def open(self, address, fragment=""):
        self.driver.get(address)
        eventually(
            lambda: self.js(
                "return document.querySelector('.state')?.dataset.state === 'connected'"
                " && document.querySelector('main > *') !== null"
            ),
            "the page",
        )
        if fragment:
            self.go(fragment)

    def go(self, fragment):
        self.js("location.hash = arguments[0]", fragment)

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return eventually(lambda: self.all(selector)[0], selector)

    def text(self, selector="body"):
        """The text of all that a selector finds, as it is, seen or not."""
        return self.js(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent).join('\\n')",
            selector,
        )

    def until_text(self, text, selector="body"):
        return eventually(lambda: text in self.text(selector), f"{text!r} in {selector}")

    def rows(self):
        """The rows in sight: the texts of their cells by the titles of the columns."""
        return self.js(
            """
          const heads = [...document.querySelectorAll('studio-grid .head [role="columnheader"]')];
          const titles = heads.map((one) => one.firstChild.textContent);
          const rows = [...document.querySelectorAll('studio-grid .body [role="row"]:not(.loading)')];
          rows.sort((one, other) => one.getAttribute('aria-rowindex') - other.getAttribute('aria-rowindex'));
          const cells = (row) => [...row.querySelectorAll('[role="gridcell"]')];
          const named = (row) => cells(row).map((cell, index) => [titles[index], cell.textContent]);
          return rows.map((row) => Object.fromEntries(named(row)));"""
        )

    def cell(self, identifier, title):
        """The element of a cell."""
        return eventually(
            lambda: self.js(
                """
          const heads = [...document.querySelectorAll('studio-grid .head [role="columnheader"]')];
          const titles = heads.map((one) => one.firstChild.textContent);
          const rows = [...document.querySelectorAll('studio-grid .body [role="row"]')];
          const row = rows.find((one) => one.children[0]?.textContent === arguments[0]);
          return row?.children[titles.indexOf(arguments[1])];""",
                str(identifier),
                title,
            ),
            f"the cell {title} of {identifier}",
        )

    def cell_text(self, identifier, title):
        """The text of a cell; None if the row isn't in sight."""
        return next((row[title] for row in self.rows() if row["id"] == str(identifier)), None)

    def until_cell(self, identifier, title, text):
        return eventually(
            lambda: self.cell_text(identifier, title) == text,
            f"{title} of {identifier} is {text!r}",
        )

    def click(self, selector, text=None):
        """Clicks the first element of a selector, with a text if one is given."""

        def found():
            for element in self.all(selector):
                if text is None or text in element.get_attribute("textContent"):
                    element.click()
                    return True
            return False

        eventually(found, f"{selector} with {text!r}")

    def mouse(self, kind, element):
        """Sends an event of the mouse to an element."""
        self.js(
            "arguments[1].dispatchEvent(new MouseEvent(arguments[0], "
            "{ bubbles: true, cancelable: true, clientX: 500, clientY: 300 }))",
            kind,
            element,
        )

    def fill(self, field, text):
        """Gives a field a text, and ends its edit."""
        self.js(
            "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change', { bubbles: true }))",
            field,
            text,
        )

    def press(self, *keys):
        """Presses keys where the focus is; a list is pressed together."""
        for key in keys:
            actions = webdriver.ActionChains(self.driver)
            if isinstance(key, (list, tuple)):
                for one in key[:-1]:
                    actions.key_down(one)
                actions.send_keys(key[-1])
                for one in key[:-1]:
                    actions.key_up(one)
            else:
                actions.send_keys(key)
            actions.perform()

    def problems(self):
        """The errors of the browser's console."""
        return [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] == "SEVERE" and "favicon" not in entry["message"]
        ]

    def picture(self, path):
        self.driver.save_screenshot(path)

    def close(self):
        self.driver.quit()


@contextlib.contextmanager
def waiting_writers(store, args, container=None):
    """Six clients that update rows again and again, each with its own connection."""
    is_seen = threading.Event()
    hello = {"protocol": [1, 1], "client": {"name": "writer"}}
    if container:
        hello["container"] = container

    def write():
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(store.socket)
            client.sendall(json.dumps({"hello": hello}).encode() + b"\n")
            answers = client.makefile("rb")
            answers.readline()
            number = 0
            while not is_seen.is_set():
                number += 1
                call = {"id": number, "call": "update", "args": args}
                client.sendall(json.dumps(call).encode() + b"\n")
                answers.readline()

    writers = [threading.Thread(target=write) for _ in range(6)]
    for writer in writers:
        writer.start()
    try:
        yield
    finally:
        is_seen.set()
        for writer in writers:
            writer.join()


class BrowserTest(unittest.TestCase):
    """A test with a page; a class has one browser and one store."""

    write = True
    schema = SCHEMA
    seeded = True
    options = ()

    @classmethod
    def setUpClass(cls):
        if not PROGRAMS:
            raise unittest.SkipTest("set DEPOT_PROGRAMS to the folder with depot and depotd")
        cls.store = Store(cls.schema, cls.options)
        cls.addClassCleanup(lambda: cls.store.close())
        if cls.seeded:
            cls.store.seed()
        cls.page = Page()
        cls.addClassCleanup(cls.page.close)
        cls.page.open(cls.store.open_studio(cls.write))

    def setUp(self):
        self.page.problems()

    def tearDown(self):
        # A failed connection while a service is away is an error of the console too.
        wrong = [text for text in self.page.problems() if "WebSocket connection to" not in text]
        self.assertEqual(wrong, [], "the browser complained")


__all__ = [
    "AUTHORS",
    "BrowserTest",
    "By",
    "Keys",
    "PATIENCE",
    "PROGRAMS",
    "Page",
    "SCHEMA",
    "Store",
    "TITLES",
    "eventually",
    "json",
    "os",
    "sys",
    "unittest",
]


class EditingTest(BrowserTest):
    """A test that edits the table of books, and discards what it leaves unsaved."""

    def setUp(self):
        super().setUp()
        self.page.js("window.onbeforeunload = null")
        self.page.go("#/")
        self.page.go("#/table/Book")
        eventually(lambda: len(self.page.rows()) >= 16, "the rows")

    def tearDown(self):
        if not self.page.js("return document.querySelector('.edit-bar').hidden"):
            self.page.click(".edit-bar button", "Discard")
            self.page.click("dialog button", "Discard")
        super().tearDown()
