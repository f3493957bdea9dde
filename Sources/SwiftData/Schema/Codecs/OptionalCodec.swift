internal import DepotProtocol

/// The codec of an optional, whose columns are null if there is no value.
///
/// A composite has a column more, which says whether it is there.
final class OptionalCodec<Wrapped>: AttributeCodec {
  private let codec: AttributeCodec
  private let isComposite: Bool
  private let count: Int

  init(_: Wrapped.Type, _ codec: AttributeCodec) {
    self.codec = codec
    isComposite = codec.attribute.type == .composite
    count = codec.suffixes.count
  }

  override var attribute: Attribute {
    var attribute = codec.attribute
    attribute.isOptional = true
    return attribute
  }

  override var problem: String? { codec.problem }
  override var defaultProblem: (part: String, cause: any Error)? { codec.defaultProblem }
  override var suffixes: [String] { isComposite ? [""] + codec.suffixes : codec.suffixes }
  override var placeholder: Any { Wrapped?.none as Any }
  override var depth: Int { codec.depth }

  override func read(_ row: inout RowReader) throws -> Any {
    if isComposite {
      let isPresent: Bool? = try row.next()
      guard isPresent == true else {
        for _ in 0..<count { _ = try row.text() }
        return Wrapped?.none as Any
      }
    } else if try row.skipNull() {
      return Wrapped?.none as Any
    }
    return (try codec.read(&row) as? Wrapped) as Any
  }

  override func values(_ value: Any) throws -> [Value] {
    guard let value = value as? Wrapped? else {
      throw SwiftDataError.mistyped(value, Wrapped?.self)
    }
    guard let value else {
      let nulls = Array(repeating: Value.null, count: count)
      return isComposite ? [.bool(false)] + nulls : nulls
    }
    let values = try codec.values(value)
    return isComposite ? [.bool(true)] + values : values
  }

  override func extend(_ keyPath: AnyKeyPath) -> [(AnyKeyPath, String)] {
    keyPath.appending(path: Wrapped?.forced).map(codec.extend) ?? []
  }
}
