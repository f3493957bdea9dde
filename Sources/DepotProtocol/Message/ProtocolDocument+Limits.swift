extension ProtocolDocument {
  /// The limits and features.
  static let limits = #"""
      "limits": [
        {
          "name": "frameBytes", "value": 16777216, "unit": "bytes",
          "reason": "Room for 10,000 rows of about 1.6 kB; the first byte of a length stays apart from text.",
          "error": "limit.frame_bytes"
        },
        {
          "name": "skippedFrameBytes", "value": 67108864, "unit": "bytes",
          "reason": "Up to here an over-large frame is read and thrown away, so that the connection survives.",
          "error": "limit.frame_bytes"
        },
        {
          "name": "values", "value": 1000000, "unit": "values",
          "reason": "JSON costs memory by its values, not by its bytes.", "error": "limit.values"
        },
        {
          "name": "depth", "value": 64, "unit": "levels",
          "reason": "Deep nesting costs stack and means nothing.", "error": "limit.depth"
        },
        {
          "name": "valueBytes", "value": 8388608, "unit": "bytes",
          "reason": "A value fits into a frame, base64 included.", "error": "limit.value_bytes"
        },
        {
          "name": "predicateNodes", "value": 1000, "unit": "nodes",
          "reason": "Bounds the work of compiling a query.", "error": "limit.predicate"
        },
        {
          "name": "predicateDepth", "value": 48, "unit": "levels", "reason": "Fits within depth.",
          "error": "limit.predicate"
        },
        {
          "name": "listElements", "value": 100000, "unit": "constants",
          "reason": "Lists of captured identifiers are long, and one parameter each.",
          "error": "limit.predicate"
        },
        {
          "name": "rows", "value": 10000, "unit": "rows",
          "reason": "One call must not hold up the others.", "error": "limit.rows"
        },
        {
          "name": "inFlight", "value": 64, "unit": "calls",
          "reason": "A queue without a bound is a leak.", "error": "limit.in_flight"
        },
        {
          "name": "streams", "value": 32, "unit": "calls",
          "reason": "Each stream holds a snapshot of the store.", "error": "limit.streams"
        },
        {
          "name": "watches", "value": 64, "unit": "calls",
          "reason": "They go on for long, so they don't count as calls in flight.",
          "error": "limit.watches"
        },
        {
          "name": "watchRows", "value": 100000, "unit": "rows",
          "reason": "The service remembers each row of a watched query and its place.",
          "error": "limit.watch_rows"
        },
        {
          "name": "connections", "value": 256, "unit": "connections",
          "reason": "Each connection has buffers.", "error": "limit.connections"
        },
        {
          "name": "outboundSoftBytes", "value": 1048576, "unit": "bytes",
          "reason": "Streams pause when this much waits for the client.", "error": "none"
        },
        {
          "name": "outboundHardBytes", "value": 67108864, "unit": "bytes",
          "reason": "A client that never reads is cut off.", "error": "limit.outbound_bytes"
        },
        {
          "name": "keyBytes", "value": 128, "unit": "bytes", "reason": "A UUID and a prefix fit.",
          "error": "request.number_range"
        },
        {
          "name": "nameBytes", "value": 128, "unit": "bytes", "reason": "Names are for people.",
          "error": "schema.invalid"
        },
        {
          "name": "entities", "value": 1000, "unit": "entities",
          "reason": "A schema is read as a whole.", "error": "schema.invalid"
        },
        {
          "name": "attributes", "value": 500, "unit": "attributes",
          "reason": "The columns of a table are bounded.", "error": "schema.invalid"
        },
        {
          "name": "helloMilliseconds", "value": 5000, "unit": "milliseconds",
          "reason": "A silent connection takes the place of another.", "error": "protocol.hello"
        },
        {
          "name": "stores", "value": 32, "unit": "stores",
          "reason": "Each open store has threads and descriptors of its own.", "error": "limit.stores"
        },
        {
          "name": "pins", "value": 8, "unit": "pins",
          "reason": "Each pin of a connection holds a snapshot of the store.", "error": "limit.pins"
        },
        {
          "name": "allPins", "value": 32, "unit": "pins",
          "reason": "Snapshots hold back the store, and each has a cache.", "error": "limit.pins"
        },
        {
          "name": "stagedSaves", "value": 8, "unit": "saves",
          "reason": "Calls on one connection may be made by several threads of a program.",
          "error": "limit.staged"
        },
        {
          "name": "stagedRows", "value": 1000000, "unit": "rows",
          "reason": "A save is one transaction, for which all other writes wait.",
          "error": "limit.staged"
        },
        {
          "name": "stagedBytes", "value": 268435456, "unit": "bytes",
          "reason": "The service keeps the parts of a save in memory.", "error": "limit.staged"
        },
        {
          "name": "allStagedBytes", "value": 536870912, "unit": "bytes",
          "reason": "Its memory is bounded, however many connections there are.",
          "error": "limit.staged"
        }
      ],
      "features": [
        {"name": "credit", "since": 1, "summary": "Calls may have `credit`; `more` adds to it."},
        {
          "name": "int64", "since": 1,
          "summary": "The option int64:\"string\" makes every int64 of a row a string, `$id` and `$version` included."
        },
        {
          "name": "containers", "since": 1,
          "summary": "Hello and calls may have `container`; the operations `container.open`, `container.close` and `container.list`."
        },
        {
          "name": "pins", "since": 1,
          "summary": "The operations `pin` and `unpin`; reads may have `pin`."
        },
        {
          "name": "staging", "since": 1,
          "summary": "The operation `stage`; `save` may have `staged` and `runs`."
        }
      ]
    """#
}
