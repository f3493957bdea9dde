"""Names and values that try to be markup, or are odd in other ways."""

from support import BrowserTest, eventually, json, unittest

# Names are identifiers of Unicode, so they have no signs; these are the oddest that a schema may have.
SCHEMA = {
    "entities": [
        {
            "name": "constructor",
            "attributes": [
                {"name": "__proto__", "type": "string", "optional": True},
                {"name": "hasOwnProperty", "type": "int64", "optional": True},
                {"name": "名前_と_x", "type": "string"},
                {"name": "innerHTML", "type": "string", "optional": True},
                {"name": "extra", "type": "json", "optional": True},
                {"name": "list", "type": "string", "collection": "array", "optional": True},
                {"name": "link", "type": "url", "optional": True},
            ],
            "relationships": [
                {
                    "name": "toString",
                    "destination": "constructor",
                    "inverse": "valueOf",
                    "optional": True,
                },
                {
                    "name": "valueOf",
                    "destination": "constructor",
                    "toMany": True,
                    "inverse": "toString",
                },
            ],
        }
    ]
}
EVIL = [
    '<img src=x onerror="window.wrong = 1">',
    "<script>window.wrong = 1</script>",
    '"><svg onload=window.wrong=1>',
    "javascript:window.wrong=1",
    "{{constructor.constructor('window.wrong=1')()}}",
    "</textarea><iframe srcdoc=x>",
    "\u202eevil\u0000\u0007",
    "a" * 100_000,
    "👩‍👩‍👧‍👦" * 50,
    "'); DROP TABLE--",
]


class HostileTest(BrowserTest):
    schema = SCHEMA
    seeded = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rows = [
            [
                text,
                text,
                text,
                {"<b>": text, "big": 9007199254740993},
                [text, text],
                "javascript:window.wrong=1",
                9223372036854775807,
            ]
            for text in EVIL
        ]
        cls.store.run(
            "call",
            "insert",
            "-",
            stdin=json.dumps(
                {
                    "entity": "constructor",
                    "columns": [
                        "名前_と_x",
                        "__proto__",
                        "innerHTML",
                        "extra",
                        "list",
                        "link",
                        "hasOwnProperty",
                    ],
                    "rows": rows,
                }
            ),
        )
        cls.store.call("update", entity="constructor", where="$id > 1", set={"toString": 1})

    def check(self):
        self.assertIsNone(self.page.js("return window.wrong ?? null"))
        self.assertEqual(
            self.page.js(
                "return document.querySelectorAll('main :is(img, script, iframe), .beside img, dialog img').length"
            ),
            0,
        )
        self.assertEqual(
            self.page.js("return document.querySelectorAll('a[href^=\"javascript\" i]').length"), 0
        )

    def test_values_and_names_are_text_in_every_view(self):
        self.page.go("#/table/constructor")
        eventually(lambda: len(self.page.rows()) == len(EVIL), "the rows")
        self.assertEqual(self.page.rows()[0]["名前_と_x"], EVIL[0])
        self.assertEqual(self.page.cell(1, "__proto__").get_attribute("textContent"), EVIL[0])
        self.assertEqual(self.page.rows()[0]["hasOwnProperty"], "9223372036854775807")
        self.assertIn("9007199254740993", self.page.rows()[0]["extra"])
        self.check()
        for identifier in range(1, len(EVIL) + 1):
            self.page.go(f"#/object/constructor/{identifier}")
            self.page.until_text(EVIL[identifier - 1][:20].replace("\0", "")[:3], ".properties")
            self.check()
        self.page.go("#/object/constructor/1")
        self.page.until_text("9 rows", ".relation")
        for fragment, selector in (
            ("#/history", ".transactions"),
            ("#/query/constructor", ".query-result"),
            ("#/schema/constructor", ".diagram"),
            ("#/service", ".service-body"),
        ):
            self.page.go(fragment)
            (
                self.page.until_text("constructor", selector)
                if "query" not in fragment
                else self.page.until_text("onerror", selector)
            )
            self.check()
        for link in self.page.js(
            "return [...document.querySelectorAll('a[href]')].map((one) => one.getAttribute('href'))"
        ):
            self.assertTrue(link.startswith("#"), link)

    def test_addresses_are_no_way_in(self):
        for fragment in (
            "#/table/%3Cimg%20src=x%20onerror=window.wrong=1%3E",
            "#/table/constructor?where=%3Cimg%20src%3Dx%20onerror%3Dwindow.wrong%3D1%3E",
            "#/table/constructor?sort=%3Cb%3E&columns=%3Cb%3E",
            "#/object/constructor/%3Cb%3E",
            "#/table/constructor?at=%3Cimg%20src=x%3E",
            "#/table/constructor?beside=%3Cb%3E/1",
            "#/query/constructor?by=%3Cb%3E&aggregate=%3Cb%3E",
            "#/__proto__/x",
            "#/table/__proto__",
            "#/%00",
        ):
            self.page.go(fragment)
            eventually(
                lambda: self.page.js("return document.querySelector('main').childElementCount > 0"),
                fragment,
            )
            self.check()

    def test_a_draft_with_markup_stays_text(self):
        self.page.go("#/table/constructor?beside=constructor/1")
        self.page.until_text("constructor/1", ".beside .note")
        self.page.click('.beside button[aria-label="Edit innerHTML"]')
        field = self.page.one('.beside [aria-label="innerHTML"]')
        self.page.fill(field, "<img src=x onerror=window.wrong=2>")
        self.page.click(".beside .editor button", "OK")
        self.page.until_text("<img src=x onerror=window.wrong=2>", "studio-grid")
        self.page.click(".edit-bar button.primary")
        eventually(
            lambda: self.store.row("constructor", 1)["innerHTML"]
            == "<img src=x onerror=window.wrong=2>",
            "it is saved",
        )
        self.check()


if __name__ == "__main__":
    unittest.main()
