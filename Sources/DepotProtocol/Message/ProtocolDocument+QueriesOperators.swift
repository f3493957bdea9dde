extension ProtocolDocument {
  /// The operators of expressions: of values and of collections.
  static let operators = #"""
      "operators": [
        {
          "name": "value", "form": {"value": "2026-03-01T00:00:00Z", "type": "date"},
          "text": "CAST(\"2026-03-01T00:00:00Z\", \"date\")",
          "meaning": "A constant of a named type; other constants are written as they are. With `\"list\": true` a list: `{\"value\": [1, 2], \"list\": true}`, in the language `{1, 2}`.",
          "null": "NULL is a constant of every type."
        },
        {
          "name": "attribute", "form": {"attribute": "country.name"}, "text": "country.name",
          "meaning": "What a path leads to from the row: attributes, relationships, and at the end `$id`, `$version`, or `$entity`; of a value in external storage `$length`, its bytes. Through a to-many relationship it is a collection.",
          "null": "A path through null is null."
        },
        {
          "name": "variable", "form": {"variable": "SELF"}, "text": "SELF",
          "meaning": "The row; or the element of an enclosing quantifier or filter; or a value in `bind`.",
          "null": "A bound null is the constant."
        },
        {
          "name": "member", "form": {"member": [{"variable": "SELF"}, "country.name"]},
          "text": "SELF.country.name", "meaning": "What a path leads to from another object.",
          "null": "Null gives null."
        },
        {
          "name": "now", "form": {"now": true}, "text": "now()",
          "meaning": "The time at which the service runs the query.", "null": "It never is."
        },
        {
          "name": "==", "form": {"==": ["A", "B"]}, "options": true, "text": "a == b",
          "meaning": "Equal.", "null": "Null equals null and nothing else."
        },
        {
          "name": "!=", "form": {"!=": ["A", "B"]}, "options": true, "text": "a != b",
          "meaning": "Not equal.", "null": "Null differs from everything but null."
        },
        {
          "name": "<", "form": {"<": ["A", "B"]}, "options": true, "text": "a < b",
          "meaning": "Less.", "null": "False if A or B is null."
        },
        {
          "name": "<=", "form": {"<=": ["A", "B"]}, "options": true, "text": "a <= b",
          "meaning": "Less or equal.", "null": "False if A or B is null, also if both are."
        },
        {
          "name": ">", "form": {">": ["A", "B"]}, "options": true, "text": "a > b",
          "meaning": "Greater.", "null": "False if A or B is null."
        },
        {
          "name": ">=", "form": {">=": ["A", "B"]}, "options": true, "text": "a >= b",
          "meaning": "Greater or equal.", "null": "False if A or B is null, also if both are."
        },
        {
          "name": "contains", "form": {"contains": ["A", "B"]}, "options": true,
          "text": "a CONTAINS b", "meaning": "A holds B. If A is a collection, it is `has`.",
          "null": "False if A or B is null."
        },
        {
          "name": "begins", "form": {"begins": ["A", "B"]}, "options": true,
          "text": "a BEGINSWITH b", "meaning": "A begins with B.",
          "null": "False if A or B is null."
        },
        {
          "name": "ends", "form": {"ends": ["A", "B"]}, "options": true, "text": "a ENDSWITH b",
          "meaning": "A ends with B.", "null": "False if A or B is null."
        },
        {
          "name": "like", "form": {"like": ["A", "B"]}, "options": true, "text": "a LIKE b",
          "meaning": "A fits the pattern B: * is any characters, ? is one, \\ makes them plain.",
          "null": "False if A or B is null."
        },
        {
          "name": "matches", "form": {"matches": ["A", "B"]}, "options": true,
          "text": "a MATCHES b", "meaning": "The regular expression B matches all of A.",
          "null": "False if A or B is null."
        },
        {
          "name": "between", "form": {"between": ["A", "LOW", "HIGH"]},
          "text": "a BETWEEN {low, high}", "meaning": "A lies between the others, both included.",
          "null": "False if one of the three is null."
        },
        {
          "name": "in", "form": {"in": ["A", ["B", "C"]]}, "options": true, "text": "a IN {b, c}",
          "meaning": "A equals one of the list: an array of expressions, or a list of constants, of which there may be 100,000.",
          "null": "Null is in a list that has null."
        },
        {
          "name": "and", "form": {"and": ["A", "B"]}, "text": "a AND b",
          "meaning": "All are true; true for an empty list.", "null": "Null counts as false."
        },
        {
          "name": "or", "form": {"or": ["A", "B"]}, "text": "a OR b",
          "meaning": "Any is true; false for an empty list.", "null": "Null counts as false."
        },
        {
          "name": "not", "form": {"not": "A"}, "text": "NOT a", "meaning": "A is false.",
          "null": "True of null."
        },
        {
          "name": "+", "form": {"+": ["A", "B"]}, "text": "a + b",
          "meaning": "Sum; null if a whole number overflows, as for all arithmetic.",
          "null": "Null gives null."
        },
        {
          "name": "-", "form": {"-": ["A", "B"]}, "text": "a - b", "meaning": "Difference.",
          "null": "Null gives null."
        },
        {
          "name": "*", "form": {"*": ["A", "B"]}, "text": "a * b", "meaning": "Product.",
          "null": "Null gives null."
        },
        {
          "name": "/", "form": {"/": ["A", "B"]}, "text": "a / b",
          "meaning": "Quotient; of two whole numbers, rounded towards zero; null by zero.",
          "null": "Null gives null."
        },
        {
          "name": "%", "form": {"%": ["A", "B"]}, "text": "a % b",
          "meaning": "What a division of whole numbers leaves, with the sign of A; null by zero.",
          "null": "Null gives null."
        },
        {
          "name": "**", "form": {"**": ["A", "B"]}, "text": "a ** b",
          "meaning": "Power; from left to right.", "null": "Null gives null."
        },
        {
          "name": "negate", "form": {"negate": "A"}, "text": "-a",
          "meaning": "The number with the other sign.", "null": "Null gives null."
        },
        {
          "name": "search", "form": {"search": "words", "in": ["title"]},
          "text": "title MATCHES TEXT \"words\"",
          "meaning": "Whether the words are in the searchable attributes named, or in any: `SELF MATCHES TEXT \"words\"`, `{title, body} MATCHES TEXT \"words\"`. All words must occur in the texts of one row: `quick fox`; `\"quick fox\"` are words in a row, `qui*` those that begin so, `fox OR dog` either, `-dog` or `NOT dog` what must not occur. Case and marks do not matter. Inside a quantifier or filter it is about the element; a path may lead to other rows.",
          "null": "Null has no words."
        },
        {
          "name": "is", "form": {"is": {"variable": "SELF"}, "entity": "Trip"},
          "text": "SELF IS Trip",
          "meaning": "Whether an object is of an entity or of one that descends from it.",
          "null": "False of null."
        },
        {
          "name": "as", "form": {"as": {"variable": "SELF"}, "entity": "Trip"},
          "text": "SELF AS Trip",
          "meaning": "The object as one of an entity; null if it is not one.",
          "null": "Null gives null."
        },
        {
          "name": "convert", "form": {"convert": "A", "type": "string"},
          "text": "CAST(a, \"string\")",
          "meaning": "The value as one of another type; null if it cannot be one. `\"type\"` may also be the width of a number, `int8` `int16` `int32` `uint8` `uint16` `uint32` `uint64` `float`: null if it is out of range, and a float is rounded to the nearest.",
          "null": "Null gives null."
        },
        {
          "name": "if", "form": {"if": ["A", "B", "C"]}, "text": "TERNARY(a, b, c)",
          "meaning": "B if A is true, else C.", "null": "C if A is null."
        },
        {
          "name": "coalesce", "form": {"coalesce": ["A", "B"]}, "text": "COALESCE(a, b)",
          "meaning": "The first that is not null.", "null": "Null if all are."
        },
        {
          "name": "values", "form": {"values": ["A", "B"]}, "text": "{a, b}",
          "meaning": "A collection of what the expressions are, in this order: values of one type, or objects of one hierarchy. Of constants alone it is the constant list.",
          "null": "Null is an element."
        },
        {
          "name": "any",
          "form": {"any": [{"attribute": "items"}, {">": [{"variable": "x"}, 5]}], "variable": "x"},
          "text": "ANY items > 5",
          "meaning": "At least one element of a collection, which the predicate calls by the variable, satisfies it. In full: `ANY(items, $x, $x > 5)`. SOME is the same.",
          "null": "Null has no elements: false."
        },
        {
          "name": "all",
          "form": {"all": [{"attribute": "items"}, {">": [{"variable": "x"}, 5]}], "variable": "x"},
          "text": "ALL items > 5",
          "meaning": "Every element satisfies the predicate; true if there are none.",
          "null": "Null has no elements: true."
        },
        {
          "name": "none",
          "form": {
            "none": [{"attribute": "items"}, {">": [{"variable": "x"}, 5]}], "variable": "x"
          },
          "text": "NONE items > 5", "meaning": "No element satisfies the predicate.",
          "null": "Null has no elements: true."
        },
        {
          "name": "filter",
          "form": {
            "filter": [{"attribute": "items"}, {">": [{"variable": "x"}, 5]}], "variable": "x"
          },
          "text": "SUBQUERY(items, $x, $x > 5)",
          "meaning": "The elements that satisfy the predicate.", "null": "Null has no elements."
        },
        {
          "name": "has", "form": {"has": [{"attribute": "items"}, "A"]}, "text": "a IN items",
          "meaning": "The collection has an element that equals A.",
          "null": "Null equals a null element; null has no elements."
        },
        {
          "name": "element", "form": {"element": [{"attribute": "items"}, 0]}, "text": "items[0]",
          "meaning": "The element of an array or ordered relationship at a position, from the end if it is negative: `items[FIRST]`, `items[LAST]`.",
          "null": "Null, also beyond the ends."
        },
        {
          "name": "slice", "form": {"slice": [{"attribute": "items"}, 0, 2]}, "text": "items[0:2]",
          "meaning": "The elements from a position up to another, which is not included.",
          "null": "Null has no elements."
        },
    """#
}
