"""A container of several stores: each view shows all of them, or lets one choose."""

import os
from urllib.parse import urlencode

from support import SCHEMA, BrowserTest, Page, Store, eventually, json, unittest, waiting_writers

SHOP = {
    "version": "1.0.0",
    "entities": [
        {
            "name": "Order",
            "attributes": [{"name": "number", "type": "int64"}],
            "relationships": [
                {"name": "lines", "destination": "Line", "toMany": True, "inverse": "order"}
            ],
        },
        {
            "name": "Line",
            "attributes": [{"name": "text", "type": "string"}],
            "relationships": [
                {"name": "order", "destination": "Order", "inverse": "lines", "optional": True}
            ],
        },
        {"name": "Picture", "attributes": [{"name": "title", "type": "string"}]},
    ],
}


class StoresTest(BrowserTest):
    @classmethod
    def setUpClass(cls):
        cls.store = Store(SCHEMA)
        cls.addClassCleanup(lambda: cls.store.close())
        cls.store.call(
            "container.open",
            name="shop",
            keep=True,
            schema=SHOP,
            stores=[
                {"name": "orders", "file": "orders.store", "entities": ["Order", "Line"]},
                {"name": "rest", "file": "rest.store"},
            ],
        )
        cls.page = Page()
        cls.addClassCleanup(cls.page.close)
        cls.page.open(cls.store.open_studio(container="shop"))

    def shop(self, *arguments):
        return self.store.run("--container", "shop", *arguments)

    def test_the_locks_of_every_store_are_shown(self):
        self.page.go("#/service")
        for store in ("default", "shop/orders", "shop/rest"):
            self.page.until_text("0 calls waiting", f'.writer [data-store="{store}"]')
        rows = [[f"waiting {number}"] for number in range(2000)]
        self.shop(
            "call",
            "insert",
            json.dumps(
                {"entity": "Picture", "columns": ["title"], "rows": rows, "returnIds": False}
            ),
        )
        # Each looks at all rows and changes none.
        where = "title MATCHES '(w|a|i)*(t|i|n|g)* [0-9]*x'"
        args = {"entity": "Picture", "where": where, "set": {"title": "x"}}
        try:
            with waiting_writers(self.store, args, "shop"):
                self.page.until_text("update Picture", '.writer [data-store="shop/rest"] td')
        finally:
            self.shop("delete", "Picture", "--where", "title BEGINSWITH 'waiting'")
        self.assertNotIn("Picture", self.page.text('.writer [data-store="shop/orders"]'))
        self.page.until_text("0 calls waiting", '.writer [data-store="shop/rest"]')

    def test_disk_checks_and_backups_are_those_of_all_stores(self):
        downloads = os.path.join(self.store.folder, "downloads")
        os.makedirs(downloads, exist_ok=True)
        self.page.driver.execute_cdp_cmd(
            "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": downloads}
        )
        self.page.go("#/service")
        for entity in ("Order", "Picture"):
            self.page.until_text(entity, ".bars")
        self.page.click(".tools button", "Check")
        self.page.until_text("Sound", ".bar")
        self.page.click(".tools button", "Back up")
        self.page.until_text("saved", ".bar")

        def whole():
            """The names of the stores whose backups have come."""
            paths = [os.path.join(downloads, name) for name in sorted(os.listdir(downloads))]
            paths = [path for path in paths if path.endswith(".backup") and os.path.getsize(path)]
            return [os.path.basename(path).split("-")[1] for path in paths]

        eventually(lambda: whole() == ["orders", "rest"], "both files")

    def test_each_store_has_its_versions_of_the_schema(self):
        self.page.go("#/schema")
        for store in ("orders", "rest"):
            self.page.until_text("1.0.0", f'.story [data-store="{store}"] .versions')
        later = json.loads(json.dumps(SHOP))
        later["version"] = "1.1.0"
        later["entities"][2]["attributes"].append(
            {"name": "width", "type": "int64", "optional": True}
        )
        path = os.path.join(self.store.folder, "later.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(later, file)
        self.shop("schema", "apply", path)
        self.page.go("#/schema?store=rest&from=1&to=2")
        self.page.until_text("Changes from 1 (1.0.0) to 2 (1.1.0)", ".compared")
        self.page.until_text("attribute Picture.width", ".compared")
        # The address keeps the comparison while another entity is chosen, until it is closed.
        self.page.click('.diagram [data-entity="Order"]')
        self.page.until_text("number", ".schema-details")
        self.page.until_text("Picture.width", ".compared")
        self.page.click(".compared button", "Close")
        eventually(lambda: "from=" not in self.page.js("return location.hash"), "the address")
        eventually(lambda: self.page.text(".compared") == "", "the comparison is closed")

    def test_the_history_is_that_of_a_store(self):
        self.shop("insert", "Order", "number=7", "--author", "olga")
        self.shop("insert", "Picture", "title=Sunset", "--author", "paul")
        self.page.go("#/history")
        self.page.until_text("olga", ".transactions > li:first-child")
        self.assertNotIn("Sunset", self.page.text(".transactions"))
        self.page.go("#/history?store=rest")
        self.page.until_text("Sunset", ".transactions > li:first-child")
        self.shop("insert", "Picture", "title=Dawn", "--author", "quin")
        self.page.until_text("quin", ".transactions > li:first-child")
        self.page.go("#/history/Order")
        self.page.until_text("olga", ".transactions")
        self.assertNotIn("Sunset", self.page.text(".transactions"))
        number = next(
            line["$id"].split("/")[-1]
            for line in map(json.loads, self.shop("fetch", "Picture", "-o", "ndjson").splitlines())
            if line["title"] == "Dawn"
        )
        self.page.go(f"#/object/Picture/{number}")
        self.page.until_text("quin", ".story")
        self.shop(
            "update",
            "Picture",
            "--where",
            f"$id == {number}",
            "--set",
            "title=Dusk",
            "--author",
            "rosa",
        )
        self.page.until_text("Dawn → Dusk", ".story")
        self.page.go("#/table/Picture?" + urlencode({"at": "now", "where": "title != NIL"}))
        self.page.until_text("rosa", ".past-bar .moment")


if __name__ == "__main__":
    unittest.main()
