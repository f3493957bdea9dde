extension ProtocolDocument {
  /// The operations, part eight: saves in parts.
  static let staging = #"""
        {
          "name": "stage",
          "summary": "Sends a part of a save that is too large for one frame. The connection keeps the parts until a `save` with `staged` applies them, as if it had had all of it itself; they are gone with the connection, and after a `save` that names them, whatever becomes of it.",
          "since": 1, "writes": false, "streams": false, "idempotent": false, "privilege": "write",
          "exactlyOne": ["part", "discard"],
          "args": [
            {
              "name": "save", "type": "integer", "required": true, "minimum": 1,
              "maximum": 9007199254740991, "example": 7,
              "description": "What the parts of one save have in common, a number of the client's choice."
            },
            {
              "name": "part", "type": "integer", "required": false, "minimum": 1,
              "maximum": 1000000, "example": 1,
              "description": "The place of the part, from 1; each is one more than the one before. 1 begins anew."
            },
            {
              "name": "insert", "type": "Insertions", "required": false, "default": [],
              "example": [
                {"entity": "Package", "columns": ["$id", "name"], "rows": [["#1", "bash"]]}
              ],
              "description": "Rows to insert, as in `save`."
            },
            {
              "name": "update", "type": "Changes", "required": false, "default": [],
              "example": [{"entity": "Package", "columns": ["$id", "size"], "rows": [[1, 200]]}],
              "description": "Rows to change, as in `save`."
            },
            {
              "name": "delete", "type": "Deletions", "required": false, "default": [],
              "example": [{"entity": "Package", "ids": [2]}],
              "description": "Rows to delete, as in `save`."
            },
            {
              "name": "read", "type": "Reads", "required": false, "default": [],
              "example": [{"entity": "Package", "ids": [3], "versions": [1]}],
              "description": "Rows that must be as they were read, as in `save`."
            },
            {
              "name": "continues", "type": "string", "required": false,
              "enum": ["insert", "update", "delete", "read"], "example": "insert",
              "description": "The list whose first member goes on with the last one of the parts before. Both have the same entity and columns, and count as one."
            },
            {
              "name": "discard", "type": "bool", "required": false, "default": false,
              "example": true, "description": "Whether to forget the parts instead."
            }
          ],
          "result": [
            {
              "name": "parts", "type": "integer", "required": true,
              "description": "How many parts there are now."
            },
            {
              "name": "rows", "type": "integer", "required": true,
              "description": "How many rows they have together."
            }
          ],
          "errors": [
            "request.usage", "request.type", "limit.rows", "limit.staged", "notfound.staged"
          ],
          "example": {
            "args": {
              "save": 7, "part": 1,
              "insert": [{"entity": "Package", "columns": ["$id", "name"], "rows": [["#1", "zsh"]]}]
            },
            "ok": {"parts": 1, "rows": 1}
          }
        }
    """#
}
