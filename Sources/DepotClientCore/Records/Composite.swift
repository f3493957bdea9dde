public import DepotProtocol

/// A structure that is stored as several attributes under one name, each in a column of its own.
///
/// It is declared like a ``Record``, without an entity. Records list it with
/// `.init(\.home, "home")` and read it with `row.next()`. Predicates can use its properties:
/// `$0.home.city == "Kyiv"`.
public protocol Composite: RowConvertible {}

extension RowReader {
  /// Reads the next values of the row as a composite.
  ///
  /// - Throws: ``DepotError`` `request.type` if a value isn't of its property's type.
  public mutating func next<Content: Composite>(
    _: Content.Type = Content.self
  ) throws(DepotError) -> Content {
    try Content(from: &self)
  }

  /// Reads the next values of the row as a composite that may be missing.
  ///
  /// - Throws: ``DepotError`` `request.type` if a value isn't of its property's type.
  public mutating func next<Content: Composite>(
    _: Content?.Type = Content?.self
  ) throws(DepotError) -> Content? {
    let isPresent: Bool? = try next()
    if isPresent == true { return try Content(from: &self) }
    for _ in Content.attributes.names { _ = try text() }
    return nil
  }
}

extension RowWriter {
  /// Writes the values of a composite.
  public mutating func append(_ content: some Composite) {
    content.write(to: &self)
  }

  /// Writes the values of a composite that may be missing, and whether it is there.
  public mutating func append<Content: Composite>(_ content: Content?) {
    append(content != nil)
    if let content { return content.write(to: &self) }
    for _ in Content.attributes.names { append(Value.null) }
  }
}
