extension ProtocolDocument {
  /// The types and the values.
  static let types = #"""
      "types": [
        {
          "name": "Id", "description": "The number of a call.",
          "schema": {
            "anyOf": [
              {"type": "integer", "minimum": 1, "maximum": 9007199254740991},
              {"type": "string", "pattern": "^[0-9]+$"}
            ]
          }
        },
        {
          "name": "Ids", "description": "Identifiers of rows.",
          "schema": {
            "type": "array", "maxItems": 10000,
            "items": {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^[+-]?[0-9]+$"}]}
          }
        },
        {
          "name": "Names",
          "description": "Names of attributes; in replies also `$id` and `$version`.",
          "schema": {"type": "array", "items": {"type": "string"}}
        },
        {
          "name": "Value",
          "description": "A value of an attribute; which form is right depends on its type.",
          "schema": {"type": ["null", "boolean", "number", "string", "array", "object"]}
        },
        {
          "name": "Rows",
          "description": "An array of rows; a row is an array of values in the order of the columns. In replies the first two are the identifier and the version.",
          "schema": {"type": "array", "items": {"type": "array", "items": {"$ref": "#/$defs/Value"}}}
        },
        {
          "name": "Values", "description": "Values by the name of their attribute, at least one.",
          "schema": {
            "type": "object", "minProperties": 1, "additionalProperties": {"$ref": "#/$defs/Value"}
          }
        },
        {
          "name": "SortKeys", "description": "Keys to sort by: each has a path or an expression.",
          "schema": {
            "type": "array",
            "items": {
              "type": "object", "oneOf": [{"required": ["attribute"]}, {"required": ["key"]}],
              "additionalProperties": false,
              "properties": {
                "attribute": {"type": "string"}, "key": {"$ref": "#/$defs/Predicate"},
                "descending": {"type": "boolean", "default": false},
                "localized": {"type": "boolean", "default": false}
              }
            }
          }
        },
        {
          "name": "Predicate",
          "description": "A tree, for a predicate one that is true or false for a row, or a string in the format language of NSPredicate; see `language`.",
          "schema": {"anyOf": [{"$ref": "#/$defs/Expression"}, {"type": "string"}]}
        },
        {
          "name": "Expression",
          "description": "A constant, or an object with one operator; see `operators`. At most 1000 of them in 48 levels, and 100,000 constants in lists.",
          "schema": {
            "anyOf": [
              {"type": ["null", "boolean", "number", "string"]},
              {"type": "object", "minProperties": 1, "maxProperties": 3}
            ]
          }
        },
    \#(schemaTypes),
        {
          "name": "Expressions",
          "description": "Expressions by the path of what they give a value to.",
          "schema": {
            "type": "object", "minProperties": 1,
            "additionalProperties": {"$ref": "#/$defs/Predicate"}
          }
        },
        {
          "name": "Constant",
          "description": "A constant: as JSON has it, or with its type, as a list if that is said.",
          "schema": {
            "anyOf": [
              {"type": ["null", "boolean", "number", "string"]},
              {
                "type": "object", "required": ["value"], "additionalProperties": false,
                "properties": {
                  "value": {}, "type": {"type": "string"},
                  "list": {"type": "boolean", "default": false}
                }
              }
            ]
          }
        },
        {
          "name": "Constants", "description": "Several constants.",
          "schema": {"type": "array", "items": {"$ref": "#/$defs/Constant"}}
        },
        {
          "name": "Bindings",
          "description": "The values of variables by their name; an array of constants is a list.",
          "schema": {
            "type": "object",
            "additionalProperties": {
              "anyOf": [{"$ref": "#/$defs/Constant"}, {"$ref": "#/$defs/Constants"}]
            }
          }
        },
        {
          "name": "GroupKeys", "description": "Paths, or expressions with names.",
          "schema": {
            "type": "array",
            "items": {
              "anyOf": [
                {"type": "string"},
                {
                  "type": "object", "required": ["name", "key"], "additionalProperties": false,
                  "properties": {"name": {"type": "string"}, "key": {"$ref": "#/$defs/Predicate"}}
                }
              ]
            }
          }
        },
        {
          "name": "Aggregates", "description": "What rows come to; only a count needs no `of`.",
          "schema": {
            "type": "array",
            "items": {
              "type": "object", "required": ["name", "aggregate"], "additionalProperties": false,
              "properties": {
                "name": {"type": "string"},
                "aggregate": {
                  "enum": [
                    "count", "countDistinct", "sum", "min", "max", "average", "median", "mode",
                    "stddev"
                  ]
                },
                "of": {"$ref": "#/$defs/Predicate"}
              }
            }
          }
        },
        {
          "name": "Insertions", "description": "Rows of several entities.",
          "schema": {
            "type": "array",
            "items": {
              "type": "object", "required": ["entity", "columns", "rows"],
              "additionalProperties": false,
              "properties": {
                "entity": {"type": "string"}, "columns": {"$ref": "#/$defs/Names"},
                "rows": {"$ref": "#/$defs/Rows"}
              }
            }
          }
        },
        {
          "name": "Changes",
          "description": "Rows of several entities, each with its identifier first; `base` says what they had when they were read.",
          "schema": {
            "type": "array",
            "items": {
              "type": "object", "required": ["entity", "columns", "rows"],
              "additionalProperties": false,
              "properties": {
                "entity": {"type": "string"}, "columns": {"$ref": "#/$defs/Names"},
                "rows": {"$ref": "#/$defs/Rows"},
                "base": {
                  "type": "object", "required": ["columns", "rows"], "additionalProperties": false,
                  "properties": {
                    "columns": {"$ref": "#/$defs/Names"}, "rows": {"$ref": "#/$defs/Rows"}
                  }
                }
              }
            }
          }
        },
        {
          "name": "Deletions",
          "description": "Identifiers of rows of several entities, and perhaps the versions that were read.",
          "schema": {
            "type": "array",
            "items": {
              "type": "object", "required": ["entity", "ids"], "additionalProperties": false,
              "properties": {
                "entity": {"type": "string"}, "ids": {"$ref": "#/$defs/Ids"},
                "versions": {"$ref": "#/$defs/Ids"}
              }
            }
          }
        },
        {
          "name": "Reads",
          "description": "Identifiers of rows of several entities with the versions that were read.",
          "schema": {
            "type": "array",
            "items": {
              "type": "object", "required": ["entity", "ids", "versions"],
              "additionalProperties": false,
              "properties": {
                "entity": {"type": "string"}, "ids": {"$ref": "#/$defs/Ids"},
                "versions": {"$ref": "#/$defs/Ids"}
              }
            }
          }
        },
        {
          "name": "Hello", "description": "What a client offers.",
          "schema": {
            "type": "object", "required": ["protocol"], "additionalProperties": false,
            "properties": {
              "protocol": {
                "type": "array", "description": "The lowest and the highest version.", "minItems": 2,
                "maxItems": 2, "items": {"type": "integer", "minimum": 1}
              },
              "client": {"type": "object", "additionalProperties": {"type": "string"}},
              "options": {
                "type": "object", "additionalProperties": false,
                "properties": {"int64": {"enum": ["number", "string"], "default": "number"}}
              },
              "want": {"type": "array", "items": {"type": "string"}},
              "container": {
                "type": "string", "default": "default",
                "description": "The container of the calls that name none; it need not be open yet."
              },
              "author": {
                "type": "string",
                "description": "Who the history says makes the changes, 1 to 256 bytes."
              },
              "process": {
                "type": "string",
                "description": "The process as the history tells it, 1 to 256 bytes; if absent, the client's name, a slash, and the number of its process."
              }
            }
          }
        },
        {
          "name": "Welcome", "description": "What a service answers.",
          "schema": {
            "type": "object",
            "required": ["protocol", "server", "connection", "features", "limits", "store"],
            "properties": {
              "protocol": {"type": "integer"},
              "server": {"type": "object", "required": ["name", "version", "instance", "pid"]},
              "connection": {"type": "integer"},
              "features": {"type": "array", "items": {"type": "string"}},
              "limits": {"type": "object", "additionalProperties": {"type": "integer"}},
              "store": {
                "description": "The container's store, its first if it has several; null if the container is not open.",
                "anyOf": [{"type": "object", "required": ["uuid", "schema"]}, {"type": "null"}]
              },
              "container": {"type": "string", "description": "As in hello."}
            }
          }
        },
        {
          "name": "Stores", "description": "The stores of a container, by name.",
          "schema": {
            "type": "array", "minItems": 1, "maxItems": 32,
            "items": {
              "type": "object", "additionalProperties": false,
              "properties": {
                "name": {"type": "string", "default": "main"},
                "file": {
                  "type": "string",
                  "description": "The name of a file in the service's folder for stores."
                },
                "path": {
                  "type": "string",
                  "description": "The absolute path of a file; only the owner may name one."
                },
                "memory": {"type": "boolean", "default": false},
                "readOnly": {"type": "boolean", "default": false},
                "entities": {
                  "type": "array", "items": {"type": "string"},
                  "description": "What the store holds; all that no other store names if absent."
                }
              }
            }
          }
        },
        {
          "name": "Error", "description": "Why something failed.",
          "schema": {
            "type": "object", "required": ["code", "message", "retry", "effect"],
            "properties": {
              "code": {"type": "string", "description": "class.reason"},
              "message": {"type": "string"}, "hint": {"type": "string"},
              "at": {"type": "string", "description": "A JSON pointer (RFC 6901) into the frame."},
              "retry": {"enum": ["no", "now", "later", "after_refetch"]},
              "effect": {"enum": ["none", "applied", "partial", "unknown"]},
              "details": {"type": "object"}
            }
          }
        }
      ],
      "values": [
        {
          "type": "string", "wire": "a string; any Unicode text, U+0000 included",
          "accepts": "a string", "example": "naïve"
        },
        {
          "type": "int64", "wire": "a number; a string of digits with the option int64:\"string\"",
          "accepts": "a whole number, a string of digits, 5.0 and 5e0 within ±2^53",
          "example": 9007199254740993
        },
        {
          "type": "double",
          "wire": "a number, as short as round-trips; \"NaN\", \"Infinity\", \"-Infinity\"",
          "accepts": "any number within range, and these three strings", "example": 0.1
        },
        {"type": "bool", "wire": "true or false", "accepts": "true or false", "example": true},
        {
          "type": "date",
          "wire": "RFC 3339 in UTC with 0 to 9 fraction digits, or {\"referenceSeconds\": seconds since 2001-01-01T00:00:00Z} where no such text is exact",
          "accepts": "RFC 3339 with any offset and up to 9 fraction digits, or the other form",
          "example": "2026-03-01T12:00:00.5Z"
        },
        {
          "type": "uuid", "wire": "lower-case text", "accepts": "either case",
          "example": "0b8e4a52-9d5b-4b0e-8a94-5b8f3f0a7c21"
        },
        {
          "type": "data", "wire": "standard base64 with padding",
          "accepts": "both alphabets, padded or not", "example": "3q2+7w=="
        },
        {
          "type": "decimal", "wire": "a string",
          "accepts": "a string or a whole number; up to 38 digits", "example": "12.340"
        },
        {
          "type": "url", "wire": "a string", "accepts": "a string that is a URL",
          "example": "https://example.org/a?b=c"
        },
        {
          "type": "json", "wire": "the JSON value that was stored, without white space",
          "accepts": "any JSON value", "example": {"a": [1, null]}
        }
      ]
    """#
}
