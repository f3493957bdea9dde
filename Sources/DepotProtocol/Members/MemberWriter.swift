extension JSONWriter: MemberCoder {
  static var isReader: Bool { false }

  /// Writes an object.
  mutating func object<Content: MemberObject>(_ content: Content) {
    var content = content
    raw("{")
    content.members(&self)
    raw("}")
  }

  mutating func required<Content: MemberValue>(_ name: StaticString, _ value: inout Content) {
    member(name)
    value.write(to: &self)
  }

  mutating func optional<Content: MemberValue>(_ name: StaticString, _ value: inout Content?) {
    guard let value else { return }
    member(name)
    value.write(to: &self)
  }

  mutating func value<Content: MemberValue & Equatable>(
    _ name: StaticString,
    _ value: inout Content,
    default other: Content,
    isAlwaysWritten: Bool
  ) {
    guard isAlwaysWritten || value != other else { return }
    member(name)
    value.write(to: &self)
  }

  mutating func number(_ name: StaticString, _ value: inout Int?, in range: ClosedRange<Int>) {
    optional(name, &value)
  }

  mutating func variables() {}

  mutating func check(_ check: (JSONNode) throws(DepotError) -> Void) {}

  mutating func custom(
    read: (inout RequestReader) throws(DepotError) -> Void,
    write: (inout JSONWriter) -> Void
  ) {
    write(&self)
  }

  /// Writes a list, unless it is empty.
  mutating func list<Element>(
    _ name: StaticString,
    _ elements: [Element],
    _ write: (inout JSONWriter, Element) -> Void
  ) {
    guard !elements.isEmpty else { return }
    member(name)
    array(elements, write)
  }

  /// Writes an expression in the JSON form, as a string would be parsed as the format language.
  mutating func expression(_ expression: QueryExpression) {
    if case .value(.string) = expression {
      raw("{\"value\":")
      write(expression)
      raw("}")
    } else {
      write(expression)
    }
  }
}
