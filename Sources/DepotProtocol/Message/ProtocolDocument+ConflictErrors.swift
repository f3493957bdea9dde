extension ProtocolDocument {
  /// The errors of class `conflict`.
  static let conflictErrors = #"""
            {
              "code": "conflict.unique", "class": "conflict",
              "meaning": "Another row has the same value in a unique attribute.",
              "retry": "after_refetch", "effect": "none", "exitStatus": 1, "connection": "stays",
              "details": ["entity", "attribute", "conflicts", "more"],
              "example": {
                "code": "conflict.unique", "message": "Another Package has this name.",
                "retry": "after_refetch", "effect": "none"
              }
            },
            {
              "code": "conflict.merge", "class": "conflict",
              "meaning": "Others have changed or deleted rows of the save since they were read.",
              "retry": "after_refetch", "effect": "none", "exitStatus": 1, "connection": "stays",
              "details": ["conflicts", "more"],
              "example": {
                "code": "conflict.merge", "message": "Package/7 was changed since it was read.",
                "hint": "Merge the changes and save again with the store's version, or choose a policy.",
                "at": "/args/update/0/rows/0", "retry": "after_refetch", "effect": "none"
              }
            },
            {
              "code": "conflict.read", "class": "conflict",
              "meaning": "Others have changed or deleted rows that the save relies on.",
              "retry": "after_refetch", "effect": "none", "exitStatus": 1, "connection": "stays",
              "details": ["conflicts", "more"],
              "example": {
                "code": "conflict.read", "message": "Package/7 was changed since it was read.",
                "hint": "Read the rows again and decide anew.", "at": "/args/read/0/ids/0",
                "retry": "after_refetch", "effect": "none"
              }
            },
            {
              "code": "conflict.key_reused", "class": "conflict",
              "meaning": "The idempotency key was used for another request.", "retry": "after_refetch",
              "effect": "none", "exitStatus": 1, "connection": "stays",
              "example": {
                "code": "conflict.key_reused", "message": "The key \"a1\" belongs to another request.",
                "retry": "after_refetch", "effect": "none"
              }
            },
            {
              "code": "conflict.container", "class": "conflict",
              "meaning": "A container of this name is open with other stores.", "retry": "after_refetch",
              "effect": "none", "exitStatus": 1, "connection": "stays",
              "example": {
                "code": "conflict.container", "message": "The container \"shop\" is open with other stores.",
                "retry": "after_refetch", "effect": "none"
              }
            },
    """#
}
