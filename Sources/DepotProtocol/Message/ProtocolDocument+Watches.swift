extension ProtocolDocument {
  /// The operations, part six: queries that are watched.
  static let watches = #"""
        {
          "name": "watch",
          "summary": "Streams what a query gives, and then what becomes of it, until the client has enough.",
          "since": 1, "writes": false, "streams": true, "idempotent": true, "privilege": "read",
          "exactlyOne": ["fetch", "count", "aggregate", "history"],
          "args": [
            {
              "name": "fetch", "type": "object", "required": false,
              "example": {"entity": "Package", "where": "section == 'editors'"},
              "description": "The arguments of a `fetch`, without `distinct`, `sectionBy`, and `after`."
            },
            {
              "name": "count", "type": "object", "required": false,
              "example": {"entity": "Package"}, "description": "The arguments of a `count`."
            },
            {
              "name": "aggregate", "type": "object", "required": false,
              "example": {"entity": "Package", "by": ["section"]},
              "description": "The arguments of an `aggregate`."
            },
            {
              "name": "history", "type": "object", "required": false,
              "example": {"entity": "Package"},
              "description": "The transactions themselves: the arguments `entity`, `ids`, `properties`, `author`, and `values` of a `history`."
            },
            {
              "name": "since", "type": "string", "required": false,
              "example": "3f2b8c01-1042",
              "description": "The token up to which the client knows everything."
            },
            {
              "name": "echo", "type": "bool", "required": false, "default": true, "example": false,
              "description": "Whether changes that came over the same connection are sent too."
            },
            {
              "name": "onExpired", "type": "string", "required": false, "default": "snapshot",
              "example": "error",
              "description": "What happens if the history no longer reaches back to `since`: `error` for `history.expired`, or `snapshot`; of a history, `snapshot` begins with a `gap`."
            },
            {
              "name": "bookmarkMs", "type": "integer", "required": false, "minimum": 100,
              "maximum": 86400000, "example": 30000,
              "description": "After how long without a frame a `mark` comes, to within half a second."
            }
          ],
          "result": [],
          "next": {
            "description": "Frames of the kinds `snapshot`, `resume`, `live`, `change`, `mark`, and `gap`; see live queries."
          },
          "errors": [
            "schema.unknown_entity", "schema.unknown_attribute", "request.predicate",
            "limit.predicate", "limit.watches", "limit.watch_rows", "limit.frame_bytes",
            "history.foreign", "history.expired", "stream.expired"
          ],
          "example": {
            "args": {"fetch": {"entity": "Package", "select": ["name"]}},
            "next": {
              "kind": "change", "token": "3f2b8c01-1043", "next": [[2, 4, "dash"]],
              "changes": [{"kind": "updated", "at": 1, "from": 1, "properties": ["name"]}],
              "removed": []
            },
            "ok": {}
          }
        },
        {
          "name": "barrier",
          "summary": "Answers when the connection's watches were told of everything that was committed before.",
          "since": 1, "writes": false, "streams": false, "idempotent": true, "privilege": "read",
          "args": [],
          "result": [
            {
              "name": "token", "type": "string", "required": true,
              "description": "The token up to which the connection's watches know everything, of the first store that is watched."
            },
            {
              "name": "tokens", "type": "array", "required": true,
              "description": "The same of each of the container's stores in which something is or was watched."
            }
          ],
          "errors": [],
          "example": {"args": {}, "ok": {"token": "3f2b8c01-1043", "tokens": ["3f2b8c01-1043"]}}
        }
    """#
}
