"""Editing: in cells and objects, conflicts, one transaction for all edits, undo and redo, deletions."""

from support import BrowserTest, By, EditingTest, Keys, eventually, unittest


# Whether the page asks before it closes.
LEAVE = """
const event = new Event('beforeunload', { cancelable: true });
window.dispatchEvent(event);
return event.defaultPrevented;
"""


class EditTest(EditingTest):
    def edit_cell(self, identifier, title, text):
        """Edits a cell by the keyboard's key for it."""
        self.open_editor(identifier, title)
        field = self.page.one(".cell-editor input, .cell-editor textarea, .cell-editor select")
        if field.tag_name == "select":
            field.send_keys(text)
        else:
            self.page.js("arguments[0].value = ''", field)
            field.send_keys(text)
        field.send_keys(Keys.ENTER)

    def open_editor(self, identifier, title):
        def opened():
            self.page.mouse("dblclick", self.page.cell(identifier, title))
            return True

        eventually(opened, "an editor")

    def save(self):
        self.page.click(".edit-bar button.primary")

    def saved(self):
        eventually(
            lambda: self.page.js("return document.querySelector('.edit-bar').hidden"),
            f"it is saved: {self.page.text('.edit-bar')}",
        )

    def head(self):
        return self.store.call("history.status")["head"]

    def test_several_edits_are_one_transaction(self):
        before = int(self.head().rsplit("-", 1)[1])
        self.edit_cell(2, "pages", "222")
        self.edit_cell(3, "pages", "333")
        self.edit_cell(3, "title", "Kafka, edited")
        self.page.until_text("2 changed rows", ".edit-bar")
        self.assertEqual(self.store.row("Book", 2)["pages"] == 222, False)
        self.save()
        self.saved()
        self.assertEqual(int(self.head().rsplit("-", 1)[1]), before + 1)
        self.assertEqual(
            (self.store.row("Book", 2)["pages"], self.store.row("Book", 3)["title"]),
            (222, "Kafka, edited"),
        )
        self.page.until_cell(3, "title", "Kafka, edited")

    def test_undo_and_redo_by_keys_take_back_what_was_saved(self):
        was = self.store.row("Book", 4)["year"]
        self.edit_cell(4, "year", "1999")
        self.save()
        self.saved()
        self.page.one("studio-grid").send_keys("")
        self.page.press([Keys.CONTROL, "z"])
        self.page.until_cell(4, "year", str(was))
        self.assertEqual(self.store.row("Book", 4)["year"], was)
        self.page.press([Keys.CONTROL, Keys.SHIFT, "z"])
        self.page.until_cell(4, "year", "1999")
        self.assertEqual(self.store.row("Book", 4)["year"], 1999)

    def test_undo_takes_back_edits_that_are_not_saved_first(self):
        was = self.page.cell_text(5, "pages")
        self.edit_cell(5, "pages", "5555")
        self.page.until_cell(5, "pages", "5555")
        self.page.press([Keys.CONTROL, "z"])
        self.page.until_cell(5, "pages", was)
        self.saved()

    def test_a_conflict_shows_base_theirs_and_mine_and_each_property_is_chosen(self):
        self.edit_cell(6, "pages", "600")
        self.edit_cell(6, "title", "Orlando, mine")
        self.edit_cell(6, "rating", "1.5")
        self.store.run(
            "update",
            "Book",
            "--where",
            "$id == 6",
            "--set",
            "pages=666",
            "--set",
            "title=Orlando, theirs",
            "--author",
            "bob",
        )
        self.save()
        self.page.until_text("A conflict", "dialog h2")
        lines = {
            line.find_element(By.TAG_NAME, "th").text.split("\n")[0]: line.text
            for line in self.page.all("dialog tbody tr")
        }
        self.assertIn("Orlando", lines["title"])
        for text in ("Orlando, theirs", "Orlando, mine", "bob"):
            self.assertIn(text, lines["title"])
        self.assertIn("rating", lines)
        self.assertFalse(self.page.one("dialog button.primary").is_enabled())
        self.page.click('dialog input[aria-label="title: theirs"]')
        self.page.click('dialog input[aria-label="pages: mine"]')
        self.page.click("dialog button.primary")
        self.saved()
        row = self.store.row("Book", 6)
        self.assertEqual((row["title"], row["pages"], row["rating"]), ("Orlando, theirs", 600, 1.5))

    def test_a_row_that_others_deleted_can_be_made_again(self):
        made = (
            self.store.run("insert", "Book", "title=Short life", "year=2001", "-o", "ids")
            .strip()
            .split("/")[-1]
        )
        (
            self.page.click(".news")
            if self.page.js("return !document.querySelector('.news').hidden")
            else None
        )
        eventually(lambda: any(row["id"] == made for row in self.page.rows()), "the row")
        self.edit_cell(made, "title", "Longer life")
        self.store.run("delete", "Book", "--where", f"$id == {made}")
        self.save()
        self.page.until_text("deleted meanwhile", "dialog")
        self.page.click("dialog label", "Make it again")
        self.page.click("dialog button.primary")
        self.saved()
        row = self.store.row("Book", made)
        self.assertEqual((row["title"], row["year"]), ("Longer life", 2001))
        self.store.run("delete", "Book", "--where", f"$id == {made}")

    def test_a_refused_value_is_explained_by_the_service(self):
        self.edit_cell(7, "year", "3000")
        self.save()
        self.page.until_text("2100", ".edit-bar .inline-error")
        self.assertNotEqual(self.store.row("Book", 7)["year"], 3000)

    def test_a_text_that_is_no_number_is_refused_before_it_is_sent(self):
        self.open_editor(7, "pages")
        field = self.page.one(".cell-editor input")
        self.page.js("arguments[0].value = ''", field)
        field.send_keys("many", Keys.ENTER)
        self.page.until_text("no whole number", ".cell-editor")
        field.send_keys(Keys.ESCAPE)
        eventually(lambda: not self.page.all(".cell-editor"), "the editor is closed")

    def test_a_related_row_is_found_by_its_name(self):
        self.open_editor(8, "author")
        field = self.page.one(".cell-editor input")
        self.page.js("arguments[0].value = ''", field)
        field.send_keys("calvi")
        eventually(
            lambda: "Italo Calvino" in self.page.text(".cell-editor .options")
            and len(self.page.all(".cell-editor .options li")) == 1,
            "the author",
        )
        field.send_keys(Keys.ENTER)
        field.send_keys(Keys.ENTER)
        self.save()
        self.saved()
        self.assertEqual(self.store.row("Book", 8)["author"] in (2, "Author/2"), True)

    def test_an_object_is_edited_beside_with_editors_for_its_types(self):
        self.page.go("#/table/Author?beside=Author/3")
        self.page.until_text("Haruki Murakami", ".beside h1")
        for name, text in (
            ("born", None),
            ("country", "Kenya"),
            ("home", "yes"),
            ("home.city", "Kyoto"),
        ):
            self.page.click(f'.beside button[aria-label="Edit {name}"]')
            field = self.page.one(f'.beside [aria-label="{name}"]')
            if text is None:
                self.page.fill(field, "1949-01-12T03:04:05")
            else:
                field.send_keys(text)
                self.page.js(
                    "arguments[0].dispatchEvent(new Event('change', { bubbles: true }))", field
                )
            self.page.click(".beside .editor button", "OK")
        self.save()
        self.saved()
        row = self.store.row("Author", 3)
        self.assertEqual((row["country"], row["born"]), ("Kenya", "1949-01-12T03:04:05Z"))
        self.page.until_text("Kyoto", ".beside .properties")

    def test_a_new_row_is_stored_with_the_other_edits(self):
        self.page.go("#/table/Tag")
        self.page.click(".tools button", "New row")
        field = self.page.one('.beside [aria-label="name"]')
        field.send_keys("made here")
        self.page.js("arguments[0].dispatchEvent(new Event('change', { bubbles: true }))", field)
        self.page.until_text("1 new row", ".edit-bar")
        self.save()
        self.saved()
        eventually(
            lambda: any(row["name"] == "made here" for row in self.page.rows()), "the new tag"
        )
        self.store.run("delete", "Tag", "--where", "name == 'made here'")

    def test_a_deletion_lists_its_consequences_first(self):
        self.page.go("#/table/Author?beside=Author/5")
        self.page.until_text("Jon Fosse", ".beside h1")
        self.page.click(".beside button", "Delete")
        self.page.until_text("2 rows of Book", "dialog")
        self.page.until_text("Book.tags", "dialog")
        self.page.click("dialog button", "Keep")
        self.assertIsNotNone(self.store.row("Author", 5))
        self.page.go("#/table/Book?beside=Book/6")
        self.page.until_text("Orlando", ".beside h1")
        self.page.click(".beside button", "Delete")
        self.page.until_text("A delete rule forbids it: Book.loans", "dialog")
        self.page.click("dialog button", "Keep")
        self.page.go("#/table/Author?beside=Author/5")
        self.page.until_text("Jon Fosse", ".beside h1")
        self.page.click(".beside button", "Delete")
        self.page.until_text("2 rows of Book", "dialog")
        self.page.click("dialog button.danger")
        eventually(lambda: self.store.row("Author", 5) is None, "the author is deleted")
        self.page.press([Keys.CONTROL, "z"])
        eventually(lambda: self.store.row("Author", 5), "the author is back")
        self.assertEqual(self.store.call("count", entity="Book", where="author == 5")["count"], 2)

    def test_related_rows_are_added_and_removed(self):
        self.page.go("#/table/Book?beside=Book/9")
        self.page.until_text("translated", ".beside .related")
        field = self.page.one('.beside [aria-label="Add to tags"]')
        field.send_keys("class")
        eventually(
            lambda: [
                one.get_attribute("textContent")
                for one in self.page.all(".beside .picker .options li")
            ]
            and "classic" in self.page.text(".beside .picker .options"),
            "the tag",
        )
        field.send_keys(Keys.ENTER)
        self.save()
        self.saved()
        self.assertEqual(
            self.store.call("count", entity="Tag", where="ANY books.$id == 9")["count"], 2
        )

    def test_the_page_asks_before_unsaved_edits_are_lost(self):
        self.edit_cell(10, "pages", "1000")
        self.page.until_text("1 changed row", ".edit-bar")
        self.assertTrue(self.page.js(LEAVE))
        self.page.press([Keys.CONTROL, "z"])
        self.saved()
        self.assertFalse(self.page.js(LEAVE))


