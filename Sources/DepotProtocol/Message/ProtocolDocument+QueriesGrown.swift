extension ProtocolDocument {
  /// The operations, part four: what came with relationships.
  static let grown = #"""
        {
          "name": "exists", "summary": "Tells whether any row satisfies a predicate.", "since": 1,
          "writes": false, "streams": false, "idempotent": true, "privilege": "read",
          "args": [
            {
              "name": "entity", "type": "string", "required": true, "example": "Package",
              "description": "The name of an entity."
            },
            {
              "name": "where", "type": "Predicate", "required": false,
              "example": {"==": [{"attribute": "section"}, "shells"]},
              "description": "What the rows must satisfy; every row if absent."
            },
            {
              "name": "subentities", "type": "bool", "required": false, "default": true,
              "example": false,
              "description": "Whether rows of entities that descend from the entity are meant too."
            },
            {
              "name": "bind", "type": "Bindings", "required": false, "example": {},
              "description": "Values for the variables of all predicates and expressions, by name without `$`; each must occur."
            }
          ],
          "result": [
            {
              "name": "exists", "type": "bool", "required": true,
              "description": "Whether there is one."
            }
          ],
          "errors": [
            "schema.unknown_entity", "schema.unknown_attribute", "request.predicate",
            "limit.predicate"
          ],
          "example": {
            "args": {"entity": "Package", "where": "name == 'bash'"}, "ok": {"exists": true}
          }
        },
        {
          "name": "aggregate", "summary": "Streams what groups of rows come to.", "since": 1,
          "writes": false, "streams": true, "idempotent": true, "privilege": "read",
          "atLeastOne": ["by", "values"],
          "args": [
            {
              "name": "entity", "type": "string", "required": true, "example": "Package",
              "description": "The name of an entity."
            },
            {
              "name": "where", "type": "Predicate", "required": false,
              "example": {"==": [{"attribute": "section"}, "shells"]},
              "description": "What the rows must satisfy; every row if absent."
            },
            {
              "name": "subentities", "type": "bool", "required": false, "default": true,
              "example": false,
              "description": "Whether rows of entities that descend from the entity are meant too."
            },
            {
              "name": "bind", "type": "Bindings", "required": false, "example": {},
              "description": "Values for the variables of all predicates and expressions, by name without `$`; each must occur."
            },
            {
              "name": "by", "type": "GroupKeys", "required": false, "default": [],
              "example": ["section"],
              "description": "What the rows of a group have in common; all rows are one group if absent."
            },
            {
              "name": "values", "type": "Aggregates", "required": false, "default": [],
              "example": [{"name": "total", "aggregate": "sum", "of": "size"}],
              "description": "What the rows of each group come to."
            },
            {
              "name": "having", "type": "Predicate", "required": false, "example": "total > 1000",
              "description": "What a group must satisfy; its attributes are the names of the keys and values."
            },
            {
              "name": "sort", "type": "SortKeys", "required": false, "default": [],
              "example": [{"attribute": "total", "descending": true}],
              "description": "The keys to sort the groups by, of the names of the keys and values; the keys of the groups come last."
            },
            {
              "name": "limit", "type": "integer", "required": false, "minimum": 0, "example": 10,
              "description": "How many groups at most."
            },
            {
              "name": "offset", "type": "integer", "required": false, "minimum": 0, "default": 0,
              "example": 20, "description": "How many groups to leave out first."
            },
            {
              "name": "batch", "type": "integer", "required": false, "minimum": 1,
              "maximum": 100000, "example": 100,
              "description": "How many groups one `next` frame may bring; as many as fit into about 64 KiB if absent."
            }
          ],
          "result": [
            {
              "name": "rows", "type": "integer", "required": true,
              "description": "How many groups were sent."
            }
          ],
          "errors": [
            "schema.unknown_entity", "schema.unknown_attribute", "request.predicate",
            "limit.predicate", "request.usage", "request.overflow", "limit.streams"
          ],
          "example": {
            "args": {
              "entity": "Package", "by": ["section"],
              "values": [{"name": "total", "aggregate": "sum", "of": "size"}]
            },
            "next": {"columns": ["section", "total"], "next": [["shells", 7355]]}, "ok": {"rows": 1}
          }
        },
        {
          "name": "save",
          "summary": "Inserts, changes, and deletes rows of any entities: all of it or nothing.",
          "since": 1, "writes": true, "streams": false, "idempotent": false, "privilege": "write",
          "args": [
            {
              "name": "insert", "type": "Insertions", "required": false, "default": [],
              "example": [
                {"entity": "Package", "columns": ["$id", "name"], "rows": [["#1", "bash"]]}
              ],
              "description": "Rows to insert. A string that begins with `#` in the column `$id` is a temporary identifier, which relationships in the whole call may name."
            },
            {
              "name": "update", "type": "Changes", "required": false, "default": [],
              "example": [{"entity": "Package", "columns": ["$id", "size"], "rows": [[1, 200]]}],
              "description": "Rows to change; the first column is `$id`. The column `$version` has the versions that were read, and `base` what the rows had then: see conflicts. A to-many relationship takes a list of identifiers, or an object with `add`, `remove`, and for an ordered one `at`."
            },
            {
              "name": "delete", "type": "Deletions", "required": false, "default": [],
              "example": [{"entity": "Package", "ids": [2]}],
              "description": "Rows to delete, with what the delete rules of their relationships take along. With `versions`, those that were read, a row that is gone already is no error."
            },
            {
              "name": "read", "type": "Reads", "required": false, "default": [],
              "example": [{"entity": "Package", "ids": [3], "versions": [1]}],
              "description": "Rows that must be as they were read, though the save doesn't change them."
            },
            {
              "name": "policy", "type": "string", "required": false,
              "enum": [
                "error", "mergeByPropertyStoreTrump", "mergeByPropertyObjectTrump", "overwrite",
                "rollback"
              ],
              "default": "error", "example": "mergeByPropertyStoreTrump",
              "description": "What to do with rows that others have changed since they were read."
            },
            {
              "name": "onConflict", "type": "string", "required": false,
              "enum": ["error", "skip", "replace"], "default": "error", "example": "skip",
              "description": "What to do with an inserted row that has the same unique values as another, whatever the policy; see `insert`."
            },
            {
              "name": "staged", "type": "object", "required": false,
              "example": {"save": 7, "parts": 2},
              "description": "Parts that were sent before with `stage`, which come before what this call has itself: the number `save` that they have in common, and how many `parts` there are."
            },
            {
              "name": "runs", "type": "bool", "required": false, "default": false, "example": true,
              "description": "Whether the answer tells identifiers and versions in runs, which are short for many rows."
            }
          ],
          "result": [
            {
              "name": "inserted", "type": "integer", "required": true,
              "description": "How many rows are new."
            },
            {
              "name": "updated", "type": "integer", "required": true,
              "description": "How many rows were changed."
            },
            {
              "name": "deleted", "type": "integer", "required": true,
              "description": "How many rows were deleted, those that were taken along included."
            },
            {
              "name": "ids", "type": "object", "required": true,
              "description": "The identifiers by the temporary ones; empty with `runs`."
            },
            {
              "name": "runs", "type": "array", "required": false,
              "description": "With `runs`: for each member of `insert` the identifiers of its rows in their order, as pairs of a first identifier and how many rows have it and those that follow it; 0 as the first for rows without a temporary identifier."
            },
            {
              "name": "conflicts", "type": "array", "required": false,
              "description": "What the policy has decided; in saves that say versions, what they read, or a policy."
            },
            {
              "name": "more", "type": "integer", "required": false,
              "description": "How many conflicts there are besides those that are listed."
            },
            {
              "name": "versions", "type": "object", "required": false,
              "description": "Lists of identifiers and versions by entities, of the rows that the call names to insert or change; in the same saves. With `runs`, each has a third number: how many rows that follow each other have the version."
            },
            {
              "name": "token", "type": "string", "required": false,
              "description": "The token of the transaction in the history, as in `3f2b8c01-1042`; absent if nothing changed."
            }
          ],
          "errors": [
            "schema.unknown_entity", "schema.unknown_attribute", "request.usage", "request.type",
            "request.number_range", "notfound.object", "constraint.required", "constraint.range",
            "conflict.unique", "conflict.merge", "conflict.read", "conflict.key_reused", "limit.rows", "limit.value_bytes",
            "notfound.staged", "limit.staged"
          ],
          "example": {
            "args": {
              "insert": [{"entity": "Package", "columns": ["$id", "name"], "rows": [["#1", "zsh"]]}]
            },
            "ok": {"inserted": 1, "updated": 0, "deleted": 0, "ids": {"#1": 3}}
          }
        },
    """#
}
