"""The page by keyboard alone, for screen readers, in both colour schemes, and on a narrow screen."""

from support import BrowserTest, Keys, eventually, unittest

VIEWS = [
    "#/",
    "#/table/Book",
    "#/table/Book?beside=Book/6",
    "#/object/Author/3",
    "#/history",
    "#/query/Book?where=year+%3E+1980&section=author.name",
    "#/schema/Book",
    "#/service",
]
READY = {
    "#/": ".cards",
    "#/table/Book": ".body [role=row]",
    "#/table/Book?beside=Book/6": ".beside .related li",
    "#/object/Author/3": ".related li",
    "#/history": ".transactions li",
    "#/schema/Book": ".diagram a",
    "#/service": ".service-body table",
}
NAMED = {
    "button",
    "link",
    "textbox",
    "combobox",
    "searchbox",
    "checkbox",
    "radio",
    "slider",
    "grid",
    "columnheader",
    "listbox",
    "option",
    "dialog",
    "image",
    "navigation",
    "main",
    "complementary",
    "region",
    "progressbar",
}

CONTRAST = r"""
const parse = (text) => {
  const srgb = text.match(/^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)/);
  if (srgb) return [...srgb.slice(1, 4).map((part) => 255 * part), srgb[4] === undefined ? 1 : Number(srgb[4])];
  const parts = text.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
  return [parts[0], parts[1], parts[2], parts[3] ?? 1];
};
const over = (top, below) => [0, 1, 2].map((place) => top[place] * top[3] + below[place] * (1 - top[3])).concat(1);
const light = (color) => {
  const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const [r, g, b] = color.slice(0, 3).map((part) => linear(part / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const element = node.parentElement;
  const isSeen = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  if (!node.textContent.trim() || !isSeen) continue;
  if (element.closest('.changed, .who, [hidden], option, :disabled')) continue;
  const box = element.getBoundingClientRect();
  if (box.width === 0 || box.bottom < 0 || box.top > innerHeight) continue;
  const layers = [];
  let opacity = 1;
  for (let one = element; one; one = one.parentElement) {
    const style = getComputedStyle(one);
    layers.push(parse(style.backgroundColor));
    opacity *= Number(style.opacity);
  }
  let back = [255, 255, 255, 1];
  for (const layer of layers.reverse()) back = over(layer, back);
  const style = getComputedStyle(element);
  const color = element instanceof SVGElement ? style.fill : style.color;
  const front = parse(color);
  if (element instanceof SVGElement) continue;
  const text = over([front[0], front[1], front[2], front[3] * opacity], back);
  const [one, other] = [light(text), light(back)].sort((a, b) => b - a);
  const ratio = (one + 0.05) / (other + 0.05);
  if (ratio < 4.5) found.push(`${ratio.toFixed(2)} ${element.className} ${node.textContent.trim().slice(0, 40)}`);
}
return [...new Set(found)];
"""


