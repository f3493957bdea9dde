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
  /// The numbers that the type holds, if they are whole.
  private let range: String?

  init(_ field: Field) throws(DepotError) {
    path = field.path
    form = ValueForm(field.attribute)
    isOptional = field.attribute.isOptional
    isPresence = field.isPresence
    check = try ValueCheck(field.attribute)
    range = ValueCheck.range(of: field.attribute)
    let element = field.attribute.width?.rawValue ?? field.attribute.type.rawValue
    type = field.attribute.collection.map { "\($0.rawValue) of \(element)" } ?? element
  }

  /// Returns the error that a value isn't of the type.
  func wrongType(_ field: RowField, _ entity: String) -> DepotError {
    let name = "\(entity).\(path)"
    if form == .float, field.double != nil {
      return tooGreat(entity)
    }
    if case .list = form, field.kind == .array {
      return DepotError(.type, "\(name) is of type \(type), and not all of the elements are.")
        .hint(range.map { "Each must be in \($0)." } ?? "Null can't be among them either.")
        .details(details(entity))
    }
    return DepotError(.type, "\(name) is of type \(type), which this \(field.kind) isn't.")
      .hint(range.map { "It must be a whole number in \($0)." } ?? Self.advice(form))
      .details(details(entity))
  }

  /// Returns the error that a number is beyond what a float can be.
  func tooGreat(_ entity: String) -> DepotError {
    let greatest = Float.greatestFiniteMagnitude
    return DepotError(
      .range,
      "\(entity).\(path) is a float, and the value is outside \(-greatest)...\(greatest)."
    ).hint("Give it a smaller value, or make it a double in the schema.").details(details(entity))
  }

  /// How values of a form are written.
  private static func advice(_ form: ValueForm) -> String {
    switch form {
    case .scalar(.date): "Write a time as in \"2001-01-01T00:00:00Z\"."
    case .scalar(.uuid): "Write a string of 32 hexadecimal digits with hyphens."
    case .scalar(.data): "Write a string in base64."
    case .scalar(.decimal): "Write a string of digits, as in \"12.50\"."
    case .scalar(.bool): "Write true or false."
    case .scalar(.string), .scalar(.url): "Write a string."
    case .list: "Write an array."
    case .scalar, .float, .json: "Write a number."
    }
  }

  /// Returns the error that a value is missing.
  func required(_ entity: String) -> DepotError {
    DepotError(.required, "\(entity).\(path) must have a value.")
      .hint("Give it one, or make it optional or give it a default in the schema.")
      .details(details(entity))
  }

  /// Returns the error that a value can't be computed.
  func notComputable(_ entity: String, _ identifier: Int64) -> DepotError {
    DepotError(
      .range,
      "\(entity).\(path) can't be computed for \(entity)/\(identifier): it would be too great, or "
        + "has no result, as a division by 0."
    ).hint("Leave such rows out with a predicate, or say with TERNARY what they get instead.")
      .details(details(entity))
  }

  /// Returns what is wrong with a value that isn't null.
  ///
  /// - Throws: ``DepotError`` if the call is stopped while the value is looked at.
  func problems(
    _ cell: Cell,
    _ entity: String,
    _ control: CallControl
  ) throws(DepotError) -> [DepotError] {
    if cell.byteCount > Limits.valueBytes { return [tooLarge(cell.byteCount, entity)] }
    return try failures(cell, entity, control)
  }

  func tooLarge(_ count: Int, _ entity: String) -> DepotError {
    DepotError(
      .valueTooLarge,
      "The \(count) bytes of \(entity).\(path) are over the limit of \(Limits.valueBytes)."
    ).hint("Store a larger value outside the row, with externalStorage, and write it in parts.")
      .details(details(entity))
  }

  /// Returns the errors that a value, which isn't null, breaks the attribute's rules.
  ///
  /// - Throws: ``DepotError`` if the call is stopped while the value is looked at.
  func failures(
    _ cell: Cell,
    _ entity: String,
    _ control: CallControl
  ) throws(DepotError) -> [DepotError] {
    guard let check else { return [] }
    return try check.failures(cell, control).map {
      DepotError($0.code, "\(entity).\(path) \($0.message).").hint($0.hint)
        .details(details(entity))
    }
  }

  private func details(_ entity: String) -> [String: JSONValue] {
    ["entity": .string(entity), "attribute": .string(path)]
  }
}
