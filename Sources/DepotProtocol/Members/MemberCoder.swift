/// A reader or a writer of an object's members.
///
/// A type of the protocol lists its members once, in `members(_:)`: a reader takes each from the object,
/// a writer adds it. A member with its default isn't written.
protocol MemberCoder {
  /// `DepotError` of a reader; a writer never fails.
  associatedtype Failure: Error

  /// Whether the passed variables receive values, instead of being written.
  static var isReader: Bool { get }

  /// Passes a member that must be there.
  mutating func required<Content: MemberValue>(
    _ name: StaticString,
    _ value: inout Content
  ) throws(Failure)

  /// Passes a member that may be missing.
  mutating func optional<Content: MemberValue>(
    _ name: StaticString,
    _ value: inout Content?
  ) throws(Failure)

  /// Passes a member with a default; even one that is always written may be missing when read.
  mutating func value<Content: MemberValue & Equatable>(
    _ name: StaticString,
    _ value: inout Content,
    default other: Content,
    isAlwaysWritten: Bool
  ) throws(Failure)

  /// Passes a whole number in a range.
  mutating func number(
    _ name: StaticString,
    _ value: inout Int?,
    in range: ClosedRange<Int>
  ) throws(Failure)

  /// Passes `bind`; operations with expressions have it, and it must precede the expressions.
  mutating func variables() throws(Failure)

  /// Checks the values that were read; `check` gets the object.
  mutating func check(
    _ check: (JSONNode) throws(DepotError) -> Void
  ) throws(Failure)

  /// Passes members that need code of their own.
  mutating func custom(
    read: (inout RequestReader) throws(DepotError) -> Void,
    write: (inout JSONWriter) -> Void
  ) throws(Failure)
}

/// The value of a member.
protocol MemberValue {
  /// Reads the value of the member `name`.
  init(_ node: JSONNode, member name: StaticString) throws(DepotError)

  func write(to writer: inout JSONWriter)
}

/// An object of the protocol.
protocol MemberObject: MemberValue, MemberElement {
  /// The object before its members are read.
  static var blank: Self { get }

  /// Passes all members to a coder.
  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure)
}

extension MemberObject {
  init(_ node: JSONNode, member name: StaticString) throws(DepotError) {
    self = try RequestReader.object(node)
  }

  static func list(_ node: JSONNode) throws(DepotError) -> [Self] {
    try node.elements().map { (node) throws(DepotError) in try RequestReader.object(node) }
  }

  func write(to writer: inout JSONWriter) { writer.object(self) }
}

/// A member that is one of a few words.
protocol MemberChoice: MemberValue, RawRepresentable<String>, CaseIterable {}

extension MemberChoice {
  init(_ node: JSONNode, member name: StaticString) throws(DepotError) {
    let text = try node.string()
    guard let value = Self(rawValue: text) else {
      let names = Self.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw DepotError(.usage, "\"\(name)\" can't be \(text.quoted).")
        .hint("It is one of \(names).").at(node.pointer)
    }
    self = value
  }

  func write(to writer: inout JSONWriter) { writer.string(rawValue) }
}

/// A choice in a schema; another word makes the schema invalid.
protocol SchemaChoice: MemberChoice {
  /// The name for the kind of choice.
  static var kind: String { get }
}

extension SchemaChoice {
  init(_ node: JSONNode, member name: StaticString) throws(DepotError) {
    let text = try node.string()
    guard let choice = Self(rawValue: text) else {
      let names = Self.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw DepotError(.invalidSchema, "There is no \(Self.kind) \(text.quoted).")
        .hint("There are \(names).").at(node.pointer)
    }
    self = choice
  }
}

extension MemberCoder {
  mutating func value<Content: MemberValue & Equatable>(
    _ name: StaticString,
    _ value: inout Content,
    default other: Content
  ) throws(Failure) {
    try self.value(name, &value, default: other, isAlwaysWritten: false)
  }

  /// Passes the predicate that rows must satisfy.
  mutating func predicate(
    _ name: StaticString,
    _ predicate: inout QueryExpression?
  ) throws(Failure) {
    try custom { (reader) throws(DepotError) in
      predicate = try reader.predicate(name)
    } write: { writer in
      guard let predicate else { return }
      writer.member(name)
      writer.expression(predicate)
    }
  }

  /// Passes keys to sort by: `{"attribute": path}` or `{"key": expression}`.
  mutating func sort(_ keys: inout [SortKey]) throws(Failure) {
    try custom { (reader) throws(DepotError) in
      keys = try reader.sort()
    } write: { writer in
      writer.list("sort", keys) { (writer, key) in
        writer.object { writer in
          if case .attribute(let path) = key.expression {
            writer.member("attribute", path)
          } else {
            writer.member("key")
            writer.expression(key.expression)
          }
          if key.isDescending { writer.member("descending", true) }
          if key.isLocalized { writer.member("localized", true) }
        }
      }
    }
  }
}

// MARK: Values

extension String: MemberValue {
  init(_ node: JSONNode, member name: StaticString) throws(DepotError) { self = try node.string() }

  func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension Bool: MemberValue {
  init(_ node: JSONNode, member name: StaticString) throws(DepotError) { self = try node.bool() }

  func write(to writer: inout JSONWriter) { writer.bool(self) }
}

extension Int64: MemberValue {
  init(_ node: JSONNode, member name: StaticString) throws(DepotError) { self = try node.int64() }

  func write(to writer: inout JSONWriter) { writer.integer(self) }
}

/// A number from 0.
extension Int: MemberValue {
  init(_ node: JSONNode, member name: StaticString) throws(DepotError) {
    self = try JSONObjectReader.int(node, name, in: 0...Int.max)
  }

  func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Array: MemberValue where Element: MemberElement {
  init(_ node: JSONNode, member name: StaticString) throws(DepotError) {
    self = try Element.list(node)
  }

  func write(to writer: inout JSONWriter) { writer.array(self) { $1.write(to: &$0) } }
}

/// An element of an array that is a member.
protocol MemberElement {
  static func list(_ node: JSONNode) throws(DepotError) -> [Self]
  func write(to writer: inout JSONWriter)
}

/// A name; it is normalized.
extension String: MemberElement {
  static func list(_ node: JSONNode) throws(DepotError) -> [String] {
    try node.elements().map { (node) throws(DepotError) in
      NameSyntax.normalized(try node.string())
    }
  }
}

/// An identifier or a version.
extension Int64: MemberElement {
  static func list(_ node: JSONNode) throws(DepotError) -> [Int64] {
    guard node.count <= Limits.rows else { throw .tooManyRows(node.count).at(node.pointer) }
    return try node.elements().map { (node) throws(DepotError) in try node.int64() }
  }
}

/// A constant of an expression.
extension Value: MemberElement {
  static func list(_ node: JSONNode) throws(DepotError) -> [Value] {
    try node.elements().map { (element) throws(DepotError) in
      guard element.kind != .array else { throw element.wrongType("a value") }
      return try Value(constant: element)
    }
  }

  func write(to writer: inout JSONWriter) { writer.constant(self) }
}

extension JSONValue: MemberValue {
  init(_ node: JSONNode, member name: StaticString) throws(DepotError) { try self.init(node) }

  func write(to writer: inout JSONWriter) { writer.write(self) }
}

extension DepotError {
  static func tooManyRows(_ count: Int) -> DepotError {
    DepotError(.tooManyRows, "\(count) rows are over the limit of \(Limits.rows) for one request.")
      .hint("Send them in several requests.")
  }
}
