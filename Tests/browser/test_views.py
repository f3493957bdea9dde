"""Queries, the schema, the service, and large values: the other views."""

import base64
import struct
import zlib

from support import BrowserTest, eventually, json, os, unittest, waiting_writers


def picture(width, height):
    """A PNG of one colour."""

    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    lines = b"".join(b"\0" + b"\x20\x80\x70" * width for _ in range(height))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(lines))
        + chunk(b"IEND", b"")
    )


class ViewsTest(BrowserTest):
    # Every call is a slow one.
    options = ("--slow-ms", "0")

    def setUp(self):
        super().setUp()
        self.downloads = os.path.join(self.store.folder, "downloads")
        os.makedirs(self.downloads, exist_ok=True)
        self.page.driver.execute_cdp_cmd(
            "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": self.downloads}
        )
        self.page.go("#/")

    def downloaded(self, name):
        # The browser takes the name by an empty file, which the whole one replaces.
        path = os.path.join(self.downloads, name)
        eventually(lambda: os.path.exists(path) and os.path.getsize(path) > 0, name)
        with open(path, "rb") as file:
            return file.read()

    def test_a_query_has_order_sections_and_a_plan_with_advice(self):
        self.page.go("#/query/Book?where=pages+%3E+300&sort=-pages&section=author.name")
        self.page.until_text("rows in", ".query-view .count")
        self.page.until_text("Italo Calvino", ".sections")
        self.page.until_text("index on Book.pages", ".explained .advice")
        self.page.click(".explained summary")
        self.page.click(".explained button", "Measure")
        self.page.until_text("scanned one after the other", ".explained")
        self.page.until_text(">", ".explained .operator")

    def test_groups_are_aggregated(self):
        self.page.go("#/query/Book?by=author.name&aggregate=sum&of=pages&sort=-sum_pages")
        eventually(lambda: len(self.page.rows()) == 8, "the groups")
        rows = self.page.rows()
        self.assertEqual(list(rows[0]), ["author.name", "sum_pages"])
        numbers = [int(row["sum_pages"]) for row in rows]
        self.assertEqual(numbers, sorted(numbers, reverse=True))

    def test_full_text_and_wrong_predicates(self):
        self.page.go("#/query/Book?search=dark*")
        eventually(
            lambda: [row["title"] for row in self.page.rows()] == ["The Left Hand of Darkness"],
            "the found row",
        )
        self.page.go("#/query/Book?where=title+%3D%3D")
        self.page.until_text("ends where a value should be", ".problem")

    def test_a_result_is_saved_as_csv_and_ndjson(self):
        self.page.go("#/query/Book?where=year+%3C+1970&sort=year&columns=title%2Cyear")
        eventually(lambda: len(self.page.rows()) == 4, "the rows")
        self.page.click(".tools button", "CSV")
        self.assertEqual(
            self.downloaded("Book.csv").decode().splitlines()[:2],
            ["$id,title,year", "6,Orlando,1928"],
        )
        self.page.click(".tools button", "NDJSON")
        self.assertEqual(
            json.loads(self.downloaded("Book.ndjson").decode().splitlines()[0]),
            {"$id": 6, "title": "Orlando", "year": 1928},
        )

    def test_the_schema_is_drawn_with_its_rules_and_compared(self):
        self.page.go("#/schema")
        eventually(lambda: len(self.page.all(".diagram a.box")) == 4, "the boxes")
        self.assertEqual(len(self.page.all(".diagram g.edge")), 3)
        self.page.go("#/schema/Book")
        self.page.until_text("≤ 2100", ".schema-details")
        self.page.until_text("on delete deny", ".schema-details")
        path = os.path.join(self.store.folder, "other.json")
        other = json.loads(json.dumps(self.schema))
        other["version"] = "2.0.0"
        other["entities"][1]["attributes"].append(
            {"name": "isbn", "type": "uuid", "optional": True}
        )
        with open(path, "w", encoding="utf-8") as file:
            json.dump(other, file)
        self.page.one('input[type="file"]').send_keys(path)
        self.page.until_text("attribute Book.isbn", ".compared")
        self.page.until_text("version 1.0.0 → 2.0.0", ".compared")

    def test_versions_of_the_schema_are_listed_and_two_are_compared(self):
        later = json.loads(json.dumps(self.schema))
        later["version"] = "1.1.0"
        later["entities"][1]["attributes"].append(
            {"name": "isbn", "type": "uuid", "optional": True}
        )
        path = os.path.join(self.store.folder, "later.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(later, file)
        self.store.run("schema", "apply", path)
        self.page.go("#/schema")
        self.page.until_text("1.1.0", ".versions")
        self.assertEqual(
            [item.get_attribute("value") for item in self.page.all(".versions li")], ["2", "1"]
        )
        self.page.click(".story button", "Compare")
        self.page.until_text("Changes from 1 (1.0.0) to 2 (1.1.0)", ".compared")
        self.page.until_text("attribute Book.isbn", ".compared")
        self.page.until_text("version 1.0.0 → 1.1.0", ".compared")

    def test_the_service_shows_clients_figures_and_a_backup(self):
        self.page.go("#/service")
        self.page.until_text("this page", ".service-body")
        self.store.run("update", "Book", "--where", "$id == 1", "--set", "pages=99")
        eventually(
            lambda: self.page.js(
                "const lines = [...document.querySelectorAll('.plot .line')];"
                "return lines.some((one) => (one.getAttribute('d') ?? '').includes('L'))"
            ),
            "a line",
        )
        self.page.until_text("Book", ".bars")
        plots = [figure.text for figure in self.page.all(".plots figcaption")]
        for title in ("Commits", "Commit, p99", "Call, p99", "Write-ahead log"):
            self.assertTrue(any(text.startswith(title) for text in plots), plots)
        # The slow calls have their predicates without constants, and advice.
        self.store.run("fetch", "Book", "--where", "pages > 400")
        self.page.until_text("fetch Book", ".slow")
        self.page.until_text("pages > ?", ".slow")
        self.page.until_text("full scan", ".slow")
        self.page.until_text("index on Book.pages", ".slow")
        self.page.until_text("watch Book", ".clients")
        self.page.click(".tools button", "Check")
        self.page.until_text("Sound", ".bar")
        self.page.click(".tools button", "Back up")
        self.page.until_text("saved", ".bar")
        name = eventually(
            lambda: [one for one in os.listdir(self.downloads) if one.endswith(".backup")],
            "the file",
        )[0]
        self.assertTrue(self.downloaded(name).startswith(b"SQLite format 3\0"))

    def cancel_at_once(self):
        """Clicks the next button that cancels, as soon as it is there."""
        self.page.js(
            """
          new MutationObserver((_, observer) => {
            const all = [...document.querySelectorAll('.bar button')];
            const button = all.find((one) => one.textContent === 'Cancel' && !one.hidden);
            if (!button) return;
            observer.disconnect();
            button.click();
          }).observe(document.body, { childList: true, subtree: true, attributes: true });"""
        )

    def test_a_query_and_the_writing_of_its_result_can_be_cancelled(self):
        self.page.go("#/query/Tag")
        self.page.until_text("rows in", ".query-view .count")
        self.cancel_at_once()
        self.page.go("#/query/Book?where=pages+%3E+0")
        self.page.until_text("Cancelled", ".query-view .count")
        self.page.click(".tools button", "Run")
        self.page.until_text("rows in", ".query-view .count")
        before = os.listdir(self.downloads)
        self.cancel_at_once()
        self.page.click(".tools button", "NDJSON")
        self.page.until_text("Cancelled", ".query-view .count")
        self.assertEqual(os.listdir(self.downloads), before)

    def test_a_backup_shows_its_progress_and_can_be_cancelled(self):
        self.page.go("#/service")
        self.page.until_text("this page", ".service-body")
        self.cancel_at_once()
        self.page.click(".tools button", "Back up")
        self.page.until_text("Cancelled", ".bar")
        self.page.until_text("Back up", ".tools")

    def test_calls_that_wait_for_the_writer_are_shown(self):
        self.page.go("#/service")
        self.page.until_text("0 calls waiting", ".writer")
        rows = [[f"waiting {number}"] for number in range(2000)]
        self.store.call("insert", entity="Book", columns=["title"], rows=rows)
        # Each looks at all rows and changes none, so that nothing is stored however long it takes to see them.
        args = {"entity": "Book", "where": "title MATCHES '(w|a|i)*(t|i|n|g)* [0-9]*x'", "set": {"pages": 1}}
        try:
            with waiting_writers(self.store, args):
                self.page.until_text("update Book", ".writer td")
                self.page.until_text("writer", ".writer td")
        finally:
            self.store.run("delete", "Book", "--where", "title BEGINSWITH 'waiting'")
        self.page.until_text("0 calls waiting", ".writer")

    def test_a_picture_is_drawn_and_bytes_and_texts_are_read_in_parts(self):
        image = picture(40, 30)
        self.store.call(
            "blob.write",
            entity="Author",
            id=2,
            attribute="portrait",
            data=base64.b64encode(image).decode(),
        )
        self.page.go("#/object/Author/2")
        canvas = self.page.one(".preview canvas")
        self.assertEqual(
            (canvas.get_attribute("width"), canvas.get_attribute("height")), ("40", "30")
        )
        pixel = self.page.js(
            "return [...arguments[0].getContext('2d').getImageData(5, 5, 1, 1).data]", canvas
        )
        self.assertEqual(pixel, [0x20, 0x80, 0x70, 255])
        self.page.click(".large button", "Download")
        self.assertEqual(self.downloaded("Author-2-portrait.png"), image)
        self.store.call(
            "blob.write",
            entity="Author",
            id=3,
            attribute="portrait",
            data=base64.b64encode(bytes(range(256)) * 4).decode(),
        )
        self.page.go("#/object/Author/3")
        self.page.until_text("00000010  10 11 12", ".preview")
        self.page.click(".preview button", "Next")
        self.page.until_text("00000110", ".preview")
        text = "größer 名前 " * 2000
        self.store.call("blob.write", entity="Book", id=2, attribute="summary", data=text)
        self.page.go("#/object/Book/2")
        self.page.until_text("größer 名前", ".preview")
        more = """
          for (const one of document.querySelectorAll('.preview button')) if (one.textContent === 'More') one.click();
          return document.querySelector('.preview pre').textContent;"""
        eventually(lambda: self.page.js(more) == text, "the whole text")

    def test_a_large_value_is_replaced_by_a_file_in_parts(self):
        path = os.path.join(self.store.folder, "large.bin")
        data = os.urandom(2_500_000)
        with open(path, "wb") as file:
            file.write(data)
        self.page.go("#/object/Author/4")
        self.page.until_text("Ngũgĩ", "h1")
        self.page.click('button[aria-label="Edit portrait"]')
        self.page.one('.editor input[type="file"]').send_keys(path)
        self.page.click(".editor button", "Store")
        self.page.until_text("2.5 MB", ".properties")
        self.page.click(".large button", "Download")
        self.assertEqual(self.downloaded("Author-4-portrait.bin"), data)


if __name__ == "__main__":
    unittest.main()
