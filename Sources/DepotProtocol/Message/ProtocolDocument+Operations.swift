extension ProtocolDocument {
  /// The operations, part one: the schema, insert, and get.
  static let operations = #"""
      "operations": [
        {
          "name": "ping", "summary": "Does nothing; shows that the service answers.", "since": 1,
          "writes": false, "streams": false, "idempotent": true, "privilege": "read", "args": [],
          "result": [], "errors": [], "example": {"args": {}, "ok": {}}
        },
        {
          "name": "describe", "summary": "Returns this document.", "since": 1, "writes": false,
          "streams": false, "idempotent": true, "privilege": "read", "args": [],
          "result": [
            {"name": "name", "type": "string", "required": true, "description": "`depot`."},
            {
              "name": "versions", "type": "array", "required": true,
              "description": "The lowest and the highest protocol version."
            },
            {
              "name": "operations", "type": "array", "required": true,
              "description": "The operations; the other members are those of protocol.json."
            }
          ],
          "errors": [],
          "example": {"args": {}, "ok": {"name": "depot", "versions": [1, 1], "operations": []}}
        },
        {
          "name": "schema.define",
          "summary": "Gives the store its schema, adds to it, or migrates it to a newer version. The same schema again changes nothing. Under the same version only additions are accepted; a newer version is reached by inferred steps, all in one transaction, and while they run other calls get unavailable.migrating.",
          "since": 1, "writes": true, "streams": false, "idempotent": true, "privilege": "write",
          "args": [
            {
              "name": "schema", "type": "Schema", "required": true,
              "example": {
                "entities": [
                  {
                    "name": "Package",
                    "attributes": [{"name": "name", "type": "string", "unique": true}]
                  }
                ]
              },
              "description": "All entities that the store is to have."
            },
            {
              "name": "dryRun", "type": "bool", "required": false, "default": false, "example": true,
              "description": "Whether only to tell what would change."
            },
            {
              "name": "from", "type": "string", "required": false, "example": "1.0.0",
              "description": "The version that the store must have."
            },
            {
              "name": "backup", "type": "bool", "required": false, "default": true,
              "example": false,
              "description": "Whether the store is copied before rows are migrated; only the owner may do without."
            }
          ],
          "result": [
            {
              "name": "changed", "type": "bool", "required": true,
              "description": "Whether something changed, or would."
            },
            {
              "name": "changes", "type": "array", "required": true,
              "description": "A sentence for each change."
            },
            {
              "name": "schema", "type": "string", "required": true,
              "description": "The fingerprint of the schema afterwards: 16 hexadecimal digits."
            },
            {
              "name": "version", "type": "string", "required": false,
              "description": "The version of the schema afterwards, if it has one."
            },
            {
              "name": "backup", "type": "string", "required": false,
              "description": "Where the store was copied before rows were migrated, or would be; `backups` of a container with several stores."
            },
            {
              "name": "plan", "type": "object", "required": false,
              "description": "With `dryRun`, what a migration would do: `steps` (`description`, `destructive`, `rows`), `problems`, `duplicates`, `violations`, `rows`, `milliseconds`, `from`, `to`; `plans` of a container with several stores."
            }
          ],
          "errors": [
            "schema.newer_store", "schema.unknown_version", "schema.rows_in_the_way",
            "schema.invalid", "schema.mismatch", "conflict.unique", "conflict.key_reused"
          ],
          "example": {
            "args": {
              "schema": {
                "entities": [
                  {
                    "name": "Package",
                    "attributes": [
                      {"name": "name", "type": "string", "unique": true},
                      {"name": "size", "type": "int64", "optional": true}
                    ]
                  }
                ]
              }
            },
            "ok": {"changed": true, "changes": ["added entity Package"], "schema": "9c1f0a66b2d47e35"}
          }
        },
        {
          "name": "schema.get", "summary": "Returns the schema.", "since": 1, "writes": false,
          "streams": false, "idempotent": true, "privilege": "read", "args": [],
          "result": [
            {
              "name": "schema", "type": "Schema", "required": true,
              "description": "The schema in canonical form."
            },
            {
              "name": "fingerprint", "type": "string", "required": true,
              "description": "16 hexadecimal digits that two schemas share only if they are equal."
            },
            {
              "name": "hashes", "type": "object", "required": true,
              "description": "For each entity, 16 hexadecimal digits that stay as long as its rows have the same form."
            }
          ],
          "errors": [],
          "example": {
            "args": {},
            "ok": {"schema": {"entities": []}, "fingerprint": "9c1f0a66b2d47e35", "hashes": {}}
          }
        },
        {
          "name": "insert",
          "summary": "Stores rows. Either all are stored or none, unless `rejects` is true.",
          "since": 1, "writes": true, "streams": false, "idempotent": false, "privilege": "write",
          "args": [
            {
              "name": "entity", "type": "string", "required": true, "example": "Package",
              "description": "The name of an entity."
            },
            {
              "name": "columns", "type": "Names", "required": false, "default": [],
              "example": ["name"],
              "description": "The paths of the attributes and relationships that each row has values for, in that order; others get their default."
            },
            {
              "name": "rows", "type": "Rows", "required": true, "example": [["bash"], ["dash"]],
              "description": "The rows; at most 10,000."
            },
            {
              "name": "onConflict", "type": "string", "required": false,
              "enum": ["error", "skip", "replace"], "default": "error", "example": "skip",
              "description": "What to do with a row whose value of a unique attribute another row has: fail with conflict.unique, leave the other row as it is, or give it the values that are named."
            },
            {
              "name": "rejects", "type": "bool", "required": false, "default": false, "example": true,
              "description": "Whether a row that cannot be stored is left out and listed in `rejected` rather than failing the call."
            }
          ],
          "result": [
            {
              "name": "inserted", "type": "integer", "required": true,
              "description": "How many rows are new."
            },
            {
              "name": "updated", "type": "integer", "required": true,
              "description": "How many rows were replaced."
            },
            {
              "name": "skipped", "type": "integer", "required": true,
              "description": "How many rows were left out because of `skip`."
            },
            {
              "name": "ids", "type": "array", "required": true,
              "description": "The identifier for each row of the request: of the new row, or of the one it met; null for a rejected one."
            },
            {
              "name": "rejected", "type": "array", "required": false,
              "description": "The rows left out because of `rejects`, as {\"row\": index, \"error\": Error}; only with `rejects`."
            },
            {
              "name": "token", "type": "string", "required": false,
              "description": "The token of the transaction in the history, as in `3f2b8c01-1042`; absent if nothing changed."
            }
          ],
          "errors": [
            "schema.unknown_entity", "schema.unknown_attribute", "request.type",
            "request.number_range", "constraint.required", "constraint.range", "conflict.unique",
            "conflict.key_reused", "limit.rows", "limit.value_bytes"
          ],
          "example": {
            "args": {
              "entity": "Package", "columns": ["name", "size"],
              "rows": [["bash", 7164], ["dash", 191]]
            },
            "ok": {"inserted": 2, "updated": 0, "skipped": 0, "ids": [1, 2]}
          }
        },
        {
          "name": "get", "summary": "Returns rows by identifier, in the order of `ids`.", "since": 1,
          "writes": false, "streams": false, "idempotent": true, "privilege": "read",
          "args": [
            {
              "name": "entity", "type": "string", "required": true, "example": "Package",
              "description": "The name of an entity."
            },
            {
              "name": "ids", "type": "Ids", "required": true, "example": [1, 2],
              "description": "The identifiers; at most 10,000."
            },
            {
              "name": "select", "type": "Names", "required": false, "example": ["name"],
              "description": "The attributes to return, in that order; all in the order of the schema if absent."
            },
            {
              "name": "subentityColumns", "type": "bool", "required": false, "default": false,
              "example": true,
              "description": "Whether the columns of entities that descend from the entity are returned too, null where a row has not got them."
            },
            {
              "name": "prefetch", "type": "Names", "required": false, "default": [],
              "example": ["maintainer"],
              "description": "The paths of relationships whose rows come along in `related`, as in a `next` frame of `fetch`."
            },
            {
              "name": "partial", "type": "bool", "required": false, "default": false, "example": true,
              "description": "Whether identifiers without a row are listed in `missing` rather than an error."
            },
            {
              "name": "columns", "type": "bool", "required": false, "default": true, "example": false,
              "description": "Whether the result names the columns."
            }
          ],
          "result": [
            {
              "name": "columns", "type": "Names", "required": false,
              "description": "What each value of a row is; absent with `columns` false."
            },
            {"name": "rows", "type": "Rows", "required": true, "description": "The rows."},
            {
              "name": "missing", "type": "Ids", "required": false,
              "description": "The identifiers without a row; only with `partial`."
            },
            {
              "name": "related", "type": "array", "required": false,
              "description": "The rows that these lead to by the relationships of `prefetch`, an object for each path."
            }
          ],
          "errors": [
            "schema.unknown_entity", "schema.unknown_attribute", "notfound.object", "limit.rows"
          ],
          "example": {
            "args": {"entity": "Package", "ids": [2], "select": ["name"]},
            "ok": {"columns": ["$id", "$version", "name"], "rows": [[2, 1, "dash"]]}
          }
        },
    """#
}
