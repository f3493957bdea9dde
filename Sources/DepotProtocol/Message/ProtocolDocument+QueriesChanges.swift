extension ProtocolDocument {
  /// The operations, part three: changes by a predicate, explanations, and the service itself.
  static let changes = #"""
        {
          "name": "update",
          "summary": "Gives values to rows: all of them or none, unless `chunk` is given.",
          "since": 1, "writes": true, "streams": false, "idempotent": true, "privilege": "write",
          "exactlyOne": ["ids", "where"], "atLeastOne": ["set", "compute"],
          "args": [
            {
              "name": "entity", "type": "string", "required": true, "example": "Package",
              "description": "The name of an entity."
            },
            {
              "name": "ids", "type": "Ids", "required": false, "example": [1],
              "description": "The rows, all of which must exist; at most 10,000."
            },
            {
              "name": "where", "type": "Predicate", "required": false,
              "example": {">": [{"attribute": "size"}, 1000]},
              "description": "The rows that satisfy this; \"TRUEPREDICATE\" for every row."
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
              "name": "set", "type": "Values", "required": false, "example": {"size": 200},
              "description": "The paths of what gets a new value, with the values."
            },
            {
              "name": "compute", "type": "Expressions", "required": false,
              "example": {"rank": "size / 2 + 1"},
              "description": "The paths of what gets a value that is computed from the row as it was, with the expressions."
            },
            {
              "name": "returnIds", "type": "bool", "required": false, "default": false,
              "example": true, "description": "Whether the result lists the rows' identifiers."
            },
            {
              "name": "chunk", "type": "integer", "required": false, "minimum": 1,
              "maximum": 100000, "example": 1000,
              "description": "How many rows one transaction may change; all in one if absent. The rows come by their identifiers, each chunk behind the last row of the one before; rows inserted meanwhile are left alone. If a chunk fails, those before it stay: the error has the effect partial."
            }
          ],
          "result": [
            {
              "name": "updated", "type": "integer", "required": true,
              "description": "How many rows were changed."
            },
            {
              "name": "ids", "type": "Ids", "required": false,
              "description": "The identifiers of these rows; with `returnIds`."
            },
            {
              "name": "token", "type": "string", "required": false,
              "description": "The token of the transaction in the history, as in `3f2b8c01-1042`; absent if nothing changed."
            }
          ],
          "errors": [
            "schema.unknown_entity", "schema.unknown_attribute", "request.usage", "request.type",
            "request.number_range", "request.predicate", "notfound.object", "constraint.required",
            "constraint.range", "conflict.unique", "conflict.key_reused", "limit.predicate",
            "limit.rows", "limit.value_bytes"
          ],
          "example": {
            "args": {"entity": "Package", "ids": [2], "set": {"size": 200}}, "ok": {"updated": 1}
          }
        },
        {
          "name": "delete",
          "summary": "Deletes rows: all of them or none, unless `chunk` is given.", "since": 1,
          "writes": true, "streams": false, "idempotent": false, "privilege": "write",
          "exactlyOne": ["ids", "where"],
          "args": [
            {
              "name": "entity", "type": "string", "required": true, "example": "Package",
              "description": "The name of an entity."
            },
            {
              "name": "ids", "type": "Ids", "required": false, "example": [1],
              "description": "The rows, all of which must exist; at most 10,000."
            },
            {
              "name": "where", "type": "Predicate", "required": false,
              "example": {">": [{"attribute": "size"}, 1000]},
              "description": "The rows that satisfy this; \"TRUEPREDICATE\" for every row."
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
              "name": "returnIds", "type": "bool", "required": false, "default": false,
              "example": true, "description": "Whether the result lists the rows' identifiers."
            },
            {
              "name": "chunk", "type": "integer", "required": false, "minimum": 1,
              "maximum": 100000, "example": 1000,
              "description": "How many rows one transaction may change; all in one if absent. The rows come by their identifiers, each chunk behind the last row of the one before; rows inserted meanwhile are left alone. If a chunk fails, those before it stay: the error has the effect partial."
            }
          ],
          "result": [
            {
              "name": "deleted", "type": "integer", "required": true,
              "description": "How many rows were deleted."
            },
            {
              "name": "ids", "type": "Ids", "required": false,
              "description": "The identifiers of these rows; with `returnIds`."
            },
            {
              "name": "token", "type": "string", "required": false,
              "description": "The token of the transaction in the history, as in `3f2b8c01-1042`; absent if nothing changed."
            }
          ],
          "errors": [
            "schema.unknown_entity", "schema.unknown_attribute", "request.usage",
            "request.predicate", "notfound.object", "conflict.key_reused", "limit.predicate",
            "limit.rows"
          ],
          "example": {"args": {"entity": "Package", "ids": [2]}, "ok": {"deleted": 1}}
        },
        {
          "name": "explain", "summary": "Tells how a fetch, count, or aggregate would run, and runs it if asked to.",
          "since": 1, "writes": false, "streams": false, "idempotent": true, "privilege": "read",
          "args": [
            {
              "name": "of", "type": "string", "required": false, "default": "fetch",
              "example": "count",
              "description": "The operation to explain: `fetch`, `count`, or `aggregate`. The other arguments are those of that operation."
            },
            {
              "name": "run", "type": "bool", "required": false, "default": false,
              "example": true,
              "description": "Whether it is run to its end too, to tell what it cost."
            },
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
              "name": "sort", "type": "SortKeys", "required": false, "default": [],
              "example": [{"attribute": "size", "descending": true}, {"attribute": "name"}],
              "description": "The keys to sort by, the most important first; the identifier is always the last. Ascending, null comes first."
            },
            {
              "name": "limit", "type": "integer", "required": false, "minimum": 0, "example": 10,
              "description": "How many rows at most."
            },
            {
              "name": "offset", "type": "integer", "required": false, "minimum": 0, "default": 0,
              "example": 20, "description": "How many rows to leave out first."
            },
            {
              "name": "after", "type": "Constants", "required": false, "example": [7],
              "description": "The values of the sort keys and, last, the identifier of a row: only rows after it are wanted."
            },
            {
              "name": "select", "type": "Names", "required": false,
              "example": ["name", "maintainer.name"],
              "description": "The paths to return, in that order; all columns in the order of the schema if absent. A to-many relationship is returned only if it is named here, as a list of identifiers."
            },
            {
              "name": "subentityColumns", "type": "bool", "required": false, "default": false,
              "example": true,
              "description": "Whether the columns of entities that descend from the entity are returned too, null where a row has not got them."
            },
            {
              "name": "distinct", "type": "bool", "required": false, "default": false,
              "example": true,
              "description": "Whether rows that have the same selected values are returned once, without identifiers."
            },
            {
              "name": "prefetch", "type": "Names", "required": false, "default": [],
              "example": ["maintainer"],
              "description": "The paths of relationships whose rows come along in `related` of each `next` frame."
            },
            {
              "name": "sectionBy", "type": "string", "required": false, "example": "section",
              "description": "The path to group the rows by: it is the first sort key, and `sections` of the result counts the rows of each value."
            },
            {
              "name": "by", "type": "GroupKeys", "required": false, "default": [],
              "with": {"of": "aggregate", "by": ["section"]},
              "example": ["section"],
              "description": "Of an aggregate: what the rows of a group have in common."
            },
            {
              "name": "values", "type": "Aggregates", "required": false, "default": [],
              "with": {"of": "aggregate", "by": ["section"]},
              "example": [{"name": "count", "aggregate": "count"}],
              "description": "Of an aggregate: what the rows of each group come to."
            },
            {
              "name": "having", "type": "Predicate", "required": false, "example": "count > 10",
              "with": {"of": "aggregate", "by": ["section"]},
              "description": "Of an aggregate: what the groups must satisfy."
            },
            {
              "name": "batch", "type": "integer", "required": false, "minimum": 1,
              "maximum": 100000, "example": 100,
              "description": "How many rows one `next` frame may bring; as many as fit into about 64 KiB if absent."
            },
            {
              "name": "columns", "type": "bool", "required": false, "default": true,
              "example": false,
              "description": "Whether the first `next` frame names the columns; it is then sent for no rows too."
            }
          ],
          "result": [
            {
              "name": "predicate", "type": "any", "required": true,
              "description": "The predicate as a tree, or null."
            },
            {
              "name": "text", "type": "string", "required": false,
              "description": "The predicate in the format language."
            },
            {
              "name": "sql", "type": "string", "required": true,
              "description": "What the store would run."
            },
            {
              "name": "plan", "type": "array", "required": true,
              "description": "The steps, as text."
            },
            {
              "name": "uses", "type": "Names", "required": true,
              "description": "The indexes that would be used."
            },
            {
              "name": "fullScan", "type": "bool", "required": true,
              "description": "Whether every row would be looked at."
            },
            {
              "name": "advice", "type": "string", "required": false,
              "description": "What would make it faster."
            },
            {
              "name": "index", "type": "Names", "required": false,
              "description": "The entity and the attribute that should have an index, if one would help."
            },
            {
              "name": "run", "type": "object", "required": false,
              "description": "What the run has cost: `rows` of the result, rows `scanned` one after the other, `sorts`, `steps` of the store's machine, and `microseconds`."
            }
          ],
          "errors": [
            "schema.unknown_entity", "schema.unknown_attribute", "request.predicate",
            "limit.predicate"
          ],
          "example": {
            "args": {"entity": "Package", "where": "name == 'bash'"},
            "ok": {
              "predicate": {"==": [{"attribute": "name"}, "bash"]}, "sql": "SELECT …",
              "plan": ["SEARCH Package USING INDEX …"], "uses": ["Package_name"], "fullScan": false
            }
          }
        },
        {
          "name": "stats", "summary": "Returns counters of the service. Their names may change.",
          "since": 1, "writes": false, "streams": false, "idempotent": true, "privilege": "read",
          "args": [], "result": [], "errors": [], "example": {"args": {}, "ok": {"connections": 1}}
        },
        {
          "name": "shutdown", "summary": "Stops the service after the calls that it has begun.",
          "since": 1, "writes": false, "streams": false, "idempotent": true, "privilege": "owner",
          "args": [], "result": [], "errors": [], "example": {"args": {}, "ok": {}}
        },
    """#
}
