extension ProtocolDocument {
  /// The operations, part four: values outside their rows.
  static let blobs = #"""
        {
          "name": "blob.read",
          "summary": "Streams a text or data in external storage, or a part of it, as it is at one moment.",
          "since": 1, "writes": false, "streams": true, "idempotent": true, "privilege": "read",
          "args": [
            {
              "name": "entity", "type": "string", "required": true, "example": "Photo",
              "description": "The name of an entity."
            },
            {
              "name": "id", "type": "integer", "required": true, "example": 42,
              "description": "The identifier of the row."
            },
            {
              "name": "attribute", "type": "string", "required": true, "example": "image",
              "description": "The path of an attribute with `externalStorage`."
            },
            {
              "name": "offset", "type": "integer", "required": false, "minimum": 0, "default": 0,
              "example": 65536,
              "description": "The first byte; of a text, counted in UTF-8 and where a character begins."
            },
            {
              "name": "length", "type": "integer", "required": false, "minimum": 0,
              "example": 65536, "description": "How many bytes at most; all that follow if absent."
            }
          ],
          "result": [
            {
              "name": "length", "type": "integer", "required": true,
              "description": "The bytes of the whole value; null if it is null."
            },
            {
              "name": "version", "type": "integer", "required": true,
              "description": "The version of the row."
            }
          ],
          "next": {
            "description": "One row for each piece: its offset, how many bytes it has, and the piece, which is base64 under the column `data` and a string under the column `text`. Pieces have 64 KiB at most; that of a text ends where a character does. The first frame names the columns."
          },
          "errors": [
            "schema.unknown_entity", "schema.unknown_attribute", "notfound.object", "limit.streams",
            "stream.expired"
          ],
          "example": {
            "args": {"entity": "Photo", "id": 42, "attribute": "image", "length": 3},
            "next": {"columns": ["offset", "bytes", "data"], "next": [[0, 3, "/9j/"]]},
            "ok": {"length": 2145, "version": 1}
          }
        },
        {
          "name": "blob.write",
          "summary": "Changes a text or data in external storage: all of it, a part, or all of it by several calls.",
          "since": 1, "writes": true, "streams": false, "idempotent": false, "privilege": "write",
          "args": [
            {
              "name": "entity", "type": "string", "required": true, "example": "Photo",
              "description": "The name of an entity."
            },
            {
              "name": "id", "type": "integer", "required": true, "example": 42,
              "description": "The identifier of the row."
            },
            {
              "name": "attribute", "type": "string", "required": true, "example": "image",
              "description": "The path of an attribute with `externalStorage`."
            },
            {
              "name": "data", "type": "string", "required": false, "default": "",
              "example": "/9j/",
              "description": "The bytes: a text itself, or data in base64. They take the place of the whole value unless `offset`, `append`, or `upload` is there."
            },
            {
              "name": "offset", "type": "integer", "required": false, "minimum": 0, "example": 3,
              "description": "Where the bytes go, over those that are there; at most the length. In an upload, how much of it was sent before."
            },
            {
              "name": "append", "type": "bool", "required": false, "default": false,
              "example": true, "description": "Whether the bytes go after the last."
            },
            {
              "name": "truncate", "type": "bool", "required": false, "default": false,
              "example": true, "description": "Whether what is behind the bytes goes."
            },
            {
              "name": "upload", "type": "string", "required": false, "example": "u1",
              "description": "The name, this connection's own, of a new value that several calls make. Nobody sees anything of it before the last; it goes with the connection."
            },
            {
              "name": "final", "type": "bool", "required": false, "default": false,
              "example": false,
              "description": "Whether the upload is complete, so that it takes the place of the value."
            }
          ],
          "result": [
            {
              "name": "length", "type": "integer", "required": true,
              "description": "The bytes of the value, or of the upload, afterwards."
            },
            {
              "name": "token", "type": "string", "required": false,
              "description": "The token of the transaction in the history, as in `3f2b8c01-1042`; absent if nothing changed."
            }
          ],
          "errors": [
            "schema.unknown_entity", "schema.unknown_attribute", "notfound.object",
            "limit.value_bytes", "constraint.length", "constraint.pattern", "conflict.key_reused"
          ],
          "example": {
            "args": {
              "entity": "Photo", "id": 42, "attribute": "image", "data": "/9j/", "append": true
            },
            "ok": {"length": 2148}
          }
        },
    """#
}
