public import DepotProtocol

/// A new value for an attribute, composite, or relationship, named by its property.
public struct Assignment<Model: Record>: Sendable {
  let keyPath: any PartialKeyPath<Model> & Sendable
  /// The values of the property's columns, by the suffixes of their names.
  fileprivate let values: Result<[(suffix: String, value: Value)], DepotError>

  private init(
    keyPath: any PartialKeyPath<Model> & Sendable,
    values: () throws(DepotError) -> [(suffix: String, value: Value)]
  ) {
    self.keyPath = keyPath
    self.values = Result(catching: values)
  }

  /// Gives the property `keyPath` the value `content`.
  ///
  /// For a to-many relationship, that is the list of all its rows.
  public static func set<Content: AttributeValue>(
    _ keyPath: any KeyPath<Model, Content> & Sendable,
    to content: Content
  ) -> Assignment {
    Assignment(keyPath: keyPath) { [("", content.attributeValue)] }
  }

  /// Gives all parts of the property `keyPath` the values of `content`.
  public static func set<Content: Composite>(
    _ keyPath: any KeyPath<Model, Content> & Sendable,
    to content: Content
  ) -> Assignment {
    Assignment(keyPath: keyPath) { () throws(DepotError) in try parts(of: content, Content.self) }
  }

  /// Gives all parts of the property `keyPath` the values of `content`, or none.
  public static func set<Content: Composite>(
    _ keyPath: any KeyPath<Model, Content?> & Sendable,
    to content: Content?
  ) -> Assignment {
    Assignment(keyPath: keyPath) { () throws(DepotError) in
      [("", .bool(content != nil))] + (try parts(of: content, Content.self))
    }
  }

  /// Adds rows to a to-many relationship and removes rows from it; the others stay.
  ///
  /// - Parameters:
  ///   - keyPath: The property of the relationship.
  ///   - added: The rows to add, which may be there already.
  ///   - removed: The rows to remove, which may be missing.
  ///   - position: Where in an ordered relationship the first row is to be; at the end if `nil`.
  /// - Returns: The change.
  public static func change<Content: Reference>(
    _ keyPath: any KeyPath<Model, [Content]> & Sendable,
    add added: [Content] = [],
    remove removed: [Content] = [],
    at position: Int? = nil
  ) -> Assignment {
    var members: [String: JSONValue] = [:]
    if !added.isEmpty { members["add"] = .array(added.map(\.json)) }
    if !removed.isEmpty { members["remove"] = .array(removed.map(\.json)) }
    if let position { members["at"] = .int64(Int64(position)) }
    let change = Value.json(JSONValue.object(members).text)
    return Assignment(keyPath: keyPath) { [("", change)] }
  }

  private static func parts<Content: Composite>(
    of content: Content?,
    _: Content.Type
  ) throws(DepotError) -> [(suffix: String, value: Value)] {
    guard let content else { return Content.attributes.names.map { (".\($0)", .null) } }
    return zip(Content.attributes.names, try content.texts()).map { (".\($0)", .json($1)) }
  }
}

extension Array {
  /// The names and values of the columns to change.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if a property isn't listed, `request.type` if a value can't be
  ///   encoded.
  func columns<Model>() throws(DepotError) -> (names: [String], values: [Value])
  where Element == Assignment<Model> {
    var columns: (names: [String], values: [Value]) = ([], [])
    for assignment in self {
      let path = try Model.property(assignment.keyPath).path
      let values = try assignment.values.get()
      columns.names += values.map { path + $0.suffix }
      columns.values += values.map(\.value)
    }
    return columns
  }
}

extension Reference {
  /// The identifier, as it is written.
  fileprivate var json: JSONValue {
    if case .int64(let number) = attributeValue { return .int64(number) }
    if case .string(let temporary) = attributeValue { return .string(temporary) }
    return .null
  }
}

extension RowConvertible {
  /// The JSON texts of the values.
  ///
  /// - Throws: ``DepotError`` `request.type` if one of them can't be encoded.
  func texts() throws(DepotError) -> [String] {
    var batch = RowBatch()
    batch.appendRow { write(to: &$0) }
    return try batch.texts()[0].map { String(decoding: $0, as: UTF8.self) }
  }
}
