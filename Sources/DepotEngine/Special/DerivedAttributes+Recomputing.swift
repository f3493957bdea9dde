internal import DepotProtocol
internal import DepotSQLite

extension DerivedAttributes {
  /// Computes derived attributes for all rows that exist, whose versions stay.
  ///
  /// - Parameters:
  ///   - isMeant: Which of them, by the entity that declares them and their path; all if `nil`.
  ///   - catalog: The schema whose tables there are now.
  /// - Throws: ``DepotError`` if one can't have its value; ``SQLiteError``.
  static func recompute(
    _ isMeant: ((_ entity: String, _ path: String) -> Bool)? = nil,
    of catalog: Catalog,
    on connection: Connection
  ) throws {
    var keys: Set<String> = []
    for entity in catalog.schema.entities {
      for field in catalog.schema.fields(of: entity)
      where field.owner == entity.name && field.attribute.derivation != nil {
        if isMeant?(entity.name, field.path) ?? true { keys.insert("\(entity.name).\(field.path)") }
      }
    }
    guard !keys.isEmpty else { return }
    connection.forgetStatements()
    let derived = try DerivedAttributes(catalog, on: connection)
    try derived.markAll(keys)
    let entities = EntityWriters(catalog, on: connection, ceilings: [:])
    try derived.refresh(entities, step: { _, _ in 0 }) { throw $0 }
  }
}
