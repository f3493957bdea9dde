extension ProtocolDocument {
  /// The types that describe a schema.
  static let schemaTypes = #"""
        {
          "name": "Paths", "description": "Paths of attributes and to-one relationships.",
          "schema": {"type": "array", "minItems": 1, "items": {"type": "string"}}
        },
        {
          "name": "Schema",
          "description": "Entities with their attributes and relationships. A name has letters, digits and underscores of Unicode, no digit first, in normal form C. Members that say nothing are left out.",
          "schema": {
            "type": "object", "required": ["entities"], "additionalProperties": false,
            "properties": {
              "version": {
                "type": "string", "pattern": "^[0-9]{1,9}[.][0-9]{1,9}[.][0-9]{1,9}$",
                "description": "The version that programs know it by. Without a new one there can only be additions."
              },
              "entities": {"type": "array", "maxItems": 1000, "items": {"$ref": "#/$defs/Entity"}}
            }
          }
        },
        {
          "name": "Entity", "description": "One kind of row.",
          "schema": {
            "type": "object", "required": ["name", "attributes"], "additionalProperties": false,
            "properties": {
              "name": {"type": "string"},
              "parent": {
                "type": "string",
                "description": "The entity whose attributes and relationships it has too; its rows are also rows of the parent."
              },
              "abstract": {
                "type": "boolean", "default": false, "description": "Only its subentities have rows."
              },
              "attributes": {
                "type": "array", "maxItems": 500, "items": {"$ref": "#/$defs/Attribute"}
              },
              "relationships": {
                "type": "array", "maxItems": 500, "items": {"$ref": "#/$defs/Relationship"}
              },
              "indexes": {"type": "array", "items": {"$ref": "#/$defs/Paths"}},
              "rangeIndexes": {
                "type": "array", "items": {"$ref": "#/$defs/Paths"},
                "description": "R-tree indexes of one to five numbers or dates."
              },
              "uniques": {
                "type": "array", "items": {"$ref": "#/$defs/Paths"},
                "description": "What no two rows may have the same values in; null isn't the same as null."
              },
              "originalName": {
                "type": "string", "description": "The name in the version before."
              },
              "hashModifier": {
                "type": "string",
                "description": "What makes its hash another though the schema says the same."
              },
              "history": {
                "enum": ["none", "names", "values"],
                "description": "What the history keeps of the changes of its rows: nothing, the names of changed properties, or old and new values as well. Absent: as its parent, or `values`."
              }
            }
          }
        },
        {
          "name": "Attribute",
          "description": "One value of a row. A composite is several, named by paths as in `home.city`, or is given as an object of them; an optional one has also a truth value of its own name that says whether it is there.",
          "schema": {
            "type": "object", "required": ["name", "type"], "additionalProperties": false,
            "properties": {
              "name": {"type": "string"},
              "type": {
                "enum": [
                  "string", "int64", "double", "bool", "date", "uuid", "data", "decimal", "url",
                  "json", "composite", "int8", "int16", "int32", "uint8", "uint16", "uint32",
                  "uint64", "float"
                ],
                "description": "The widths up to uint32 are int64 in range, uint64 is a decimal, and float a rounded double."
              },
              "collection": {
                "enum": ["array", "set"],
                "description": "The value is an array of values of the type; a set has no value twice and is sorted."
              },
              "properties": {
                "type": "array", "items": {"$ref": "#/$defs/Attribute"},
                "description": "What a composite consists of; up to four may be nested."
              },
              "optional": {"type": "boolean", "default": false}, "default": {"$ref": "#/$defs/Value"},
              "unique": {"type": "boolean", "default": false},
              "indexed": {"type": "boolean", "default": false},
              "min": {"$ref": "#/$defs/Value"}, "max": {"$ref": "#/$defs/Value"},
              "minLength": {
                "type": "integer", "minimum": 0,
                "description": "Characters of a text or URL, bytes of data, or elements of a collection."
              },
              "maxLength": {"type": "integer", "minimum": 0},
              "pattern": {
                "type": "string",
                "description": "A regular expression that a whole text or URL must match."
              },
              "cases": {
                "type": "array", "items": {"$ref": "#/$defs/Value"},
                "description": "The only values that there may be."
              },
              "externalStorage": {
                "type": "boolean", "default": false,
                "description": "The text or data is outside the row, which has its length only: as `{\"$length\": 5}` among all columns, and under the path `image.$length`. Naming the attribute in `select` gives the value, as long as valueBytes allow; `blob.read` and `blob.write` take any size in parts."
              },
              "ephemeral": {
                "type": "boolean", "default": false,
                "description": "Values are checked but not stored; a fetch finds the default."
              },
              "preserveValueOnDeletion": {
                "type": "boolean", "default": false,
                "description": "The history of a deletion keeps the value."
              },
              "spotlight": {
                "type": "boolean", "default": false,
                "description": "The text can be searched for words, with `search`."
              },
              "transient": {
                "type": "boolean", "default": false,
                "description": "The programs' own; the service neither takes nor gives values."
              },
              "derived": {
                "type": "string",
                "description": "The expression in the format language whose value the service keeps here; clients cannot set it. It may follow relationships; a value that changes with another row changes this row's version."
              },
              "originalName": {"type": "string"}, "hashModifier": {"type": "string"}
            }
          }
        },
        {
          "name": "Relationship",
          "description": "What leads from a row to another, or to any number of them. On the wire it is an identifier or null, or an array of identifiers.",
          "schema": {
            "type": "object", "required": ["name", "destination"], "additionalProperties": false,
            "properties": {
              "name": {"type": "string"},
              "destination": {"type": "string", "description": "The entity that it leads to."},
              "toMany": {"type": "boolean", "default": false},
              "inverse": {
                "type": "string",
                "description": "The relationship of the destination that leads back and always agrees; both name each other."
              },
              "optional": {
                "type": "boolean", "default": false,
                "description": "Whether a to-one relationship may lead to nothing."
              },
              "ordered": {
                "type": "boolean", "default": false,
                "description": "Whether the rows of a to-many relationship keep an order."
              },
              "deleteRule": {
                "enum": ["nullify", "cascade", "deny", "noAction"], "default": "nullify",
                "description": "What becomes of the rows that a deleted one leads to."
              },
              "minCount": {"type": "integer", "minimum": 0, "default": 0},
              "maxCount": {
                "type": "integer", "minimum": 0, "default": 0, "description": "0 for any number."
              },
              "originalName": {"type": "string"}, "hashModifier": {"type": "string"}
            }
          }
        }
    """#
}
