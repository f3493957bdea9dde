public import DepotProtocol

/// A new value for an attribute, composite, or relationship, named by its property.
public struct Assignment<Model: Record>: Sendable {
  let keyPath: any PartialKeyPath<Model> & Sendable
  /// The values by what follows the name of the property.
  fileprivate let values: [(suffix: String, value: Value)]

  /// Gives the property `keyPath` the value `content`.
  ///
  /// For a to-many relationship, that is the list of all its rows.
  public static func set<Content: AttributeValue>(
    _ keyPath: any KeyPath<Model, Content> & Sendable,
    to content: Content
  ) -> Assignment {
    Assignment(keyPath: keyPath, values: [("", content.attributeValue)])
  }

  /// Gives all parts of the property `keyPath` the values of `content`.
  public static func set<Content: Composite>(
    _ keyPath: any KeyPath<Model, Content> & Sendable,
    to content: Content
  ) -> Assignment {
    Assignment(keyPath: keyPath, values: parts(of: content, Content.self))
  }

  /// Gives all parts of the property `keyPath` the values of `content`, or none.
  public static func set<Content: Composite>(
    _ keyPath: any KeyPath<Model, Content?> & Sendable,
    to content: Content?
  ) -> Assignment {
    let parts = parts(of: content, Content.self)
    return Assignment(keyPath: keyPath, values: [("", .bool(content != nil))] + parts)
  }

  /// Adds rows to a to-many relationship and removes rows from it; the others stay.
  ///
  /// - Parameters:
  ///   - keyPath: The property that stands for the relationship.
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
    return Assignment(keyPath: keyPath, values: [("", .json(JSONValue.object(members).text))])
  }

  private static func parts<Content: Composite>(
    of content: Content?,
    _: Content.Type
  ) -> [(suffix: String, value: Value)] {
    guard let content else { return Content.attributes.names.map { (".\($0)", .null) } }
    return zip(Content.attributes.names, content.texts).map { (".\($0)", .json($1)) }
  }
}

extension Array {
  /// The names and values of the columns to change.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if a property isn't listed.
  func columns<Model>() throws(DepotError) -> (names: [String], values: [Value])
  where Element == Assignment<Model> {
    var columns: (names: [String], values: [Value]) = ([], [])
    for assignment in self {
      let path = try Model.property(assignment.keyPath).path
      columns.names += assignment.values.map { path + $0.suffix }
      columns.values += assignment.values.map(\.value)
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
  var texts: [String] {
    var batch = RowBatch()
    batch.appendRow { write(to: &$0) }
    return ((try? batch.texts().first) ?? []).map { String(decoding: $0, as: UTF8.self) }
  }
}
