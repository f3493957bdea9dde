extension ProtocolDocument {
  /// The errors about values that rules forbid.
  static let constraintErrors = #"""
          {
            "code": "constraint.required", "class": "constraint",
            "meaning": "An attribute that is not optional gets no value.", "retry": "no",
            "effect": "none", "exitStatus": 65, "connection": "stays",
            "details": ["entity", "attribute"],
            "example": {
              "code": "constraint.required", "message": "Package.name needs a value.", "retry": "no",
              "effect": "none"
            }
          },
          {
            "code": "constraint.range", "class": "constraint",
            "meaning": "A value is outside what the attribute can hold, or one to compute overflows, is divided by 0, or has no result.",
            "retry": "no",
            "effect": "none", "exitStatus": 65, "connection": "stays",
            "example": {
              "code": "constraint.range", "message": "The value of Package.size is out of range.",
              "retry": "no", "effect": "none"
            }
          },
          {
            "code": "constraint.length", "class": "constraint",
            "meaning": "A text, blob, or collection is shorter or longer than the attribute allows.",
            "retry": "no", "effect": "none", "exitStatus": 65, "connection": "stays",
            "details": ["entity", "attribute"],
            "example": {
              "code": "constraint.length",
              "message": "Package.name must have at least 1 character.", "retry": "no",
              "effect": "none"
            }
          },
          {
            "code": "constraint.pattern", "class": "constraint",
            "meaning": "A text doesn't match the attribute's regular expression.", "retry": "no",
            "effect": "none", "exitStatus": 65, "connection": "stays",
            "details": ["entity", "attribute"],
            "example": {
              "code": "constraint.pattern",
              "message": "Package.name must match the pattern [a-z0-9+.-]+.", "retry": "no",
              "effect": "none"
            }
          },
          {
            "code": "constraint.case", "class": "constraint",
            "meaning": "A value isn't one of the attribute's cases.", "retry": "no",
            "effect": "none", "exitStatus": 65, "connection": "stays",
            "details": ["entity", "attribute"],
            "example": {
              "code": "constraint.case",
              "message": "Package.priority must be one of \"required\", \"optional\".",
              "retry": "no", "effect": "none"
            }
          },
          {
            "code": "constraint.count", "class": "constraint",
            "meaning": "A to-many relationship leads to fewer or more rows than it may when the request is done.",
            "retry": "no", "effect": "none", "exitStatus": 65, "connection": "stays",
            "details": ["entity", "attribute", "id", "count"],
            "example": {
              "code": "constraint.count", "message": "Team/1.members must have at least 2 rows, not 1.",
              "retry": "no", "effect": "none"
            }
          },
          {
            "code": "constraint.reference", "class": "constraint",
            "meaning": "A relationship is to lead to a row that doesn't exist or is of another entity.",
            "retry": "no", "effect": "none", "exitStatus": 65, "connection": "stays",
            "details": ["entity", "attribute"],
            "example": {
              "code": "constraint.reference", "message": "There is no Country/7 for City.country.",
              "retry": "no", "effect": "none"
            }
          },
          {
            "code": "constraint.denied", "class": "constraint",
            "meaning": "A row can't be deleted, because others refer to it that would stay.",
            "retry": "no", "effect": "none", "exitStatus": 65, "connection": "stays",
            "details": ["entity", "attribute", "id", "rows"],
            "example": {
              "code": "constraint.denied",
              "message": "Country/1 can't be deleted: its cities lead to City/3.", "retry": "no",
              "effect": "none"
            }
          },
          {
            "code": "constraint.violations", "class": "constraint",
            "meaning": "Several values break rules; each is listed with what it would have been alone, up to 100.",
            "retry": "no", "effect": "none", "exitStatus": 65, "connection": "stays",
            "details": ["violations", "count"],
            "example": {
              "code": "constraint.violations",
              "message": "2 rules are broken. The first: Package.name must have a value.",
              "retry": "no", "effect": "none"
            }
          },
    """#
}