class AccessTest(BrowserTest):
    def setUp(self):
        super().setUp()
        self.page.resize(1280, 800)

    def tearDown(self):
        self.page.resize(1280, 800)
        self.page.look(False)
        super().tearDown()

    def show(self, fragment):
        self.page.go(fragment)
        if fragment in READY:
            self.page.one(READY[fragment])

    def tree(self):
        nodes = self.page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        return [node for node in nodes if not node.get("ignored")]

    def test_everything_that_can_be_used_has_a_name_and_a_role(self):
        for fragment in VIEWS:
            self.show(fragment)
            for node in self.tree():
                role = node.get("role", {}).get("value")
                name = node.get("name", {}).get("value", "")
                properties = {
                    one["name"]: one["value"].get("value") for one in node.get("properties", [])
                }
                if role in NAMED:
                    self.assertTrue(
                        name.strip(), f"a {role} without a name in {fragment}: {properties}"
                    )
                if properties.get("focusable") and role not in (
                    "RootWebArea",
                    "generic",
                    "none",
                    "main",
                ):
                    self.assertTrue(
                        name.strip() or role in ("row",),
                        f"a {role} without a name can have the focus in {fragment}",
                    )
            doubled = self.page.js(
                "const ids = [...document.querySelectorAll('[id]')].map((one) => one.id);"
                "return ids.filter((id, place) => ids.indexOf(id) !== place)"
            )
            self.assertEqual(doubled, [], fragment)
            self.assertEqual(
                self.page.js("return document.querySelectorAll('main h1').length"), 1, fragment
            )
            self.assertEqual(
                self.page.js(
                    'return document.querySelectorAll(\'[tabindex]:not([tabindex="0"]):not([tabindex="-1"])\').length'
                ),
                0,
            )

    def test_a_table_is_a_grid_that_says_how_large_it_is_and_which_cell_is_active(self):
        self.show("#/table/Book")
        grid = self.page.one("studio-grid")
        self.assertEqual(
            (grid.get_attribute("aria-rowcount"), grid.get_attribute("role")), ("17", "grid")
        )
        self.page.js("arguments[0].focus()", grid)
        self.page.press(Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
        active = eventually(
            lambda: self.page.js(
                "const grid = document.querySelector('studio-grid');"
                "return document.getElementById(grid.getAttribute('aria-activedescendant'))"
            ),
            "the active cell",
        )
        self.assertEqual(
            (active.get_attribute("role"), active.get_attribute("aria-colindex")), ("gridcell", "2")
        )
        roles = {node["role"]["value"] for node in self.tree()}
        self.assertTrue(
            {"grid", "row", "columnheader", "gridcell", "navigation", "main"} <= roles, roles
        )
        sorts = self.page.js(
            "return [...document.querySelectorAll('[role=columnheader]')].map((one) => one.getAttribute('aria-sort'))"
        )
        self.assertEqual(sorts[0], "ascending")

    def test_a_row_is_found_read_and_edited_by_keyboard_alone(self):
        self.page.go("#/")
        self.page.driver.refresh()
        self.page.one(".cards a")
        for _ in range(30):
            self.page.press(Keys.TAB)
            if self.page.js("return document.activeElement.getAttribute('href')") == "#/table/Book":
                break
        self.page.press(Keys.ENTER)
        eventually(lambda: len(self.page.rows()) == 16, "the table")
        self.page.press("/")
        self.page.press("title BEGINSWITH 'Orl'", Keys.ENTER)
        eventually(lambda: len(self.page.rows()) == 1, "the filter")
        for _ in range(30):
            self.page.press(Keys.TAB)
            if self.page.js("return document.activeElement.localName") == "studio-grid":
                break
        self.page.press(Keys.ARROW_RIGHT, Keys.F2)
        self.page.one(".cell-editor textarea")
        self.page.press([Keys.CONTROL, "a"], "Orlando by keys", Keys.ENTER)
        self.page.until_text("1 changed row", ".edit-bar")
        self.page.press([Keys.CONTROL, "s"])
        eventually(lambda: self.store.row("Book", 6)["title"] == "Orlando by keys", "it is saved")
        self.page.press(Keys.ENTER)
        self.page.until_text("Orlando by keys", ".beside h1")
        self.page.press(Keys.ESCAPE)
        eventually(
            lambda: self.page.js("return document.querySelector('.beside').hidden"), "it is closed"
        )
        self.assertEqual(self.page.js("return document.activeElement.localName"), "studio-grid")
        self.page.press([Keys.CONTROL, "z"])
        eventually(lambda: self.store.row("Book", 6)["title"] == "Orlando", "it is undone")
        # The head sorts, and F filters by the value of the cell.
        self.page.go("#/table/Book")
        eventually(lambda: len(self.page.rows()) == 16, "all rows")
        self.page.js("document.querySelector('studio-grid').focus()")
        self.page.press(
            [Keys.CONTROL, Keys.HOME], Keys.ARROW_UP, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ENTER
        )
        eventually(lambda: self.page.rows()[0]["year"] == "1928", "it is sorted")
        self.page.js("document.querySelector('studio-grid').focus()")
        self.page.press(Keys.HOME, Keys.ARROW_DOWN, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, "f")
        eventually(lambda: "where=" in self.page.js("return location.hash"), "it is filtered")
        self.page.press("?")
        self.page.until_text("Ctrl Z", "dialog")
        self.page.press(Keys.ESCAPE)
        eventually(lambda: not self.page.all("dialog"), "the dialog is closed")

    def test_text_has_contrast_in_both_colour_schemes(self):
        for is_dark in (False, True):
            self.page.look(is_dark)
            for fragment in VIEWS:
                self.show(fragment)
                eventually(
                    lambda: self.page.js(CONTRAST) == []
                    or self.page.js("return document.readyState") == "complete"
                )
                self.assertEqual(
                    self.page.js(CONTRAST), [], f"{fragment}, {'dark' if is_dark else 'light'}"
                )
            back = self.page.js("return getComputedStyle(document.body).backgroundColor")
            self.assertEqual(sum(map(int, back[4:-1].split(","))) < 300, is_dark)

    def test_nothing_is_cut_at_360_pixels(self):
        self.page.resize(360, 740)
        for fragment in VIEWS:
            self.show(fragment)
            wide = self.page.js(
                """
              const scrolls = (one) => {
                for (let up = one.parentElement; up && up !== document.body; up = up.parentElement) {
                  if (/auto|scroll|hidden/.test(getComputedStyle(up).overflowX)) return true;
                }
                return false;
              };
              const isWide = (one) => one.checkVisibility() && one.getBoundingClientRect().right > innerWidth + 1;
              return [...document.querySelectorAll('body *')]
                .filter((one) => isWide(one) && !scrolls(one))
                .map((one) => `${one.localName}.${one.className}`);"""
            )
            self.assertEqual(wide, [], fragment)
            self.assertLessEqual(self.page.js("return document.documentElement.scrollWidth"), 360)
        self.page.go("#/table/Book")
        self.page.click(".menu-button")
        self.page.click(".entities a", "Author")
        eventually(lambda: len(self.page.rows()) == 8, "the authors")
        self.page.cell(3, "id").find_element("tag name", "a").click()
        self.page.until_text("Haruki Murakami", ".beside h1")
        self.page.click('.beside button[aria-label="Close"]')
        eventually(lambda: self.page.rows(), "the table again")


if __name__ == "__main__":
    unittest.main()
