internal import DepotProtocol

/// The rule for reading and checking the values of one field.
struct FieldRule {
  private let entity: String
  let path: String
  let type: String
  let form: ValueForm
  let isOptional: Bool
  /// Whether the field is the presence of an optional composite, where null means absence.
  let isPresence: Bool
  let check: ValueCheck?
  /// The range of the type, if it is an integer type, as text.
  private let range: String?

  init(_ field: Field, of entity: String) throws(DepotError) {
    self.entity = entity
    path = field.path
    form = ValueForm(field.attribute)
    isOptional = field.attribute.isOptional
    isPresence = field.isPresence
    check = try ValueCheck(field.attribute)
    range = ValueCheck.range(of: field.attribute)
    let element = field.attribute.width?.rawValue ?? field.attribute.type.rawValue
    type = field.attribute.collection.map { "\($0.rawValue) of \(element)" } ?? element
  }

  /// Returns the error for a value of another type.
  func wrongType(_ field: RowField) -> DepotError {
    if form == .float, field.kind == .number || field.double != nil { return tooGreat }
    if case .list(let element, _, _) = form, let misfit = CollectionText.misfit(field, element) {
      return error(misfit.code, "is of type \(type), and an element \(misfit.problem)")
        .hint(misfit.hint)
    }
    if case .list = form, field.kind == .array {
      return error(.type, "is of type \(type), and not all of the elements are")
        .hint(range.map { "Each must be in \($0)." } ?? "Null can't be among them either.")
    }
    if let scalar, let misfit = field.misfit(as: scalar) {
      return error(misfit.code, "is of type \(type), and the value \(misfit.problem)")
        .hint(misfit.hint)
    }
    return error(.type, "is of type \(type), which this \(field.kind) isn't")
      .hint(range.map { "It must be a whole number in \($0)." } ?? Self.advice(form))
  }

  /// The error for a number beyond the range of a float.
  var tooGreat: DepotError {
    let greatest = Float.greatestFiniteMagnitude
    return error(.range, "is a float, and the value is outside \(-greatest)...\(greatest)")
      .hint("Give it a smaller value, or make it a double in the schema.")
  }

  /// The type of the value if it is a scalar, so that the message may explain its form.
  private var scalar: AttributeType? {
    switch form {
    case .scalar(let scalar): scalar
    case .json: .json
    case .float, .list: nil
    }
  }

  /// Returns the explanation of a value form.
  private static func advice(_ form: ValueForm) -> String {
    switch form {
    case .scalar(.date): "Write a time as in \"2001-01-01T00:00:00Z\"."
    case .scalar(.uuid): "Write a string of 32 hexadecimal digits with hyphens."
    case .scalar(.data): "Write a string in base64."
    case .scalar(.decimal): "Write a string of digits, as in \"12.50\"."
    case .scalar(.bool): "Write true or false."
    case .scalar(.string): "Write a string."
    case .scalar(.url): "Write a URL, as in \"https://example.org/a\"."
    case .list: "Write an array."
    case .scalar, .float, .json: "Write a number."
    }
  }

  /// The error for a missing value.
  var required: DepotError {
    error(.required, "must have a value")
      .hint("Give it one, or make it optional or give it a default in the schema.")
  }

  /// Returns the error for a value whose computation failed.
  func notComputable(_ identifier: Int64) -> DepotError {
    error(
      .range,
      "can't be computed for \(entity)/\(identifier): it would be too great, or has no result, as "
        + "a division by 0"
    ).hint("Exclude such rows with a predicate, or give them another value with TERNARY.")
  }

  /// Returns the errors of a value that isn't null, with their details.
  func problems(_ cell: Cell, _ control: CallControl) throws(DepotError) -> [DepotError] {
    if cell.byteCount > Limits.valueBytes { return [tooLarge(cell.byteCount)] }
    return try failures(cell, control)
  }

  func tooLarge(_ count: Int) -> DepotError {
    var error = error(.valueTooLarge, "")
    error.message =
      "The \(count) bytes of \(entity).\(path) are over the limit of \(Limits.valueBytes)."
    return
      error
      .hint("Write a larger text or data in parts, with blob.write. Nothing else can be larger.")
  }

  /// Returns the errors if a value that isn't null breaks the attribute's rules.
  func failures(_ cell: Cell, _ control: CallControl) throws(DepotError) -> [DepotError] {
    try check?.failures(cell, control).map { error($0.code, $0.message).hint($0.hint) } ?? []
  }

  /// Returns an error about the attribute; `message` is the rest of the sentence after its name.
  private func error(_ code: DepotError.Code, _ message: String) -> DepotError {
    DepotError(code, "\(entity).\(path) \(message).")
      .details(entity: entity, attribute: path)
  }
}
