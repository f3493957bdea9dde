"""The table of an entity beside a program that saves."""

from support import BrowserTest, Keys, eventually, unittest


class TableTest(BrowserTest):
    def setUp(self):
        super().setUp()
        self.page.go("#/")
        self.page.go("#/table/Book")
        eventually(lambda: len(self.page.rows()) >= 16, "the rows")
        self.page.one("studio-grid[data-live]")

    def test_a_row_changes_in_its_place_with_a_mark_and_who_did_it(self):
        place = [row["id"] for row in self.page.rows()]
        self.store.run(
            "update", "Book", "--where", "$id == 3", "--set", "pages=777", "--author", "zoe"
        )
        self.page.until_cell(3, "pages", "777")
        cell = self.page.cell(3, "pages")
        self.assertIn("changed", cell.get_attribute("class"))
        eventually(
            lambda: "zoe" in self.page.cell(3, "pages").get_attribute("title"),
            "the author of the change",
        )
        self.assertEqual([row["id"] for row in self.page.rows()][:16], place[:16])
        self.page.until_text("Book 3: pages", ".ticker")
        eventually(
            lambda: "changed" not in self.page.cell(3, "pages").get_attribute("class").split(),
            "the mark is gone",
        )

    def test_a_program_without_an_author_is_named_by_its_process(self):
        self.store.run("update", "Book", "--where", "$id == 4", "--set", "pages=778")
        self.page.until_cell(4, "pages", "778")
        eventually(
            lambda: "depot/" in self.page.cell(4, "pages").get_attribute("title"), "the process"
        )

    def test_inserted_rows_are_announced_and_move_nothing(self):
        self.page.go("#/table/Book?sort=title")
        eventually(lambda: self.page.rows()[0]["title"] == "A Grain of Wheat", "the order")
        self.store.run("insert", "Book", "title=AAA comes first", "year=1900")
        self.page.until_text("1 more", ".news")
        self.assertEqual(self.page.rows()[0]["title"], "A Grain of Wheat")
        self.page.click(".news")
        eventually(
            lambda: any(row["title"] == "AAA comes first" for row in self.page.rows()),
            "the new row",
        )
        self.store.run("delete", "Book", "--where", "title == 'AAA comes first'", "--author", "mia")
        self.page.until_text("deleted by mia", ".who")
        self.assertTrue(any(row["title"] == "AAA comes first" for row in self.page.rows()))
        self.page.click(".news")
        eventually(
            lambda: all(row["title"] != "AAA comes first" for row in self.page.rows()),
            "the row is gone",
        )

    def test_new_rows_of_a_table_in_its_own_order_come_last(self):
        self.store.run("insert", "Tag", "name=fresh")
        self.page.go("#/table/Tag")
        eventually(lambda: any(row["name"] == "fresh" for row in self.page.rows()), "the tag")
        self.store.run("insert", "Tag", "name=fresher")
        eventually(lambda: self.page.rows()[-1]["name"] == "fresher", "the new tag")
        self.store.run("delete", "Tag", "--where", "name BEGINSWITH 'fresh'")

    def test_a_click_sorts_and_the_address_holds_the_order(self):
        self.page.click('[role="columnheader"]', "year")
        eventually(lambda: self.page.rows()[0]["year"] == "1928", "the oldest first")
        self.page.click('[role="columnheader"]', "year")
        eventually(lambda: self.page.rows()[0]["year"] == "2019", "the newest first")
        self.assertIn("sort=-year", self.page.js("return location.hash"))

    def test_a_filter_by_text_shows_the_errors_of_the_service(self):
        field = self.page.one("predicate-field input")
        field.send_keys("titel == 3\n")
        self.page.until_text('Did you mean "title"?', ".problem")
        field.clear()
        field.send_keys("author.country == 'Japan'\n")
        eventually(lambda: len(self.page.rows()) == 2, "the books from Japan")
        self.assertEqual(self.page.text(".problem"), "")
        self.assertIn("where=", self.page.js("return location.hash"))

    def test_the_field_completes_paths(self):
        field = self.page.one("predicate-field input")
        field.send_keys("ye")
        self.page.until_text("year", ".options")
        self.page.press("\ue015", "\ue007")
        self.assertEqual(field.get_attribute("value"), "year ")

    def test_the_address_alone_shows_the_whole_view_again(self):
        fragment = (
            "#/table/Book?where=year+%3E+1980&sort=-year&columns=title%2Cyear&beside=Author%2F5"
        )
        self.page.go(fragment)
        self.page.driver.refresh()
        eventually(
            lambda: [list(row) for row in self.page.rows()][:1] == [["id", "title", "year"]],
            "the columns",
        )
        self.assertEqual([row["year"] for row in self.page.rows()][:3], ["2019", "2005", "2002"])
        self.page.until_text("Jon Fosse", ".beside")

    def test_a_related_row_opens_beside_and_shows_both_directions(self):
        link = self.page.cell(1, "author").find_element("tag name", "a")
        link.click()
        self.page.until_text("Ursula K. Le Guin", ".beside h1")
        self.page.until_text("2 rows", ".beside .relation")
        self.page.until_text("The Dispossessed", ".beside .related")
        self.store.run("insert", "Book", "title=The Lathe of Heaven", "author=1")
        self.page.until_text("The Lathe of Heaven", ".beside .related")
        self.store.run("delete", "Book", "--where", "title == 'The Lathe of Heaven'")

    def test_a_filter_is_made_of_a_cell_by_its_menu(self):
        self.page.mouse("contextmenu", self.page.cell(6, "year"))
        self.page.click(".context-menu button", "Filter: year <= 1928")
        eventually(lambda: [row["year"] for row in self.page.rows()] == ["1928"], "the oldest book")
        self.page.js("document.querySelector('studio-grid').focus()")
        self.page.go("#/table/Book")
        eventually(lambda: len(self.page.rows()) >= 16, "all rows")
        cell = self.page.cell(2, "author")
        self.page.mouse("contextmenu", cell)
        self.page.one(".context-menu")
        self.page.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ENTER)
        eventually(
            lambda: len(self.page.rows()) == 2
            and "author%20==%202"
            in self.page.js("return location.hash").replace("+", "%20").replace("%3D", "="),
            "the books of an author",
        )

    def test_a_cell_is_copied_as_exact_text(self):
        self.page.js("document.querySelector('studio-grid').focus()")
        self.page.press([Keys.CONTROL, Keys.HOME], Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        copied = self.page.js(
            """
          const data = new DataTransfer();
          const event = new ClipboardEvent('copy', { bubbles: true, cancelable: true, clipboardData: data });
          document.querySelector('studio-grid').dispatchEvent(event);
          return data.getData('text/plain');"""
        )
        self.assertEqual(copied, "1969")

    def test_columns_are_chosen_and_kept_by_the_address(self):
        self.page.click(".menu summary")
        self.page.click(".popover label", "pages")
        eventually(lambda: "pages" not in self.page.rows()[0], "a column less")
        self.assertNotIn("pages", self.page.js("return decodeURIComponent(location.hash)"))

    def test_the_counts_of_entities_live(self):
        before = int(self.page.text('.entities a[href="#/table/Tag"] .count'))
        self.store.run("insert", "Tag", "name=counted")
        eventually(
            lambda: self.page.text('.entities a[href="#/table/Tag"] .count') == str(before + 1),
            "the count",
        )
        self.store.run("delete", "Tag", "--where", "name == 'counted'")


class EntitiesTest(BrowserTest):
    """More entities than the list watches at once."""

    schema = {
        "entities": [
            {"name": f"Kind{number}", "attributes": [{"name": "name", "type": "string"}]}
            for number in range(40)
        ]
        + [{"name": "Straße", "attributes": [{"name": "name", "type": "string"}]}]
    }
    seeded = False

    def names(self):
        """The names in sight in the list of entities."""
        return self.page.js(
            "return [...document.querySelectorAll('.entity-list li')].filter((one) => one.checkVisibility())"
            ".map((one) => one.querySelector('.name').textContent)"
        )

    def test_entities_are_found_by_a_part_of_their_names(self):
        self.page.go("#/")
        eventually(lambda: len(self.names()) == 41, "all entities")
        # A key leads to the field, and the list has what is typed, in any case.
        self.page.press("/")
        self.page.press("kIND3")
        wanted = ["Kind3"] + [f"Kind3{number}" for number in range(10)]
        eventually(lambda: self.names() == wanted, "the entities with the text")
        # What is found lives, also an entity that wasn't watched in the whole list.
        self.store.run("insert", "Kind39", "name=x")
        count = '.entity-list a[href="#/table/Kind39"] .count'
        eventually(lambda: self.page.text(count) == "1", "the count")
        self.store.run("insert", "Kind39", "name=y")
        eventually(lambda: self.page.text(count) == "2", "the count of now")
        search = self.page.one(".entity-list input")
        search.clear()
        search.send_keys("STRA")
        eventually(lambda: self.names() == ["Straße"], "the other one")
        search.send_keys("x")
        eventually(lambda: self.names() == [], "none")
        search.clear()
        search.send_keys("39", Keys.TAB, Keys.ENTER)
        eventually(lambda: [row["name"] for row in self.page.rows()] == ["x", "y"], "its table")
        eventually(lambda: self.names() == ["Kind39"], "the search stays")
        search.clear()
        search.send_keys(" ")
        eventually(lambda: len(self.names()) == 41, "all of them again")


if __name__ == "__main__":
    unittest.main()
