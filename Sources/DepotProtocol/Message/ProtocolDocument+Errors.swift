extension ProtocolDocument {
  /// The errors.
  static let errors =
    errorClasses + "\n" + errorCodes + "\n" + historyErrors + "\n" + serviceErrors

  private static let errorCodes = #"""
          {
            "code": "protocol.version", "class": "protocol",
            "meaning": "Client and service have no version in common.", "retry": "no",
            "effect": "none", "exitStatus": 76, "connection": "closes", "details": ["min", "max"],
            "example": {
              "code": "protocol.version", "message": "This service speaks protocol 1 to 1.",
              "hint": "Use a client and a service of neighbouring releases.", "retry": "no",
              "effect": "none"
            }
          },
          {
            "code": "protocol.frame", "class": "protocol",
            "meaning": "The bytes are not a frame, or the object is no known frame.", "retry": "no",
            "effect": "none", "exitStatus": 76, "connection": "closes",
            "example": {
              "code": "protocol.frame",
              "message": "This isn't a Depot client: it began with \"GET \".", "retry": "no",
              "effect": "none"
            }
          },
          {
            "code": "protocol.json", "class": "protocol",
            "meaning": "The frame is not acceptable JSON.", "retry": "no", "effect": "none",
            "exitStatus": 76, "connection": "closes", "details": ["offset"],
            "example": {
              "code": "protocol.json",
              "message": "The frame isn't acceptable JSON: the bytes aren't UTF-8, at byte 12.",
              "retry": "no", "effect": "none"
            }
          },
          {
            "code": "protocol.sequence", "class": "protocol",
            "meaning": "An id is not greater than the last one, out of range, or was never used.",
            "retry": "no", "effect": "none", "exitStatus": 76, "connection": "closes",
            "example": {
              "code": "protocol.sequence", "message": "An id is from 1 to 2^53-1, not 0.",
              "retry": "no", "effect": "none"
            }
          },
          {
            "code": "protocol.hello", "class": "protocol",
            "meaning": "Hello is missing, late, repeated, or wrong.", "retry": "no", "effect": "none",
            "exitStatus": 76, "connection": "closes",
            "example": {
              "code": "protocol.hello", "message": "The versions must rise from at least 1.",
              "retry": "no", "effect": "none"
            }
          },
          {
            "code": "request.unknown_op", "class": "request",
            "meaning": "There is no such operation.", "retry": "no", "effect": "none",
            "exitStatus": 64, "connection": "stays",
            "example": {
              "code": "request.unknown_op", "message": "There is no operation \"fetsh\".",
              "hint": "Did you mean \"fetch\"?", "at": "/call", "retry": "no", "effect": "none"
            }
          },
          {
            "code": "request.unknown_member", "class": "request",
            "meaning": "A member is not known there.", "retry": "no", "effect": "none",
            "exitStatus": 64, "connection": "stays",
            "example": {
              "code": "request.unknown_member", "message": "There is no member \"limt\" here.",
              "at": "/args/limt", "retry": "no", "effect": "none"
            }
          },
          {
            "code": "request.missing_member", "class": "request", "meaning": "A member is missing.",
            "retry": "no", "effect": "none", "exitStatus": 64, "connection": "stays",
            "example": {
              "code": "request.missing_member", "message": "The member \"entity\" is missing.",
              "at": "/args", "retry": "no", "effect": "none"
            }
          },
          {
            "code": "request.type", "class": "request", "meaning": "A value has the wrong type.",
            "retry": "no", "effect": "none", "exitStatus": 64, "connection": "stays",
            "details": ["entity", "attribute"],
            "example": {
              "code": "request.type", "message": "Expected a string, found number.",
              "at": "/args/entity", "retry": "no", "effect": "none"
            }
          },
          {
            "code": "request.number_range", "class": "request",
            "meaning": "A number is out of range.", "retry": "no", "effect": "none", "exitStatus": 64,
            "connection": "stays",
            "example": {
              "code": "request.number_range", "message": "The number isn't a 64-bit integer.",
              "retry": "no", "effect": "none"
            }
          },
          {
            "code": "request.duplicate_key", "class": "request",
            "meaning": "An object has a name twice.", "retry": "no", "effect": "none",
            "exitStatus": 64, "connection": "closes", "details": ["offset"],
            "example": {
              "code": "request.duplicate_key",
              "message": "The frame isn't acceptable JSON: the name \"id\" stands twice in one object, at byte 9.",
              "retry": "no", "effect": "none"
            }
          },
          {
            "code": "request.predicate", "class": "request",
            "meaning": "The predicate is not valid; `at` and `hint` tell where and what.",
            "retry": "no", "effect": "none", "exitStatus": 64, "connection": "stays",
            "example": {
              "code": "request.predicate", "message": "There is no operator \"contain\".",
              "hint": "Did you mean \"contains\"?", "at": "/args/where/contain", "retry": "no",
              "effect": "none"
            }
          },
          {
            "code": "request.usage", "class": "request", "meaning": "The members do not go together.",
            "retry": "no", "effect": "none", "exitStatus": 64, "connection": "stays",
            "example": {
              "code": "request.usage",
              "message": "Name the rows by exactly one of \"ids\" and \"where\".", "retry": "no",
              "effect": "none"
            }
          },
          {
            "code": "request.overflow", "class": "request",
            "meaning": "The sum of a group is beyond the numbers of its type.", "retry": "no",
            "effect": "none", "exitStatus": 64, "connection": "stays",
            "example": {
              "code": "request.overflow",
              "message": "The sum total is beyond the numbers of its type.",
              "hint": "Convert the values to double before adding them up.", "retry": "no",
              "effect": "none"
            }
          },
    """#
    + "\n" + enumeratingError + "\n" + #"""
            {
              "code": "schema.unknown_entity", "class": "schema",
              "meaning": "The schema has no such entity.", "retry": "no", "effect": "none",
              "exitStatus": 65, "connection": "stays",
              "example": {
                "code": "schema.unknown_entity", "message": "There is no entity \"Pakage\".",
                "hint": "Did you mean \"Package\"?", "retry": "no", "effect": "none"
              }
            },
            {
              "code": "schema.unknown_attribute", "class": "schema",
              "meaning": "The entity has no such attribute.", "retry": "no", "effect": "none",
              "exitStatus": 65, "connection": "stays", "details": ["didYouMean"],
              "example": {
                "code": "schema.unknown_attribute", "message": "Package has no attribute \"nam\".",
                "hint": "Did you mean \"name\"?", "retry": "no", "effect": "none"
              }
            },
            {
              "code": "schema.invalid", "class": "schema", "meaning": "The schema contradicts itself.",
              "retry": "no", "effect": "none", "exitStatus": 65, "connection": "stays",
              "example": {
                "code": "schema.invalid", "message": "There are two entities named Package.",
                "retry": "no", "effect": "none"
              }
            },
            {
              "code": "schema.mismatch", "class": "schema",
              "meaning": "The store has data that the schema cannot take over without migration.",
              "retry": "no", "effect": "none", "exitStatus": 65, "connection": "stays",
              "details": ["differences"],
              "example": {
                "code": "schema.mismatch",
                "message": "The type of Package.size changes from int64 to string.", "retry": "no",
                "effect": "none"
              }
            },
      """#
    + "\n" + migrationErrors + "\n" + #"""
            {
              "code": "notfound.object", "class": "notfound", "meaning": "No row has this identifier.",
              "retry": "no", "effect": "none", "exitStatus": 1, "connection": "stays",
              "details": ["entity", "missing"],
              "example": {
                "code": "notfound.object", "message": "There is no Package/9.", "retry": "no",
                "effect": "none"
              }
            },
            {
              "code": "notfound.file", "class": "notfound",
              "meaning": "A file or its folder does not exist.",
              "retry": "no", "effect": "none", "exitStatus": 66, "connection": "stays",
              "example": {
                "code": "notfound.file", "message": "There is no file packages.ndjson.", "retry": "no",
                "effect": "none"
              }
            },
            {
              "code": "notfound.container", "class": "notfound",
              "meaning": "No container of this name is open.", "retry": "no",
              "effect": "none", "exitStatus": 1, "connection": "stays",
              "example": {
                "code": "notfound.container", "message": "There is no container \"shop\".",
                "retry": "no", "effect": "none"
              }
            },
            {
              "code": "notfound.staged", "class": "notfound",
              "meaning": "The connection has no such parts of a save, or not so many. A part must be the next one.",
              "retry": "no", "effect": "none", "exitStatus": 1, "connection": "stays",
              "example": {
                "code": "notfound.staged", "message": "Nothing is staged as 7.", "retry": "no",
                "effect": "none"
              }
            },
      \#(conflictErrors)
      \#(constraintErrors)
            {
              "code": "limit.frame_bytes", "class": "limit",
              "meaning": "The frame is too large; up to skippedFrameBytes it is skipped and the connection stays.",
              "retry": "no", "effect": "none", "exitStatus": 75, "connection": "stays",
              "details": ["bytes", "limit"],
              "example": {
                "code": "limit.frame_bytes",
                "message": "A frame of 17000000 bytes is over the limit of 16777216.",
                "hint": "Send fewer rows in a frame.", "retry": "no", "effect": "none"
              }
            },
            {
              "code": "limit.values", "class": "limit",
              "meaning": "The frame has too many JSON values.", "retry": "no", "effect": "none",
              "exitStatus": 75, "connection": "closes", "details": ["offset"],
              "example": {
                "code": "limit.values",
                "message": "The frame isn't acceptable JSON: there are more than 1000000 values, at byte 2000001.",
                "retry": "no", "effect": "none"
              }
            },
            {
              "code": "limit.depth", "class": "limit", "meaning": "JSON is nested too deep.",
              "retry": "no", "effect": "none", "exitStatus": 75, "connection": "closes",
              "details": ["offset"],
              "example": {
                "code": "limit.depth",
                "message": "The frame isn't acceptable JSON: values are nested deeper than 64, at byte 65.",
                "retry": "no", "effect": "none"
              }
            },
            {
              "code": "limit.value_bytes", "class": "limit",
              "meaning": "A string or blob is too large.", "retry": "no", "effect": "none",
              "exitStatus": 75, "connection": "stays", "details": ["entity", "attribute"],
              "example": {
                "code": "limit.value_bytes",
                "message": "A value of 9000000 bytes is over the limit of 8388608.", "retry": "no",
                "effect": "none"
              }
            },
            {
              "code": "limit.rows", "class": "limit", "meaning": "A call names too many rows.",
              "retry": "no", "effect": "none", "exitStatus": 75, "connection": "stays",
              "example": {
                "code": "limit.rows",
                "message": "10001 rows are over the limit of 10000 for one request.",
                "hint": "Send them in several requests.", "retry": "no", "effect": "none"
              }
            },
            {
              "code": "limit.predicate", "class": "limit",
              "meaning": "The predicate is too large or too deep.", "retry": "no", "effect": "none",
              "exitStatus": 75, "connection": "stays",
              "example": {
                "code": "limit.predicate", "message": "The predicate has over 1000 parts or 48 levels.",
                "retry": "no", "effect": "none"
              }
            },
            {
              "code": "limit.in_flight", "class": "limit",
              "meaning": "Too many calls of the connection wait for their answer.", "retry": "later",
              "effect": "none", "exitStatus": 75, "connection": "stays",
              "example": {
                "code": "limit.in_flight", "message": "64 calls are waiting.", "retry": "later",
                "effect": "none"
              }
            },
            {
              "code": "limit.streams", "class": "limit",
              "meaning": "Too many streams of the connection are open.", "retry": "later",
              "effect": "none", "exitStatus": 75, "connection": "stays",
              "example": {
                "code": "limit.streams", "message": "32 streams are open.", "retry": "later",
                "effect": "none"
              }
            },
            {
              "code": "limit.watches", "class": "limit",
              "meaning": "The connection watches too many queries.", "retry": "later",
              "effect": "none", "exitStatus": 75, "connection": "stays",
              "example": {
                "code": "limit.watches", "message": "64 queries are watched already.",
                "retry": "later", "effect": "none"
              }
            },
            {
              "code": "limit.watch_rows", "class": "limit",
              "meaning": "A query has too many rows to be watched.", "retry": "no",
              "effect": "none", "exitStatus": 75, "connection": "stays",
              "example": {
                "code": "limit.watch_rows",
                "message": "The query has more than 100000 rows, too many to be watched.",
                "retry": "no", "effect": "none"
              }
            },
            {
              "code": "limit.connections", "class": "limit",
              "meaning": "Too many connections are open.", "retry": "no", "effect": "none",
              "exitStatus": 75, "connection": "closes",
              "example": {
                "code": "limit.connections", "message": "256 connections are open.", "retry": "no",
                "effect": "none"
              }
            },
            {
              "code": "limit.outbound_bytes", "class": "limit",
              "meaning": "The client does not read its answers.", "retry": "no", "effect": "none",
              "exitStatus": 75, "connection": "closes",
              "example": {
                "code": "limit.outbound_bytes", "message": "67108864 bytes wait for the client.",
                "retry": "no", "effect": "none"
              }
            },
            {
              "code": "limit.stores", "class": "limit",
              "meaning": "Too many stores are open.", "retry": "later",
              "effect": "none", "exitStatus": 75, "connection": "stays",
              "example": {
                "code": "limit.stores", "message": "32 stores are open already.",
                "retry": "later", "effect": "none"
              }
            },
            {
              "code": "limit.pins", "class": "limit",
              "meaning": "The connection, or all connections together, have too many pins.",
              "retry": "later", "effect": "none", "exitStatus": 75, "connection": "stays",
              "example": {
                "code": "limit.pins", "message": "8 pins are held on this connection.",
                "retry": "later", "effect": "none"
              }
            },
            {
              "code": "limit.staged", "class": "limit",
              "meaning": "The connection, or all connections together, have staged too much; what was staged for the save is gone.",
              "retry": "later", "effect": "none", "exitStatus": 75, "connection": "stays",
              "example": {
                "code": "limit.staged", "message": "A save has at most 1000000 rows.",
                "retry": "later", "effect": "none"
              }
            },
            {
              "code": "deadline.passed", "class": "deadline",
              "meaning": "The deadline passed first. A write was not applied.", "retry": "now",
              "effect": "none", "exitStatus": 75, "connection": "stays",
              "example": {
                "code": "deadline.passed", "message": "The deadline passed before the call was done.",
                "retry": "now", "effect": "none"
              }
            },
            {
              "code": "cancelled.by_client", "class": "cancelled",
              "meaning": "The call was cancelled. A write was not applied.", "retry": "no",
              "effect": "none", "exitStatus": 130, "connection": "stays",
              "example": {
                "code": "cancelled.by_client", "message": "The client cancelled the call.",
                "retry": "no", "effect": "none"
              }
            },
            {
              "code": "stream.expired", "class": "stream",
              "meaning": "A snapshot was given up, so that it doesn't hold back the store: a stream whose client took nothing for too long, a pin that is too old or not this connection's, or either while the log is too long.",
              "retry": "later", "effect": "none", "exitStatus": 75, "connection": "stays",
              "example": {
                "code": "stream.expired", "message": "The client took nothing for 30 seconds.",
                "retry": "later", "effect": "none"
              }
            },
      """#
}