class EditorsTest(BrowserTest):
    """An editor for each type, and the exact values that they store."""

    schema = {
        "entities": [
            {
                "name": "Thing",
                "attributes": [
                    {"name": name, "type": kind, "optional": True, **rest}
                    for name, kind, rest in (
                        ("whole", "int64", {}),
                        ("real", "double", {}),
                        ("money", "decimal", {}),
                        ("truth", "bool", {}),
                        ("moment", "date", {}),
                        ("key", "uuid", {}),
                        ("place", "url", {}),
                        ("free", "json", {}),
                        ("words", "string", {"collection": "set"}),
                        ("text", "string", {}),
                        ("choice", "string", {"cases": ["one", "two"]}),
                    )
                ],
            }
        ]
    }
    seeded = False
    values = {
        "whole": ("9007199254740993", 9007199254740993),
        "real": ("0.1", 0.1),
        "money": ("12345678901234567890.10", "12345678901234567890.1"),
        "truth": ("yes", True),
        "moment": ("2024-02-29T23:59:58", "2024-02-29T23:59:58Z"),
        "key": ("0E984725-C51C-4BF4-9960-E1C80E27ABA0", "0e984725-c51c-4bf4-9960-e1c80e27aba0"),
        "place": ("https://example.org/a", "https://example.org/a"),
        "free": ('{"a": [1, 9007199254740993, null]}', {"a": [1, 9007199254740993, None]}),
        "words": ('["b", "a"]', ["a", "b"]),
        "text": ("two\nlines", "two\nlines"),
        "choice": ("two", "two"),
    }

    def edit(self, name, text):
        # Facts that arrive may move the button between the look for it and the click.
        button = self.page.one(f'.beside button[aria-label="Edit {name}"]')
        self.page.js("arguments[0].click()", button)
        field = self.page.one(f'.beside [aria-label="{name}"]')
        if field.tag_name == "select":
            field.send_keys(text)
        else:
            self.page.js("arguments[0].value = arguments[1]", field, text)
        self.page.js("arguments[0].dispatchEvent(new Event('change', { bubbles: true }))", field)
        self.page.click(".beside .editor button", "OK")

    def test_each_type_has_an_editor_whose_values_are_exact(self):
        self.store.run("insert", "Thing", "text=new")
        self.page.go("#/table/Thing?beside=Thing/1")
        self.page.until_text("text", ".beside .properties")
        for name, (text, _) in self.values.items():
            self.edit(name, text)
        self.page.click(".edit-bar button.primary")
        eventually(
            lambda: self.page.js("return document.querySelector('.edit-bar').hidden"),
            f"it is saved: {self.page.text('.edit-bar')}",
        )
        row = self.store.row("Thing", 1)
        for name, (_, value) in self.values.items():
            found = sorted(row[name]) if name == "words" else row[name]
            self.assertEqual(found, value, name)

    def test_what_no_value_can_be_is_refused_before_it_is_sent(self):
        self.store.run("insert", "Thing", "text=other")
        number = self.store.call("count", entity="Thing")["count"]
        self.page.go(f"#/table/Thing?beside=Thing/{number}")
        self.page.until_text("other", ".beside .properties")
        for name, text, reason in (
            ("whole", "1.5", "1.5 is no whole number."),
            ("real", "many", "many is no number."),
            ("free", "{a: 1}", "This is no JSON"),
            ("words", "a, b", "This is no JSON"),
        ):
            self.edit(name, text)
            self.page.until_text(reason, ".beside .properties .inline-error")
            self.page.one(f'.beside [aria-label="{name}"]').send_keys(Keys.ESCAPE)
        self.assertTrue(self.page.js("return document.querySelector('.edit-bar').hidden"))


class LookingTest(BrowserTest):
    write = False

    def test_without_write_nothing_offers_a_change_and_the_service_refuses_one(self):
        self.page.go("#/table/Book?beside=Book/1")
        self.page.until_text("to look at", ".state")
        self.page.until_text("The Left Hand of Darkness", ".beside h1")
        for text in ("New row", "Delete", "Edit", "Undo", "Add a"):
            self.assertNotIn(text, self.page.text("main") + self.page.text(".beside"))
        self.assertEqual(self.page.all(".beside input"), [])
        refused = self.page.driver.execute_async_script(
            """
          const done = arguments[0];
          import('/session.js')
            .then(({ session }) => session.client.entity('Book').update({ ids: [1], set: { pages: 1 } }))
            .then(() => done('done'), (error) => done(error.code));"""
        )
        self.assertEqual(refused, "permission.op")


if __name__ == "__main__":
    unittest.main()
