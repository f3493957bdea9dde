extension ProtocolDocument {
  /// The frames.
  static let frames = #"""
      "frames": [
        {
          "name": "hello", "from": "client",
          "summary": "The first frame: who the client is and what it speaks.",
          "members": [
            {"name": "hello", "type": "Hello", "required": true, "description": "The offer."}
          ],
          "example": {
            "hello": {
              "protocol": [1, 1], "client": {"name": "x", "version": "1", "language": "python"},
              "options": {"int64": "number"}, "want": ["credit"]
            }
          }
        },
        {
          "name": "call", "from": "client", "summary": "A request.",
          "members": [
            {
              "name": "id", "type": "Id", "required": true,
              "description": "The number that the replies repeat; greater than that of every earlier call of the connection."
            },
            {
              "name": "call", "type": "string", "required": true,
              "description": "The name of an operation."
            },
            {
              "name": "args", "type": "object", "required": false, "default": {},
              "description": "The arguments of the operation."
            },
            {
              "name": "deadlineMs", "type": "integer", "required": false, "minimum": 0,
              "maximum": 86400000,
              "description": "How long the client waits, from receipt and queueing included."
            },
            {
              "name": "credit", "type": "integer", "required": false, "minimum": 1,
              "maximum": 1000000000,
              "description": "How many `next` frames may be sent before the client asks for more; no bound if absent."
            },
            {
              "name": "key", "type": "string", "required": false,
              "description": "The idempotency key of a write, 1 to 128 bytes."
            },
            {
              "name": "container", "type": "string", "required": false,
              "description": "The container that the call is about; that of hello if absent."
            },
            {
              "name": "pin", "type": "string", "required": false,
              "description": "The pin whose moment a read sees, and whose container it is about; the latest moment if absent."
            },
            {
              "name": "author", "type": "string", "required": false,
              "description": "Who the history says makes this write, 1 to 256 bytes; the author of hello if absent."
            },
            {
              "name": "group", "type": "string", "required": false,
              "description": "What this write's transaction belongs to in the history, 1 to 256 bytes."
            }
          ],
          "example": {"id": 7, "call": "count", "args": {"entity": "Package"}, "deadlineMs": 2000}
        },
        {
          "name": "more", "from": "client", "summary": "Adds credit to a stream.",
          "members": [
            {"name": "id", "type": "Id", "required": true, "description": "The call."},
            {
              "name": "more", "type": "integer", "required": true, "minimum": 1,
              "maximum": 1000000000, "description": "How many more `next` frames may be sent."
            }
          ],
          "example": {"id": 7, "more": 16}
        },
        {
          "name": "cancel", "from": "client",
          "summary": "Asks a call to end; it still ends with exactly one `ok` or `err`.",
          "members": [
            {"name": "id", "type": "Id", "required": true, "description": "The call."},
            {"name": "cancel", "type": "true", "required": true, "description": "Always true."}
          ],
          "example": {"id": 7, "cancel": true}
        },
        {
          "name": "ping", "from": "both", "summary": "Asks whether the other side is there.",
          "members": [
            {"name": "ping", "type": "integer", "required": true, "description": "Any number."}
          ],
          "example": {"ping": 1}
        },
        {
          "name": "pong", "from": "both", "summary": "Answers a ping.",
          "members": [
            {
              "name": "pong", "type": "integer", "required": true,
              "description": "The number of the ping."
            }
          ],
          "example": {"pong": 1}
        },
        {
          "name": "welcome", "from": "service", "summary": "Answers hello.",
          "members": [
            {
              "name": "welcome", "type": "Welcome", "required": true,
              "description": "What was agreed."
            }
          ],
          "example": {
            "welcome": {
              "protocol": 1,
              "server": {
                "name": "depotd", "version": "0.1.0",
                "instance": "5f0c2d3e-0d6f-4c0a-9a53-3f2a4f0c8a11", "pid": 1234
              },
              "connection": 17, "features": ["credit", "int64"], "limits": {"frameBytes": 16777216},
              "store": {"uuid": "0b8e4a52-9d5b-4b0e-8a94-5b8f3f0a7c21", "schema": "9c1f0a66b2d47e35"}
            }
          }
        },
        {
          "name": "next", "from": "service", "summary": "Rows of a stream.",
          "members": [
            {"name": "id", "type": "Id", "required": true, "description": "The call."},
            {
              "name": "columns", "type": "Names", "required": false,
              "description": "What each value of a row is; only in the first `next` frame of a call."
            },
            {"name": "next", "type": "Rows", "required": true, "description": "The rows."},
            {
              "name": "related", "type": "array", "required": false,
              "description": "The rows that these lead to by the relationships of `prefetch`, an object for each path."
            },
            {
              "name": "kind", "type": "string", "required": false,
              "description": "Of a watch: `snapshot`, `resume`, `live`, `change`, `mark`, or `gap`."
            },
            {
              "name": "token", "type": "string", "required": false,
              "description": "Of a watch: the token up to which the client then knows everything."
            },
            {
              "name": "author", "type": "string", "required": false,
              "description": "Of a change: who made it, if all of it has one author."
            },
            {
              "name": "more", "type": "true", "required": false,
              "description": "Of a change: more frames follow, which are to be applied together with this one."
            },
            {
              "name": "changes", "type": "array", "required": false,
              "description": "Of a change: an object for each row of `next` with `kind` (`inserted` or `updated`), its place `at`, and of an update its place `from` before and the `properties` that changed."
            },
            {
              "name": "removed", "type": "array", "required": false,
              "description": "Of a change: an object for each row that left the result, with its `id` and its place `from` before."
            },
            {
              "name": "order", "type": "array", "required": false,
              "description": "Of a resume: the identifiers of all rows of the result in their order."
            },
            {
              "name": "from", "type": "string", "required": false,
              "description": "Of a gap: the token up to which the client knows everything."
            },
            {
              "name": "to", "type": "string", "required": false,
              "description": "Of a gap: the token at which it begins anew."
            }
          ],
          "example": {
            "id": 7, "columns": ["$id", "$version", "name"], "next": [[1, 1, "bash"], [2, 1, "dash"]]
          }
        },
        {
          "name": "ok", "from": "service", "summary": "Ends a call that succeeded.",
          "members": [
            {"name": "id", "type": "Id", "required": true, "description": "The call."},
            {
              "name": "ok", "type": "object", "required": true,
              "description": "The result of the operation."
            }
          ],
          "example": {"id": 7, "ok": {"count": 2}}
        },
        {
          "name": "err", "from": "service",
          "summary": "Ends a call that failed; without `id`, tells why a frame or the connection was refused.",
          "members": [
            {"name": "id", "type": "Id", "required": false, "description": "The call."},
            {"name": "err", "type": "Error", "required": true, "description": "Why."}
          ],
          "example": {
            "id": 7,
            "err": {
              "code": "schema.unknown_entity", "message": "There is no entity \"Pakage\".",
              "hint": "Did you mean \"Package\"?", "at": "/args/entity", "retry": "no",
              "effect": "none"
            }
          }
        },
        {
          "name": "event", "from": "service",
          "summary": "Something about the connection, between other frames; `draining` says that the service is stopping, `ended` that it begins none of the calls that it didn't answer.",
          "members": [
            {"name": "event", "type": "string", "required": true, "description": "What happened."}
          ],
          "example": {"event": "draining"}
        }
      ]
    """#
}
