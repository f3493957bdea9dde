"""Values stay exactly as they are unless the person changes them, whatever their size."""

from support import BrowserTest, By, EditingTest, Keys, eventually, os, unittest

PART = 1 << 20
MARK = "\ufeff"

# Uploads a text in parts, as a client does.
UPLOAD = """
const [id, attribute, size, done] = arguments;
import('/session.js').then(async ({ session }) => {
  const name = { entity: 'Note', id, attribute, upload: 'test' };
  for (let offset = 0; offset < size; offset += 1 << 20) {
    const length = Math.min(1 << 20, size - offset);
    const final = offset + length === size;
    await session.client.call('blob.write', { ...name, offset, data: 'x'.repeat(length), final });
  }
}).then(() => done('done'), (error) => done(error.message));
"""
# Reads a text as the service has it.
READ = """
const [id, attribute, done] = arguments;
import('/session.js').then(async ({ session }) => {
  const parts = [];
  for await (const frame of session.client.stream('blob.read', { entity: 'Note', id, attribute })) {
    for (const [, , data] of frame.next) parts.push(data);
  }
  return parts.join('');
}).then(done, (error) => done(error.message));
"""


class ExactTest(BrowserTest):
    schema = {
        "entities": [
            {
                "name": "Note",
                "attributes": [
                    {"name": "title", "type": "string"},
                    {"name": "body", "type": "string", "optional": True},
                    {"name": "long", "type": "string", "optional": True, "externalStorage": True},
                    {"name": "moment", "type": "date", "optional": True},
                    {"name": "real", "type": "double", "optional": True},
                    {"name": "kind", "type": "string", "optional": True, "cases": [" a", "b"]},
                    {"name": "free", "type": "json", "optional": True},
                ],
            }
        ]
    }
    seeded = False

    def setUp(self):
        super().setUp()
        self.page.js("window.onbeforeunload = null")
        self.page.driver.set_script_timeout(60)

    def tearDown(self):
        if not self.page.js("return document.querySelector('.edit-bar').hidden"):
            self.page.click(".edit-bar button", "Discard")
            self.page.click("dialog button", "Discard")
        super().tearDown()

    def insert(self, **values):
        """Stores a note, and shows the table with it; returns its identifier."""
        answer = self.store.call(
            "save",
            insert=[
                {
                    "entity": "Note",
                    "columns": ["$id", "title", *values],
                    "rows": [["#1", "a note", *values.values()]],
                }
            ],
        )
        identifier = answer["ids"]["#1"]
        self.page.go("#/")
        self.page.go(f"#/table/Note?where=$id+==+{identifier}")
        eventually(lambda: self.page.cell_text(identifier, "id"), "the row")
        return identifier

    def open_cell(self, identifier, title):
        def opened():
            if not self.page.all(".cell-editor"):
                self.page.mouse("dblclick", self.page.cell(identifier, title))
            return self.page.all(".cell-editor")

        eventually(opened, "an editor")
        return self.page.one(".cell-editor input, .cell-editor textarea, .cell-editor select")

    def leave_cell(self):
        """Ends the editor of a cell as a click elsewhere does."""
        self.page.js("document.activeElement.blur()")
        eventually(lambda: not self.page.all(".cell-editor"), "the editor is closed")

    def open_beside(self, identifier, name):
        self.page.go(f"#/table/Note?where=$id+==+{identifier}&beside=Note/{identifier}")
        button = self.page.one(f'.beside button[aria-label="Edit {name}"]')
        self.page.js("arguments[0].click()", button)
        return self.page.one(f'.beside .editor [aria-label="{name}"]')

    def save(self):
        self.page.click(".edit-bar button.primary")
        eventually(self.is_unedited, f"it is saved: {self.page.text('.edit-bar')}")

    def is_unedited(self):
        return self.page.js("return document.querySelector('.edit-bar').hidden")

    def read(self, identifier, name):
        return self.page.driver.execute_async_script(READ, identifier, name)

    def test_a_large_ordinary_text_is_read_in_parts_and_replaced_by_a_file(self):
        identifier = self.insert(body="small")
        size = 9_000_000
        done = self.page.driver.execute_async_script(UPLOAD, identifier, "body", size)
        self.assertEqual(done, "done")
        self.page.until_cell(identifier, "body", "9.0 MB")
        self.page.mouse("dblclick", self.page.cell(identifier, "body"))
        self.page.until_text("xxxx", ".beside .preview")
        self.assertEqual(self.page.all(".cell-editor"), [])
        self.assertNotIn("[object Object]", self.page.text(".beside"))
        field = self.open_beside(identifier, "body")
        self.assertEqual((field.tag_name, field.get_attribute("type")), ("input", "file"))
        # A mark is at the start of each part that is sent.
        text = (MARK + "y" * (PART - 3)) * 9 + MARK + "end"
        path = os.path.join(self.store.folder, "text.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        field.send_keys(path)
        self.page.click(".beside .editor button", "Store")
        self.page.until_text("yyyy", ".beside .preview")
        self.assertTrue(self.is_unedited())
        self.assertEqual(self.read(identifier, "body") == text, True)
        # A file that is no text is refused, and nothing is lost.
        with open(path, "wb") as file:
            file.write(b"\xff\xfe" * 40)
        self.open_beside(identifier, "body").send_keys(path)
        self.page.click(".beside .editor button", "Store")
        self.page.until_text("no text in UTF-8", ".beside .editor")
        self.assertEqual(self.read(identifier, "body") == text, True)
        self.page.click(".beside .editor button", "Null")
        eventually(lambda: self.store.row("Note", identifier)["body"] is None, "null")

    def test_what_others_stored_under_the_editor_of_a_large_value_is_told(self):
        identifier = self.insert(long="one")
        field = self.open_beside(identifier, "long")
        self.assertEqual(field.get_attribute("value"), "one")
        self.page.js("arguments[0].value = 'mine'", field)
        for other in ("two", "three"):
            self.store.call("blob.write", entity="Note", id=identifier, attribute="long", data=other)
            self.page.until_text("version", ".beside")
            self.page.click(".beside .editor button", "Store")
            self.page.until_text("Others changed this row meanwhile", "dialog")
            self.page.click("dialog button", "Back" if other == "two" else "Store my long")
            wanted = "two" if other == "two" else "mine"
            eventually(lambda: self.read(identifier, "long") == wanted, wanted)

    def test_an_editor_that_is_left_makes_no_edit(self):
        values = {
            "body": "one\r\ntwo\rthree\nfour",
            "moment": "2024-02-29T23:59:58.123456Z",
            "real": -0.0,
            "kind": " a",
            "free": {"b": 1.0, "a": [1]},
        }
        for values in (values, dict.fromkeys(values)):
            identifier = self.insert(**values)
            before = self.store.row("Note", identifier)
            for name in ("title", "body", "moment", "real", "kind"):
                self.open_cell(identifier, name)
                self.leave_cell()
                self.assertTrue(self.is_unedited(), (name, values[name] if name in values else ""))
                self.open_cell(identifier, name).send_keys(Keys.ENTER)
                eventually(lambda: not self.page.all(".cell-editor"), "the editor is closed")
                self.assertTrue(self.is_unedited(), name)
            for name in ("title", *values):
                self.open_beside(identifier, name)
                self.page.click(".beside .editor button", "OK")
                eventually(lambda: not self.page.all(".beside .editor"), "the editor is closed")
                self.assertTrue(self.is_unedited(), name)
            self.assertEqual(self.store.row("Note", identifier), before)

    def test_line_ends_that_nobody_touched_are_saved_as_they_were(self):
        for text, after in (
            ("one\r\ntwo", "one\r\ntwo!\r\nthree"),
            ("one\rtwo\nthree\r\nfour", "one\rtwo\nthree\r\nfour!\rthree"),
        ):
            identifier = self.insert(body=text, long=text)
            self.open_cell(identifier, "body").send_keys(
                Keys.CONTROL, Keys.END, Keys.NULL, "!", Keys.SHIFT, Keys.ENTER, Keys.NULL, "three"
            )
            self.leave_cell()
            self.page.until_text("1 changed row", ".edit-bar")
            self.save()
            self.assertEqual(self.store.row("Note", identifier)["body"], after)
            field = self.open_beside(identifier, "long")
            self.page.click(".beside .editor button", "Store")
            eventually(lambda: not self.page.all(".beside .editor"), "the editor is closed")
            self.assertEqual(self.read(identifier, "long"), text)
            field = self.open_beside(identifier, "long")
            field.send_keys(Keys.CONTROL, Keys.END, Keys.NULL, "!", Keys.ENTER, "three")
            self.page.click(".beside .editor button", "Store")
            eventually(lambda: self.read(identifier, "long") == after, "the other text")

    def test_null_and_an_empty_text_are_told_apart(self):
        identifier = self.insert(body=None)
        field = self.open_cell(identifier, "body")
        self.assertEqual(field.get_attribute("placeholder"), "null")
        # A text that is typed and taken away leaves null.
        field.send_keys("a", Keys.BACKSPACE)
        self.leave_cell()
        self.assertTrue(self.is_unedited())
        field = self.open_cell(identifier, "body")
        self.page.click(".cell-editor button", "Empty")
        self.assertEqual(field.get_attribute("placeholder"), "empty")
        self.page.js("arguments[0].focus()", field)
        self.leave_cell()
        self.page.until_cell(identifier, "body", "empty")
        self.save()
        self.assertEqual(self.store.row("Note", identifier)["body"], "")
        field = self.open_beside(identifier, "body")
        self.page.click(".beside .editor button", "Null")
        self.page.click(".beside .editor button", "OK")
        self.page.until_cell(identifier, "body", "–")
        self.save()
        self.assertEqual(self.store.row("Note", identifier)["body"], None)
        # A text outside of its row, too.
        self.open_beside(identifier, "long")
        self.page.click(".beside .editor button", "Store")
        eventually(lambda: not self.page.all(".beside .editor"), "the editor is closed")
        self.open_beside(identifier, "long")
        self.page.click(".beside .editor button", "Empty")
        self.page.click(".beside .editor button", "Store")
        eventually(lambda: self.store.row("Note", identifier)["long"] == {"$length": 0}, "empty")
        self.open_beside(identifier, "long")
        self.page.click(".beside .editor button", "Null")
        self.page.click(".beside .editor button", "Store")
        eventually(lambda: self.store.row("Note", identifier)["long"] is None, "null")

    def test_a_value_that_others_changed_under_an_open_editor_is_no_edit_or_a_conflict(self):
        identifier = self.insert(body="mine")
        field = self.open_beside(identifier, "body")
        self.store.run("update", "Note", "--where", f"$id == {identifier}", "--set", "body=theirs")
        self.page.until_text("version 2", ".beside .note")
        self.page.click(".beside .editor button", "OK")
        self.page.until_text("theirs", ".beside .properties")
        self.assertTrue(self.is_unedited())
        field = self.open_beside(identifier, "body")
        self.store.run("update", "Note", "--where", f"$id == {identifier}", "--set", "body=again")
        self.page.until_text("version 3", ".beside .note")
        field.send_keys("!")
        self.page.click(".beside .editor button", "OK")
        self.page.until_text("1 changed row", ".edit-bar")
        self.page.click(".edit-bar button.primary")
        self.page.until_text("A conflict", "dialog h2")
        self.page.click("dialog button", "Back to my edits")
        self.assertEqual(self.store.row("Note", identifier)["body"], "again")


class StepsTest(EditingTest):
    """Unsaved steps come before saved transactions."""

    def edit_cell(self, identifier, title, text):
        def opened():
            if not self.page.all(".cell-editor"):
                self.page.mouse("dblclick", self.page.cell(identifier, title))
            return self.page.all(".cell-editor input, .cell-editor textarea")

        field = eventually(opened, "an editor")[0]
        self.page.js("arguments[0].value = ''", field)
        field.send_keys(text, Keys.ENTER)
        self.page.until_cell(identifier, title, text)

    def is_unedited(self):
        return self.page.js("return document.querySelector('.edit-bar').hidden")

    def test_an_editor_lies_over_its_cell(self):
        cell = self.page.cell(2, "title")
        self.page.mouse("dblclick", cell)
        box = self.page.one(".cell-editor")
        for side in ("x", "y"):
            self.assertLess(abs(box.rect[side] - cell.rect[side]), 2, side)
        self.page.press(Keys.ESCAPE)
        eventually(lambda: not self.page.all(".cell-editor"), "the editor is closed")

    def test_keys_take_back_an_edit_that_was_taken_back_by_hand(self):
        self.edit_cell(2, "title", "Saved")
        self.page.click(".edit-bar button.primary")
        eventually(self.is_unedited, "it is saved")
        self.edit_cell(2, "title", "Other")
        self.edit_cell(2, "title", "Saved")
        eventually(self.is_unedited, "no edit")
        self.page.press([Keys.CONTROL, "z"])
        self.page.until_cell(2, "title", "Other")
        self.assertEqual(self.store.row("Book", 2)["title"], "Saved")
        self.page.press([Keys.CONTROL, "z"])
        self.page.until_cell(2, "title", "Saved")
        eventually(self.is_unedited, "no edit")
        self.page.press([Keys.CONTROL, "z"])
        eventually(lambda: self.store.row("Book", 2)["title"] == "Invisible Cities", "undone")

    def test_keys_take_back_a_new_row(self):
        self.page.click(".tools button", "New row")
        self.page.until_text("New Book", ".beside h1")
        self.page.until_text("1 new row", ".edit-bar")
        self.page.js("document.querySelector('studio-grid').focus()")
        self.page.press([Keys.CONTROL, "z"])
        eventually(self.is_unedited, "no edit")
        self.assertNotIn("New Book", self.page.text(".beside"))

    def test_a_deletion_beside_other_edits_says_that_it_is_saved_with_them(self):
        self.edit_cell(3, "title", "Edited")
        self.page.go("#/table/Book?beside=Book/4")
        self.page.until_text("Petals of Blood", ".beside h1")
        self.page.click(".beside button", "Delete")
        self.page.until_text("is done when you save them", "dialog")
        buttons = [one.text for one in self.page.one("dialog").find_elements(By.TAG_NAME, "button")]
        self.assertEqual(buttons, ["Keep", "Add to the edits"])
        self.page.click("dialog button", "Add to the edits")
        self.page.until_text("1 deletion, 1 changed row", ".edit-bar")
        self.assertIsNotNone(self.store.row("Book", 4))
        self.page.js("document.querySelector('studio-grid').focus()")
        self.page.press([Keys.CONTROL, "z"])
        eventually(lambda: "deletion" not in self.page.text(".edit-bar"), "no deletion")
        self.page.until_text("1 changed row", ".edit-bar")


if __name__ == "__main__":
    unittest.main()
