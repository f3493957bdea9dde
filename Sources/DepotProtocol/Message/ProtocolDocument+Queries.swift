extension ProtocolDocument {
  /// The operations, part two: what reads rows by a predicate.
  static let queries = #"""
        {
          "name": "fetch",
          "summary": "Streams the rows that satisfy a predicate, as they are at one moment.",
          "since": 1, "writes": false, "streams": true, "idempotent": true, "privilege": "read",
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
              "name": "rows", "type": "integer", "required": true,
              "description": "How many rows were sent."
            },
            {
              "name": "sections", "type": "array", "required": false,
              "description": "With `sectionBy`: a pair of the value and the number of rows for each section, in order."
            }
          ],
          "errors": [
            "schema.unknown_entity", "schema.unknown_attribute", "request.predicate",
            "limit.predicate", "limit.streams"
          ],
          "example": {
            "args": {
              "entity": "Package", "where": "size > $low", "bind": {"low": 1000},
              "sort": [{"attribute": "name"}], "select": ["name"]
            },
            "next": {"columns": ["$id", "$version", "name"], "next": [[1, 1, "bash"]]},
            "ok": {"rows": 1}
          }
        },
        {
          "name": "count", "summary": "Counts the rows that satisfy a predicate.", "since": 1,
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
              "name": "count", "type": "integer", "required": true,
              "description": "How many there are."
            }
          ],
          "errors": [
            "schema.unknown_entity", "schema.unknown_attribute", "request.predicate",
            "limit.predicate"
          ],
          "example": {
            "args": {"entity": "Package", "where": {">": [{"attribute": "size"}, 1000]}},
            "ok": {"count": 1}
          }
        },
    """#
}
