"""A million rows: scrolled to any place, in bounded memory, while a program imports and saves."""

from support import BrowserTest, Keys, eventually, os, unittest

COUNT = int(os.environ.get("DEPOT_ROWS", "1000000"))
SCHEMA = {
    "entities": [
        {
            "name": "Item",
            "attributes": [
                {"name": "name", "type": "string"},
                {"name": "number", "type": "int64", "indexed": True},
            ],
        }
    ]
}


class MillionTest(BrowserTest):
    schema = SCHEMA
    seeded = False

    def rows_in_sight(self):
        return [int(row["number"]) for row in self.page.rows()]

    def heap(self):
        self.page.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
        return self.page.js("return performance.memory.usedJSHeapSize")

    def bridge(self):
        """The most memory that the bridge ever had, in bytes."""
        with open(f"/proc/{self.store.studio.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:")) * 1024

    def scroll(self, part):
        self.page.js(
            "const grid = document.querySelector('studio-grid');"
            "grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * arguments[0]",
            part,
        )

    def test_every_place_of_a_million_rows_is_reached_and_memory_is_bounded(self):
        self.page.go("#/table/Item")
        self.page.until_text("0 rows", ".bar")
        before = self.heap()
        bridge = self.bridge()
        path = os.path.join(self.store.folder, "items.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("name,number\n")
            for number in range(COUNT):
                file.write(f"item {number},{number}\n")
        self.store.run("import", "Item", path, "-q")
        # The page is open meanwhile.
        eventually(
            lambda: self.page.text(".bar .count").replace("\u2009", "") == f"{COUNT} rows",
            "the count",
        )
        eventually(lambda: 0 in self.rows_in_sight(), "the first rows")
        self.assertEqual(
            self.page.one("studio-grid").get_attribute("aria-rowcount"), str(COUNT + 1)
        )
        self.scroll(1)
        eventually(lambda: COUNT - 1 in self.rows_in_sight(), "the last row")
        for step in range(40):
            self.scroll(((step * 37) % 40) / 40)
            eventually(self.rows_in_sight, "rows")
        self.scroll(0.5)
        eventually(
            lambda: any(abs(number - COUNT / 2) < COUNT / 100 for number in self.rows_in_sight()),
            "the middle",
        )
        numbers = eventually(
            lambda: len(self.rows_in_sight()) > 10 and self.rows_in_sight(), "the rows"
        )
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))
        elements = self.page.js(
            "return document.querySelectorAll('studio-grid .body [role=row]').length"
        )
        self.assertLess(elements, 80)
        grown = self.heap() - before
        print(f"memory of the page with {COUNT} rows: {grown / 1e6:.1f} MB more than with none")
        self.assertLess(grown, 24e6)
        carried = self.bridge() - bridge
        print(f"memory of the bridge: {bridge / 1e6:.1f} MB, and {carried / 1e6:.1f} MB more then")
        self.assertLess(carried, 24e6)

        # A row in the middle still changes in its place.
        middle = numbers[5]
        self.store.run(
            "update",
            "Item",
            "--where",
            f"number == {middle}",
            "--set",
            "name=changed in the middle",
        )
        self.page.until_text("changed in the middle", "studio-grid")
        self.page.click('[role="columnheader"]', "number")
        self.page.click('[role="columnheader"]', "number")
        eventually(lambda: self.rows_in_sight()[:1] == [COUNT - 1], "the greatest first")

        # The keyboard reaches both ends, and the address a filter.
        grid = self.page.one("studio-grid")
        grid.send_keys(Keys.CONTROL, Keys.END)
        eventually(lambda: 0 in self.rows_in_sight(), "the least last")
        self.page.go(f"#/table/Item?where=number+%3E%3D+{COUNT - 3}")
        self.page.until_text("3 rows", ".bar .count")


if __name__ == "__main__":
    unittest.main()
