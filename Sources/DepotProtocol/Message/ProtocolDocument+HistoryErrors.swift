extension ProtocolDocument {
  /// The errors of the history.
  static let historyErrors = #"""
          {
            "code": "history.expired", "class": "history",
            "meaning": "What is wanted of the history isn't kept any more.",
            "retry": "no", "effect": "none", "exitStatus": 1, "connection": "stays",
            "details": ["oldest", "head"],
            "example": {
              "code": "history.expired", "message": "The history after 3f2b8c01-7 isn't kept any more.",
              "retry": "no", "effect": "none"
            }
          },
          {
            "code": "history.foreign", "class": "history",
            "meaning": "A token is of another store, of no transaction, or of the future, as after a restore.",
            "retry": "no", "effect": "none", "exitStatus": 1, "connection": "stays",
            "details": ["oldest", "head"],
            "example": {
              "code": "history.foreign", "message": "The token 00000000-7 is of another store.",
              "retry": "no", "effect": "none"
            }
          },
          {
            "code": "history.no_values", "class": "history",
            "meaning": "The history has not the old values that are needed, by the entity's policy or because they are stored outside their rows.",
            "retry": "no", "effect": "none", "exitStatus": 1, "connection": "stays",
            "details": ["entity", "id", "attribute"],
            "example": {
              "code": "history.no_values", "message": "The history doesn't have the old values of Package/42.",
              "retry": "no", "effect": "none"
            }
          },
          {
            "code": "history.already_undone", "class": "history",
            "meaning": "A transaction was undone before, or done again.",
            "retry": "no", "effect": "none", "exitStatus": 1, "connection": "stays",
            "details": ["token"],
            "example": {
              "code": "history.already_undone", "message": "The transaction 3f2b8c01-1043 was undone before.",
              "retry": "no", "effect": "none"
            }
          },
          {
            "code": "history.nothing", "class": "history",
            "meaning": "There is nothing to undo or to do again.",
            "retry": "no", "effect": "none", "exitStatus": 1, "connection": "stays",
            "example": {
              "code": "history.nothing", "message": "There is nothing to undo.",
              "retry": "no", "effect": "none"
            }
          },
    """#
}
