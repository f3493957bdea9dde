internal import DepotProtocol

/// What became of a ``Save``.
public struct SaveResult: Hashable, Sendable {
  public var inserted = 0
  public var updated = 0
  /// How many rows were deleted, those that delete rules took along included.
  public var deleted = 0
  /// The identifiers of the rows by their temporary ones, as in `#1`.
  public var identifiers: [String: Int64] = [:]

  /// Returns the permanent identifier of a record that was inserted.
  ///
  /// An identifier that isn't temporary, or is of another save, is returned as it is.
  public subscript<Model>(_ identifier: Identifier<Model>) -> Identifier<Model> {
    guard case .string(let name) = identifier.attributeValue else { return identifier }
    return identifiers[name].map(Identifier.init) ?? identifier
  }
}

extension SaveResult {
  init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    inserted = try reader.optionalInt("inserted") ?? 0
    updated = try reader.optionalInt("updated") ?? 0
    deleted = try reader.optionalInt("deleted") ?? 0
    for (name, identifier) in try reader.optional("ids")?.members() ?? [] {
      identifiers[try name.string()] = try identifier.int64()
    }
  }
}

extension BlockingConnection {
  /// Makes all changes of a save as one transaction that is on disk when this returns.
  ///
  /// - Throws: ``DepotError`` `notfound.object`, `conflict.unique`, and others; then nothing is
  ///   stored.
  @discardableResult
  public func save(_ save: Save, key: String? = nil) throws -> SaveResult {
    try self.save(save.request, key: key)
  }
}

extension Client {
  /// Makes all changes of a save as one transaction that is on disk when this returns.
  ///
  /// - Throws: ``DepotError`` `notfound.object`, `conflict.unique`, and others; then nothing is
  ///   stored.
  @concurrent
  @discardableResult
  public func save(_ save: Save, key: String? = nil) async throws -> SaveResult {
    try await self.save(save.request, key: key)
  }
}
