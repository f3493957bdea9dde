"""The service is killed, started again, restored, and replaced, while the page is open."""

from support import BrowserTest, eventually, json, os, unittest


class RestartTest(BrowserTest):
    def setUp(self):
        super().setUp()
        self.page.go("#/")
        self.page.go("#/table/Book")
        eventually(lambda: len(self.page.rows()) >= 16, "the rows")

    def state(self):
        return self.page.js("return document.querySelector('.state').dataset.state")

    def test_the_page_goes_on_after_the_service_was_killed(self):
        self.store.kill()
        eventually(lambda: self.state() != "connected", "the page says so")
        self.page.until_text("Reconnecting", ".state")
        self.assertEqual(len(self.page.rows()) >= 16, True)
        self.store.start()
        self.store.run(
            "update", "Book", "--where", "$id == 2", "--set", "title=Written while nobody looked"
        )
        eventually(lambda: self.state() == "connected", "it is back")
        self.page.until_cell(2, "title", "Written while nobody looked")
        self.store.run(
            "update", "Book", "--where", "$id == 3", "--set", "pages=303", "--author", "zoe"
        )
        self.page.until_cell(3, "pages", "303")
        self.assertNotIn("restored", self.page.text(".banner"))

    def test_the_page_says_that_the_store_was_restored(self):
        backup = os.path.join(self.store.folder, "copy.backup")
        self.store.run("backup", backup)
        self.store.run(
            "update", "Book", "--where", "$id == 5", "--set", "title=Lost by the restore"
        )
        self.page.until_cell(5, "title", "Lost by the restore")
        self.store.stop()
        eventually(lambda: self.state() != "connected", "the page says so")
        for name in os.listdir(self.store.folder):
            if name.startswith("store.sqlite"):
                os.unlink(os.path.join(self.store.folder, name))
        self.store.run("restore", backup, "--store", self.store.path)
        self.store.start()
        self.page.until_text("restored from a backup", ".banner")
        self.page.until_cell(5, "title", "Septology")

    def test_a_change_of_the_schema_is_seen(self):
        path = os.path.join(self.store.folder, "wider.json")
        wider = {
            **self.schema,
            "entities": [
                *self.schema["entities"],
                {"name": "Shelf", "attributes": [{"name": "name", "type": "string"}]},
            ],
        }
        with open(path, "w", encoding="utf-8") as file:
            json.dump(wider, file)
        self.store.run("schema", "apply", path)
        self.page.go("#/schema")
        eventually(
            lambda: self.page.go("#/")
            or self.page.go("#/schema")
            or "Shelf" in self.page.text(".diagram"),
            "the new entity",
        )
        self.page.until_text("Shelf", ".entities")


if __name__ == "__main__":
    unittest.main()
