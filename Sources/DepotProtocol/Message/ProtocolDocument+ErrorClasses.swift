extension ProtocolDocument {
  /// The classes of errors, up to where the codes begin.
  static let errorClasses = #"""
      "errors": {
        "classes": [
          {
            "name": "protocol", "exitStatus": 76,
            "meaning": "The bytes or their order break the protocol; the connection closes."
          },
          {
            "name": "request", "exitStatus": 64,
            "meaning": "The call is not understood or not allowed as written."
          },
          {"name": "schema", "exitStatus": 65, "meaning": "The call does not fit the schema."},
          {"name": "notfound", "exitStatus": 1, "meaning": "What is named does not exist."},
          {"name": "conflict", "exitStatus": 1, "meaning": "Other data stands in the way."},
          {"name": "history", "exitStatus": 1, "meaning": "The history has not what is wanted of it."},
          {"name": "constraint", "exitStatus": 65, "meaning": "A value is not allowed there."},
          {"name": "limit", "exitStatus": 75, "meaning": "Something is too large or too many."},
          {"name": "deadline", "exitStatus": 75, "meaning": "The time was not enough."},
          {"name": "cancelled", "exitStatus": 130, "meaning": "The client gave up."},
          {"name": "stream", "exitStatus": 75, "meaning": "A stream can't go on."},
          {"name": "history", "exitStatus": 1, "meaning": "The history doesn't reach that far."},
          {"name": "unavailable", "exitStatus": 69, "meaning": "The service cannot do this now."},
          {"name": "permission", "exitStatus": 77, "meaning": "The user may not do this."},
          {"name": "storage", "exitStatus": 74, "meaning": "The store failed."},
          {"name": "internal", "exitStatus": 70, "meaning": "The service has a bug."}
        ],
        "codes": [
    """#
}
