extension ProtocolDocument {
  /// The codes about the service and its store, the last ones.
  static let serviceErrors = #"""
          {
            "code": "unavailable.draining", "class": "unavailable",
            "meaning": "The service is stopping.", "retry": "later", "effect": "none",
            "exitStatus": 69, "connection": "stays",
            "example": {
              "code": "unavailable.draining", "message": "The service is stopping.", "retry": "later",
              "effect": "none"
            }
          },
          {
            "code": "unavailable.busy", "class": "unavailable",
            "meaning": "The service has too much to do.", "retry": "later", "effect": "none",
            "exitStatus": 69, "connection": "stays",
            "example": {
              "code": "unavailable.busy", "message": "The service is busy.", "retry": "later",
              "effect": "none"
            }
          },
          {
            "code": "unavailable.readonly", "class": "unavailable",
            "meaning": "The store cannot be written now.", "retry": "no", "effect": "none",
            "exitStatus": 69, "connection": "stays",
            "example": {
              "code": "unavailable.readonly", "message": "The store is read-only.", "retry": "no",
              "effect": "none"
            }
          },
          {
            "code": "unavailable.migrating", "class": "unavailable",
            "meaning": "The store is being brought to another schema.", "retry": "later",
            "effect": "none", "exitStatus": 69, "connection": "stays",
            "example": {
              "code": "unavailable.migrating", "message": "The store main is being migrated.",
              "retry": "later", "effect": "none"
            }
          },
          {
            "code": "unavailable.service", "class": "unavailable",
            "meaning": "No service answers; clients report it themselves.", "retry": "later",
            "effect": "none", "exitStatus": 69, "connection": "local",
            "example": {
              "code": "unavailable.service",
              "message": "Nothing answers at /run/user/1000/depot/depot.sock.", "retry": "later",
              "effect": "none"
            }
          },
          {
            "code": "unavailable.disconnected", "class": "unavailable",
            "meaning": "The connection was lost before the answer; clients report it themselves.",
            "retry": "later", "effect": "unknown", "exitStatus": 69, "connection": "local",
            "example": {
              "code": "unavailable.disconnected",
              "message": "The connection closed before the answer came.", "retry": "later",
              "effect": "unknown"
            }
          },
          {
            "code": "permission.peer", "class": "permission", "meaning": "The user may not connect.",
            "retry": "no", "effect": "none", "exitStatus": 77, "connection": "closes",
            "example": {
              "code": "permission.peer", "message": "User 1001 may not connect.", "retry": "no",
              "effect": "none"
            }
          },
          {
            "code": "permission.op", "class": "permission", "meaning": "The user may not do this.",
            "retry": "no", "effect": "none", "exitStatus": 77, "connection": "stays",
            "example": {
              "code": "permission.op", "message": "Only the owner may stop the service.",
              "retry": "no", "effect": "none"
            }
          },
          {
            "code": "storage.full", "class": "storage", "meaning": "The disk is full.",
            "retry": "later", "effect": "none", "exitStatus": 74, "connection": "stays",
            "example": {
              "code": "storage.full", "message": "The disk is full.", "retry": "later",
              "effect": "none"
            }
          },
          {
            "code": "storage.io", "class": "storage",
            "meaning": "Reading or writing the store failed; the outcome of a write is unknown.",
            "retry": "no", "effect": "unknown", "exitStatus": 74, "connection": "stays",
            "example": {
              "code": "storage.io", "message": "The disk reported an error.", "retry": "no",
              "effect": "unknown"
            }
          },
          {
            "code": "storage.corrupt", "class": "storage", "meaning": "The store is damaged.",
            "retry": "no", "effect": "none", "exitStatus": 74, "connection": "stays",
            "example": {
              "code": "storage.corrupt", "message": "A row of Package has the wrong checksum.",
              "retry": "no", "effect": "none"
            }
          },
          {
            "code": "storage.invalid_text", "class": "storage",
            "meaning": "The store holds text that is not UTF-8.", "retry": "no", "effect": "none",
            "exitStatus": 74, "connection": "stays",
            "example": {
              "code": "storage.invalid_text", "message": "Package/9 has a name that is not UTF-8.",
              "retry": "no", "effect": "none"
            }
          },
          {
            "code": "internal.bug", "class": "internal",
            "meaning": "The service failed in a way that nobody planned; the log has the same incident.",
            "retry": "no", "effect": "none", "exitStatus": 70, "connection": "stays",
            "example": {
              "code": "internal.bug", "message": "Something unexpected happened.", "retry": "no",
              "effect": "none"
            }
          }
        ]
      }
    """#
}
