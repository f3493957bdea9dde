extension ProtocolDocument {
  /// The errors of migrations.
  static let migrationErrors = #"""
          {
            "code": "schema.newer_store", "class": "schema",
            "meaning": "The store's schema has a greater version than the one that is to be defined.",
            "retry": "no", "effect": "none", "exitStatus": 65, "connection": "stays",
            "details": ["found", "expected"],
            "example": {
              "code": "schema.newer_store",
              "message": "The store's schema has version 3.0.0, which is newer than 2.0.0.",
              "retry": "no", "effect": "none"
            }
          },
          {
            "code": "schema.unknown_version", "class": "schema",
            "meaning": "The store's schema has not the version that the request or the plan expects.",
            "retry": "no", "effect": "none", "exitStatus": 65, "connection": "stays",
            "details": ["found", "expected"],
            "example": {
              "code": "schema.unknown_version",
              "message": "The store's schema has version 1.5.0, not 1.0.0.", "at": "/args/from",
              "retry": "no", "effect": "none"
            }
          },
          {
            "code": "schema.rows_in_the_way", "class": "schema",
            "meaning": "Rows break rules of the new schema; up to 100 groups of `duplicates` and 100 `violations` are listed.",
            "retry": "no", "effect": "none", "exitStatus": 65, "connection": "stays",
            "details": ["duplicates", "violations", "count"],
            "example": {
              "code": "schema.rows_in_the_way",
              "message": "Rows are in the way of the new schema. The first: Item/1, Item/2 have the same name.",
              "retry": "no", "effect": "none"
            }
          },
    """#
}
