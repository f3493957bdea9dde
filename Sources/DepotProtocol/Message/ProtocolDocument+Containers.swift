extension ProtocolDocument {
  /// The operations, part three: containers.
  static let containers = #"""
        {
          "name": "container.open",
          "summary": "Opens a named set of stores, or joins those who use it. Files that are missing are made.",
          "since": 1, "writes": false, "streams": false, "idempotent": true, "privilege": "write",
          "args": [
            {
              "name": "name", "type": "string", "required": true, "example": "shop",
              "description": "The name that calls give as `container`."
            },
            {
              "name": "stores", "type": "Stores", "required": true,
              "example": [{"name": "main", "file": "shop.store"}],
              "description": "The stores, each with exactly one of `file`, `path` and `memory`."
            },
            {
              "name": "schema", "type": "Schema", "required": false,
              "example": {
                "entities": [
                  {"name": "Order", "attributes": [{"name": "number", "type": "int64"}]}
                ]
              },
              "description": "The schema to define once the stores are open, divided by their `entities`."
            },
            {
              "name": "keep", "type": "bool", "required": false, "default": false, "example": true,
              "description": "Whether a container with stores in memory outlives its last user."
            }
          ],
          "result": [
            {
              "name": "opened", "type": "bool", "required": true,
              "description": "Whether it was opened by this call; false if it was open."
            },
            {
              "name": "changes", "type": "Names", "required": true,
              "description": "A sentence for each change of the schema."
            },
            {
              "name": "schema", "type": "string", "required": true,
              "description": "The fingerprint of the schema of all stores together."
            },
            {
              "name": "stores", "type": "array", "required": true,
              "description": "The stores, as `container.list` has them."
            }
          ],
          "errors": [
            "conflict.container", "schema.invalid", "schema.mismatch", "limit.stores", "notfound.file",
            "conflict.unique"
          ],
          "example": {
            "args": {
              "name": "shop",
              "stores": [
                {"name": "main", "file": "shop.store"},
                {"name": "cache", "memory": true, "entities": ["Picture"]}
              ]
            },
            "ok": {"opened": true, "changes": [], "schema": "9c1f0a66b2d47e35", "stores": []}
          }
        },
        {
          "name": "container.close",
          "summary": "Closes a container for all who use it; what its stores in memory hold is gone.",
          "since": 1, "writes": false, "streams": false, "idempotent": false, "privilege": "write",
          "args": [
            {
              "name": "name", "type": "string", "required": true, "example": "shop",
              "description": "Its name."
            }
          ],
          "result": [], "errors": ["notfound.container"],
          "example": {"args": {"name": "shop"}, "ok": {}}
        },
        {
          "name": "container.list", "summary": "Lists the open containers and their stores.",
          "since": 1, "writes": false, "streams": false, "idempotent": true, "privilege": "read",
          "args": [],
          "result": [
            {
              "name": "containers", "type": "array", "required": true,
              "description": "For each: `name`, `users` (connections), `keep`, and `stores`, each with `name`, `kind` (`file` or `memory`), `path`, `readOnly`, `entities`, `bytes`, `uuid`, and `schema`."
            }
          ],
          "errors": [],
          "example": {"args": {}, "ok": {"containers": []}}
        },
    """#
}
