extension ProtocolDocument {
  /// The types and operators.
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
          "name": "SortKeys", "description": "Keys to sort by: an attribute, `$id`, or `$version`.",
          "schema": {
            "type": "array",
            "items": {
              "type": "object", "required": ["attribute"], "additionalProperties": false,
              "properties": {
                "attribute": {"type": "string"}, "descending": {"type": "boolean", "default": false}
              }
            }
          }
        },
        {
          "name": "Predicate",
          "description": "A tree that is true or false for a row, or a string in the format language of NSPredicate.",
          "schema": {"anyOf": [{"$ref": "#/$defs/Expression"}, {"type": "string"}]}
        },
        {
          "name": "Expression",
          "description": "A constant, or an object with one operator; see `operators`.",
          "schema": {
            "anyOf": [
              {"type": ["null", "boolean", "number", "string"]},
              {"type": "object", "minProperties": 1, "maxProperties": 2}
            ]
          }
        },
    \#(schemaTypes),
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
              "want": {"type": "array", "items": {"type": "string"}}
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
              "store": {"type": "object", "required": ["uuid", "schema"]}
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
              "effect": {"enum": ["none", "applied", "unknown"]}, "details": {"type": "object"}
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
      ],
      "operators": [
        {
          "name": "attribute", "form": {"attribute": "name"},
          "meaning": "The value of an attribute, `$id`, or `$version`."
        },
        {
          "name": "value", "form": {"value": "2026-03-01T00:00:00Z", "type": "date"},
          "meaning": "A constant of a named type; other constants are written as they are."
        },
        {
          "name": "now", "form": {"now": true},
          "meaning": "The time at which the service runs the query."
        },
        {
          "name": "==", "form": {"==": ["A", "B"]}, "options": true,
          "meaning": "Equal; null equals null."
        },
        {"name": "!=", "form": {"!=": ["A", "B"]}, "options": true, "meaning": "Not equal."},
        {
          "name": "<", "form": {"<": ["A", "B"]}, "options": true,
          "meaning": "Less; nothing is less or greater than null."
        },
        {"name": "<=", "form": {"<=": ["A", "B"]}, "options": true, "meaning": "Less or equal."},
        {"name": ">", "form": {">": ["A", "B"]}, "options": true, "meaning": "Greater."},
        {"name": ">=", "form": {">=": ["A", "B"]}, "options": true, "meaning": "Greater or equal."},
        {
          "name": "contains", "form": {"contains": ["A", "B"]}, "options": true,
          "meaning": "A holds B."
        },
        {
          "name": "begins", "form": {"begins": ["A", "B"]}, "options": true,
          "meaning": "A begins with B."
        },
        {"name": "ends", "form": {"ends": ["A", "B"]}, "options": true, "meaning": "A ends with B."},
        {
          "name": "like", "form": {"like": ["A", "B"]}, "options": true,
          "meaning": "A fits the pattern B: * is any characters, ? is one, \\ makes them plain."
        },
        {
          "name": "matches", "form": {"matches": ["A", "B"]}, "options": true,
          "meaning": "The regular expression B matches all of A."
        },
        {
          "name": "between", "form": {"between": ["A", "LOW", "HIGH"]},
          "meaning": "A lies between the others, both included."
        },
        {
          "name": "in", "form": {"in": ["A", ["B", "C"]]}, "options": true,
          "meaning": "A equals one of the list."
        },
        {
          "name": "and", "form": {"and": ["A", "B"]},
          "meaning": "All are true; true for an empty list."
        },
        {"name": "or", "form": {"or": ["A", "B"]}, "meaning": "Any is true; false for an empty list."},
        {"name": "not", "form": {"not": "A"}, "meaning": "A is false."},
        {
          "name": "+", "form": {"+": ["A", "B"]},
          "meaning": "Sum. Null, an overflow of whole numbers, and division by zero give null."
        },
        {"name": "-", "form": {"-": ["A", "B"]}, "meaning": "Difference."},
        {"name": "*", "form": {"*": ["A", "B"]}, "meaning": "Product."},
        {
          "name": "/", "form": {"/": ["A", "B"]},
          "meaning": "Quotient; of two whole numbers, rounded towards zero."
        },
        {"name": "negate", "form": {"negate": "A"}, "meaning": "The number with the other sign."}
      ]
    """#
}
