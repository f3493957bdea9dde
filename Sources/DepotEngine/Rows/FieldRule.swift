internal import DepotProtocol

/// How the values of one field are read from requests and checked.
struct FieldRule {
  let path: String
  let type: String
  let form: ValueForm
  let isOptional: Bool
  /// Whether it says that an optional composite has a value, which null denies.
  let isPresence: Bool
  let check: ValueCheck?

  init(_ field: Field) throws(DepotError) {
    path = field.path
    form = ValueForm(field.attribute)
    isOptional = field.attribute.isOptional
    isPresence = field.isPresence
    check = try ValueCheck(field.attribute)
    let element = field.attribute.width?.rawValue ?? field.attribute.type.rawValue
    type = field.attribute.collection.map { "\($0.rawValue) of \(element)" } ?? element
  }

  /// Returns the error that a value isn't of the type.
  func wrongType(_ field: RowField, _ entity: String) -> DepotError {
    let name = "\(entity).\(path)"
    if form == .float, field.double != nil {
      return DepotError(.range, "\(name) is a float, which can't be as great as that.")
        .details(details(entity))
    }
    if case .list = form, field.kind == .array {
      return DepotError(.type, "\(name) is of type \(type), and not all of the elements are.")
        .details(details(entity))
    }
    return DepotError(.type, "\(name) is of type \(type), which this \(field.kind) isn't.")
      .details(details(entity))
  }

  /// Returns the error that a value is missing.
  func required(_ entity: String) -> DepotError {
    DepotError(.required, "\(entity).\(path) must have a value.")
      .hint("Give it one, or make it optional or give it a default in the schema.")
      .details(details(entity))
  }

  func tooLarge(_ count: Int, _ entity: String) -> DepotError {
    DepotError(
      .valueTooLarge,
      "The \(count) bytes of \(entity).\(path) are over the limit of \(Limits.valueBytes)."
    ).details(details(entity))
  }

  /// Returns the errors that a value, which isn't null, breaks the attribute's rules.
  func failures(_ cell: Cell, _ entity: String) -> [DepotError] {
    (check?.failures(cell) ?? []).map {
      DepotError($0.code, "\(entity).\(path) must \($0.demand).").details(details(entity))
    }
  }

  private func details(_ entity: String) -> [String: JSONValue] {
    ["entity": .string(entity), "attribute": .string(path)]
  }
}
