extension ProtocolDocument {
  /// The operations, last part: migrations in stages.
  static let migrations = #"""
        {
          "name": "migration.begin",
          "summary": "Begins a custom stage: the container is taken from all other connections, which get unavailable.migrating, and copied. Until the end this connection may name two containers, as `container` of its calls: `<name>@old`, the store as it was, read-only, and `<name>@new`, the copy with the new schema. Identifiers are equal in both. New properties that nothing can be inferred for are empty and may be so until the commit. If the connection ends, so does the stage, and nothing is changed.",
          "since": 1, "writes": false, "streams": false, "idempotent": false, "privilege": "write",
          "args": [
            {
              "name": "schema", "type": "Schema", "required": true,
              "example": {
                "version": "2.0.0",
                "entities": [
                  {"name": "Package", "attributes": [{"name": "name", "type": "string"}]}
                ]
              },
              "description": "The whole schema of the next version."
            },
            {
              "name": "from", "type": "string", "required": false, "example": "1.0.0",
              "description": "The version that the store must have."
            }
          ],
          "result": [
            {
              "name": "from", "type": "string", "required": false,
              "description": "The version before; null if there was none."
            },
            {"name": "to", "type": "string", "required": true, "description": "The new version."},
            {
              "name": "changes", "type": "Names", "required": true,
              "description": "A sentence for each step that was inferred."
            },
            {
              "name": "problems", "type": "Names", "required": true,
              "description": "What couldn't be inferred, and is for the client to do."
            }
          ],
          "errors": [
            "schema.invalid", "schema.mismatch", "schema.newer_store", "schema.unknown_version"
          ],
          "example": {
            "args": {"schema": {"version": "2.0.0", "entities": []}, "from": "1.0.0"},
            "ok": {"from": "1.0.0", "to": "2.0.0", "changes": [], "problems": []}
          }
        },
        {
          "name": "migration.commit",
          "summary": "Checks all rules of the new schema, and puts the copy in the place of the store, in one step that a crash can't divide. If rows are in the way, the stage goes on.",
          "since": 1, "writes": false, "streams": false, "idempotent": false, "privilege": "write",
          "args": [
            {
              "name": "backup", "type": "bool", "required": false, "default": true,
              "example": false,
              "description": "Whether the old store is kept beside the new one; only the owner may do without."
            }
          ],
          "result": [
            {
              "name": "schema", "type": "string", "required": true,
              "description": "The fingerprint of the schema."
            },
            {"name": "version", "type": "string", "required": true, "description": "Its version."},
            {
              "name": "backup", "type": "string", "required": false,
              "description": "The path of the old store."
            }
          ],
          "errors": ["schema.rows_in_the_way", "request.usage"],
          "example": {
            "args": {},
            "ok": {
              "schema": "9c1f0a66b2d47e35", "version": "2.0.0",
              "backup": "/srv/store.sqlite.backup-1.0.0-1"
            }
          }
        },
        {
          "name": "migration.abort", "summary": "Ends the stage and changes nothing.", "since": 1,
          "writes": false, "streams": false, "idempotent": false, "privilege": "write", "args": [],
          "result": [], "errors": ["request.usage"], "example": {"args": {}, "ok": {}}
        }
    """#
}
