internal import DepotProtocol
internal import FoundationEssentials

/// The rules for a field's values, besides their type.
struct ValueCheck {
  private let validation: Attribute.Validation
  private let width: NumberWidth?
  private let range: String?
  private let type: AttributeType
  private let isCollection: Bool
  private let cases: Set<SQLiteForm>
  private let pattern: TextPattern?

  /// The stored form of a value, for comparison.
  private enum SQLiteForm: Hashable {
    case integer(Int64)
    case real(Double)
    case bytes([UInt8])
  }

  /// Prepares the rules; `nil` if every value of the type is valid.
  init?(_ attribute: Attribute) throws(DepotError) {
    let hasRange = attribute.width.map { $0 != .float } ?? false
    guard hasRange && attribute.collection == nil || !attribute.validation.isEmpty else {
      return nil
    }
    validation = attribute.validation
    width = attribute.width
    range = Self.range(of: attribute)
    type = attribute.type
    isCollection = attribute.collection != nil
    do throws(PatternFailure) {
      // `map` would lose the error's type.
      pattern =
        if let source = attribute.validation.pattern { try TextPattern(source) } else { nil }
    } catch {
      let message = "The pattern of \(attribute.name) isn't usable: \(error.message)"
      throw DepotError(.invalidSchema, message).hint(error.hint)
    }
    let arena = CellArena()
    cases = Set(attribute.validation.cases.compactMap { Self.form(Cell($0, in: arena)) })
  }

  /// A rule that a value breaks.
  struct Failure {
    var code: DepotError.Code
    /// The rest of the message after the attribute's name.
    var message: String
    var hint: String

    fileprivate init(_ code: DepotError.Code, must demand: String) {
      self.init(code, "must \(demand)")
    }

    fileprivate init(_ code: DepotError.Code, _ message: String) {
      self.code = code
      self.message = message
      hint =
        switch code {
        case .length: "Give it another length, or change minLength or maxLength in the schema."
        case .pattern: "Change the value, or the pattern in the schema."
        case .notACase: "Give it one of the cases, or add the value to them in the schema."
        default: "Give it a value in range, or change its type, min, or max in the schema."
        }
    }
  }

  /// The range of an integer type, as text; `nil` for other types.
  static func range(of attribute: Attribute) -> String? {
    if attribute.width == .uint64 { return "0...\(UInt64.max)" }
    if let range = attribute.width?.range { return "\(range)" }
    return attribute.type == .int64 ? "\(Int64.min)...\(Int64.max)" : nil
  }

  /// Returns all broken rules of a value that isn't null.
  func failures(_ cell: Cell, _ control: CallControl) throws(DepotError) -> [Failure] {
    if !isCollection { return try failures(ofOne: cell, control) + lengthFailures(cell) }
    guard case .text(let text) = cell else { return [] }
    let field = RowField(kind: .array, isComplex: true, bytes: text)
    let elements = CollectionText.read(field, of: type, nil) ?? []
    let arena = CellArena()
    var result = length(elements.count, of: "element")
    for element in elements {
      result += try failures(ofOne: Cell(element, in: arena), control)
      if !result.isEmpty { break }
    }
    return result
  }

  private func failures(
    ofOne cell: Cell,
    _ control: CallControl
  ) throws(DepotError) -> [Failure] {
    var result: [Failure] = []
    if !fits(cell) {
      let name = width?.rawValue ?? "a number"
      result.append(
        Failure(.range, must: "be \(name): \(Self.number(cell)) is outside \(range ?? "")")
      )
    }
    if let minimum = validation.minimum, isOutside(cell, minimum, beyond: <) {
      result.append(Failure(.range, must: "be at least \(minimum.jsonText)"))
    } else if let maximum = validation.maximum, isOutside(cell, maximum, beyond: >) {
      result.append(Failure(.range, must: "be at most \(maximum.jsonText)"))
    }
    if !cases.isEmpty, Self.form(cell).map(cases.contains) == false {
      let names = validation.cases.prefix(8).map(\.jsonText).joined(separator: ", ")
      result.append(Failure(.notACase, must: "be one of \(names)"))
    }
    if let pattern, case .text(let bytes) = cell {
      let isMatch = pattern.matches(bytes) { (try? control.check()) == nil }
      if isMatch == nil { try control.check() }
      if isMatch != true {
        let source = validation.pattern ?? ""
        result.append(Failure(.pattern, must: "match the pattern \(source)"))
      }
    }
    return result
  }

  private func fits(_ cell: Cell) -> Bool {
    switch cell {
    case .integer(let value): width?.range?.contains(value) ?? true
    case .blob(let key) where width == .uint64:
      DecimalKey.decode(key).map { NumberWidth.uint64.holds(.decimal($0)) } ?? false
    default: true
    }
  }

  private func lengthFailures(_ cell: Cell) -> [Failure] {
    guard validation.minLength != nil || validation.maxLength != nil else { return [] }
    switch cell {
    case .text(let bytes):
      return length(String(decoding: bytes, as: UTF8.self).count, of: "character")
    case .blob(let bytes) where type == .data: return length(bytes.count, of: "byte")
    default: return []
    }
  }

  private func length(_ count: Int, of thing: String) -> [Failure] {
    if let least = validation.minLength, count < least {
      return [Failure(.length, must: "have at least \(least.pluralized(thing))")]
    }
    if let most = validation.maxLength, count > most {
      return [Failure(.length, must: "have at most \(most.pluralized(thing))")]
    }
    return []
  }

  /// Whether a number or date is beyond a bound, as NaN is beyond each.
  private func isOutside(_ cell: Cell, _ bound: Value, beyond: (Int, Int) -> Bool) -> Bool {
    let value = StoredValue.decode(cell, as: type)
    return value.isNaN || beyond(value.sortOrder(bound), 0)
  }

  private static func form(_ cell: Cell) -> SQLiteForm? {
    switch cell {
    case .null: nil
    case .integer(let value): .integer(value)
    case .real(let value): .real(value)
    case .text(let bytes), .blob(let bytes): .bytes(Array(bytes))
    }
  }

  private static func number(_ cell: Cell) -> String {
    switch cell {
    case .integer(let value): "\(value)"
    case .blob(let key): DecimalKey.decode(key)?.description ?? "it"
    default: "it"
    }
  }
}
