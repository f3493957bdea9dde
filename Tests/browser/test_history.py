"""The live history, undo of anybody's transaction, and the table of the past."""

import re
from urllib.parse import urlencode

from support import BrowserTest, Keys, eventually, json, unittest


class HistoryTest(BrowserTest):
    def setUp(self):
        super().setUp()
        self.page.go("#/")

    def first(self):
        return self.page.text(".transactions > li:first-child")

    def rows_of_first(self):
        """How many rows the newest transaction says that it has."""
        what = self.page.text(".transactions > li:first-child .what")
        return sum(
            int(number.replace("\u2009", "")) for number in re.findall(r"([\d\u2009]+) rows", what)
        )

    def test_transactions_appear_as_they_come_with_old_and_new_values(self):
        self.page.go("#/history")
        self.page.until_text("Book", ".transactions")
        was = self.store.row("Book", 2)["pages"]
        self.store.run(
            "update", "Book", "--where", "$id == 2", "--set", "pages=321", "--author", "cleo"
        )
        eventually(lambda: "cleo" in self.first() and f"{was} → 321" in self.first(), "the change")
        self.store.run("delete", "Tag", "--where", "name == 'nobody'")
        self.store.run("insert", "Tag", "name=logged")
        eventually(
            lambda: "Tag inserted" in self.first() and "logged" in self.first(), "the insertion"
        )

    def test_filters_leave_only_what_is_wanted(self):
        self.store.run(
            "update", "Book", "--where", "$id == 9", "--set", "pages=901", "--author", "ida"
        )
        self.store.run(
            "update", "Book", "--where", "$id == 9", "--set", "pages=902", "--author", "ole"
        )
        self.page.go("#/history/Book/9?author=ida")
        eventually(
            lambda: len(self.page.all(".transactions > li")) == 1 and "ida" in self.first(),
            "one transaction",
        )
        self.page.go("#/history/Book/9")
        eventually(lambda: "ole" in self.first(), "both")
        self.page.go("#/history/Book/9?process=nobody")
        self.page.until_text("No transactions", ".history-view")

    def test_a_transaction_of_anybody_is_undone_and_a_conflict_is_asked_about(self):
        before = self.store.row("Book", 3)
        self.store.run(
            "update",
            "Book",
            "--where",
            "$id == 3",
            "--set",
            "pages=31",
            "--set",
            "year=1903",
            "--author",
            "eve",
        )
        self.page.go("#/history/Book/3?author=eve")
        self.page.until_text("eve", ".transactions")
        self.page.click(".transactions button", "Undo")
        eventually(lambda: self.store.row("Book", 3)["pages"] == before["pages"], "it is undone")
        self.store.run(
            "update",
            "Book",
            "--where",
            "$id == 3",
            "--set",
            "pages=32",
            "--set",
            "year=1904",
            "--author",
            "eve",
        )
        self.page.until_text("32", ".transactions > li:first-child")
        self.store.run(
            "update", "Book", "--where", "$id == 3", "--set", "pages=33", "--author", "bob"
        )
        self.page.click(".transactions > li:first-child button", "Undo")
        self.page.until_text("Others changed this since", "dialog h2")
        self.page.until_text("33", "dialog tbody")
        self.page.click("dialog button", "Undo the rest only")
        eventually(
            lambda: self.store.row("Book", 3)["year"] == before["year"], "the rest is undone"
        )
        self.assertEqual(self.store.row("Book", 3)["pages"], 33)

    def test_the_table_as_of_any_token(self):
        titles = sorted(
            line["title"]
            for line in (self.store.row("Book", number) for number in range(1, 17))
            if line
        )
        start = self.store.call("history.status")["head"]
        self.store.run(
            "update",
            "Book",
            "--where",
            "$id == 12",
            "--set",
            "title=Renamed since",
            "--author",
            "ann",
        )
        self.store.run("insert", "Book", "title=New since")
        self.store.run("delete", "Book", "--where", "$id == 10", "--author", "bob")
        self.page.go(f"#/table/Book?at={start}")
        self.page.until_text("3 rows changed since", ".past-bar")
        eventually(
            lambda: sorted(row["title"] for row in self.page.rows()) == titles, "the titles of then"
        )
        self.assertIn("was", self.page.cell(12, "title").get_attribute("class"))
        # Also the object beside is the one of then.
        self.page.go(f"#/table/Book?at={start}&beside=Book/12")
        self.page.until_text("as of then", ".beside .note")
        self.page.until_text("A Grain of Wheat", ".beside h1")
        self.assertEqual(self.page.all(".beside .edit-button"), [])
        # One step to now, by the keyboard.
        slider = self.page.one('.past-bar input[type="range"]')
        slider.send_keys(Keys.ARROW_RIGHT)
        self.page.until_cell(12, "title", "Renamed since")
        self.page.until_text("Renamed since", ".beside h1")
        self.page.until_text("ann", ".past-bar .moment")
        self.assertTrue(all(row["title"] != "New since" for row in self.page.rows()))
        slider.send_keys(Keys.ARROW_RIGHT)
        eventually(
            lambda: any(row["title"] == "New since" for row in self.page.rows())
            and any(row["id"] == "10" for row in self.page.rows()),
            "the insertion, before the deletion",
        )
        self.assertIn("at=", self.page.js("return location.hash"))
        # Later transactions don't change the table of then.
        self.store.run("update", "Book", "--where", "$id == 1", "--set", "pages=1")
        self.page.until_text("2 rows changed since", ".past-bar")
        self.assertEqual(self.page.cell_text(1, "pages"), "120")
        self.page.click(".past-bar button", "Back to now")
        eventually(lambda: all(row["id"] != "10" for row in self.page.rows()), "now")
        self.store.call("undo", token=self.store.call("history.status")["head"])

    def test_the_table_of_then_keeps_its_filter_and_order(self):
        start = self.store.call("history.status")["head"]
        old = self.store.call("count", entity="Book", where="year < 1975 AND price > 12")["count"]
        self.store.run("update", "Book", "--where", "year < 1970", "--set", "year=2020")
        self.page.go(f"#/table/Book?where=year+%3C+1975+AND+price+%3E+12&sort=-year&at={start}")
        self.page.until_text("changed since", ".past-bar")
        eventually(lambda: len(self.page.rows()) == old, "the rows of then")
        years = [int(row["year"]) for row in self.page.rows()]
        self.assertEqual(years, sorted(years, reverse=True))
        self.assertTrue(all(year < 1975 for year in years))
        # A predicate that only the service knows leaves all rows, and the page says so.
        self.page.go(f"#/table/Book?where=title+MATCHES+%22.*s%22&at={start}")
        self.page.until_text("Without filter and order", ".past-bar")
        eventually(lambda: len(self.page.rows()) > old, "all rows")
        head = self.store.call("history.status")["head"]
        self.store.call("undo", token=head)

    def test_the_table_of_then_is_filtered_over_related_rows_of_then(self):
        where = 'author.country == "USA"'
        wanted = sorted(
            self.store.call("count", entity="Book", where=f"$id == {number} AND {where}")["count"]
            * str(number)
            for number in range(1, 17)
        )
        wanted = [number for number in wanted if number]
        self.assertGreater(len(wanted), 1)
        start = self.store.call("history.status")["head"]
        # The author moves, a book gets another author, and another author comes to the country.
        self.store.run("update", "Author", "--where", 'country == "USA"', "--set", "country=UK")
        self.store.run("update", "Book", "--where", f"$id == {wanted[0]}", "--set", "author:=null")
        self.store.run("update", "Author", "--where", 'country == "Japan"', "--set", "country=USA")
        self.page.go(f"#/table/Book?where=author.country+%3D%3D+%22USA%22&at={start}")
        self.page.until_text("changed since", ".past-bar")
        eventually(
            lambda: sorted(row["id"] for row in self.page.rows()) == wanted, "the books of then"
        )
        self.assertNotIn("Without filter", self.page.one(".past-bar").text)
        for _ in range(3):
            self.store.call("undo", token=self.store.call("history.status")["head"])

    def test_the_table_of_then_is_filtered_and_ordered_over_many_related_rows_of_then(self):
        self.store.run("insert", "Tag", "name=rare", "--author", "kim")
        found = self.store.run("fetch", "Tag", "--where", "name == 'rare'", "-o", "ndjson")
        rare = int(json.loads(found)["$id"].split("/")[-1])
        for book in (3, 4, 11):
            self.store.call(
                "save",
                update=[
                    {
                        "entity": "Book",
                        "columns": ["$id", "tags"],
                        "rows": [[book, {"add": [rare]}]],
                    }
                ],
            )
        questions = [
            ("Book", "ANY tags.name == 'rare'", "tags.@count"),
            ("Book", "tags.@count > 1 AND NOT ANY loans.reader == 'mia'", "-tags.@count"),
            ("Book", "NONE tags.name BEGINSWITH 'cl'", "-author.books.@max.year"),
            ("Book", "SUBQUERY(loans, $l, $l.reader == 'mia').@count == 1", ""),
            ("Book", "ALL(tags, $t, ANY $t.books.year < 1930)", "title"),
            ("Author", "books.@sum.pages > 500 AND ANY books.tags.name == 'rare'", "-books.@count"),
            ("Tag", "books.@avg.pages > 300", "-books.@count"),
        ]

        def found(entity, where, sort):
            """The rows that the service has now, in their order."""
            keys = [{"key": sort.lstrip("-"), "descending": sort.startswith("-")}] if sort else []
            lines = self.store.run(
                "call",
                "fetch",
                json.dumps({"entity": entity, "where": where, "sort": keys, "select": []}),
            ).splitlines()
            return [str(row[0]) for row in map(json.loads, lines) if isinstance(row, list)]

        wanted = [found(*question) for question in questions]
        self.assertEqual(wanted[0], ["3", "4", "11"])
        self.assertTrue(all(wanted))
        start = self.store.call("history.status")["head"]
        # Links come and go on either side, and rows with links are inserted, moved, and deleted.
        for entity, name, rows in (
            ("Tag", "books", [[rare, {"remove": [3], "add": [5]}]]),
            ("Book", "tags", [[6, {"add": [rare]}], [11, {"remove": [rare]}]]),
        ):
            change = {"entity": entity, "columns": ["$id", name], "rows": rows}
            self.store.call("save", update=[change])
        self.store.run("update", "Loan", "--where", "reader == 'mia'", "--set", "book=2")
        self.store.run("insert", "Loan", "reader=mia", "book=9")
        self.store.run("update", "Book", "--where", "year < 1970", "--set", "year=2001")
        self.store.call(
            "save",
            insert=[
                {
                    "entity": "Book",
                    "columns": ["title", "author", "tags"],
                    "rows": [["Late", 1, [rare]]],
                }
            ],
        )
        self.store.run("delete", "Book", "--where", "$id == 4")
        self.store.run("delete", "Tag", "--where", "name == 'rare'")
        self.addCleanup(lambda: [self.store.call("undo") for _ in range(8)])
        others = [found(*question) for question in questions]
        self.assertGreater(sum(one != other for one, other in zip(wanted, others)), 4)
        for (entity, where, sort), expected in zip(questions, wanted):
            address = urlencode({"where": where, "at": start, **({"sort": sort} if sort else {})})
            self.page.go(f"#/table/{entity}?{address}")
            eventually(
                lambda expected=expected: [row["id"] for row in self.page.rows()] == expected,
                f"{where} of then: {expected}",
            )
            self.assertNotIn("Without filter", self.page.text(".past-bar"))

    def test_filtering_the_table_of_then_can_be_cancelled(self):
        start = self.store.call("history.status")["head"]
        self.page.go("#/table/Book")
        eventually(lambda: len(self.page.rows()) > 2, "the rows")
        # The button is clicked as soon as it is there.
        self.page.js(
            """
          new MutationObserver((_, observer) => {
            const button = [...document.querySelectorAll('.past-bar button')]
              .find((one) => one.textContent === 'Cancel');
            if (!button) return;
            observer.disconnect();
            button.click();
          }).observe(document.body, { childList: true, subtree: true });"""
        )
        where = urlencode({"where": "ANY tags.name == 'classic'", "at": start})
        self.page.go(f"#/table/Book?{where}")
        self.page.until_text("Without filter and order: cancelled", ".past-bar")
        everything = self.store.call("count", entity="Book")["count"]
        self.page.until_text(f"{everything} rows", ".bar .count")
        self.page.go(f"#/table/Book?{where}&sort=title")
        wanted = self.store.call("count", entity="Book", where="ANY tags.name == 'classic'")["count"]
        self.page.until_text(f"{wanted} row", ".bar .count")
        self.assertNotIn("Without filter", self.page.text(".past-bar"))

    def test_a_large_transaction_is_one_item_with_its_first_rows(self):
        self.page.go("#/history")
        self.page.until_text("Book", ".transactions")
        rows = [[f"many {number} {'x' * 40}"] for number in range(9000)]
        self.store.run(
            "call",
            "insert",
            "-",
            stdin=json.dumps(
                {"entity": "Tag", "columns": ["name"], "rows": rows, "returnIds": False}
            ),
        )
        eventually(lambda: self.rows_of_first() == 9000, "the insertion")
        self.assertLessEqual(len(self.page.all(".transactions > li:first-child .change")), 50)
        self.page.go("#/")
        self.page.go("#/history")
        eventually(lambda: self.rows_of_first() == 9000, "all of them again")
        self.page.go("#/table/Tag?at=now")
        self.page.until_text("9\u2009000 changes", ".past-bar")
        self.page.one('.past-bar input[type="range"]').send_keys(Keys.ARROW_LEFT)
        self.page.until_text("9\u2009000 rows changed since", ".past-bar")
        eventually(
            lambda: [row["name"] for row in self.page.rows()] == ["classic", "translated"],
            "the tags of then",
        )
        self.store.run("delete", "Tag", "--where", "name BEGINSWITH 'many'")

    def test_an_object_tells_who_changed_each_property_and_its_history(self):
        self.store.run(
            "update", "Book", "--where", "$id == 14", "--set", "price=99.5", "--author", "fay"
        )
        self.page.go("#/object/Book/14")
        self.page.until_text("fay", ".property .by")
        self.page.until_text("99.5", ".story")
        self.store.run(
            "update", "Book", "--where", "$id == 14", "--set", "price=98.5", "--author", "gus"
        )
        self.page.until_text("gus", ".property .by")
        self.page.until_text("99.5 → 98.5", ".story")
        self.store.run("delete", "Book", "--where", "$id == 14", "--author", "hal")
        self.page.until_text("Deleted by hal", ".note")


if __name__ == "__main__":
    unittest.main()
