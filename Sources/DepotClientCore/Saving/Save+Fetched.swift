public import DepotProtocol

/// Changes of fetched records, which know their versions and earlier values.
///
/// The record lists the properties that hold both:
///
/// ```swift
/// static let attributes: RecordAttributes<City> = [
///   .identifier(\.id), .version(\.version), .init(\.name, "name"), .init(\.population, "population"),
/// ]
/// ```
extension Save {
  /// Gives new values to a record that was fetched, if nobody has changed it since.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if a property isn't listed, `request.usage` if the record
  ///   doesn't list its identifier and version, or wasn't fetched.
  public mutating func update<Model: Record>(
    _ record: Model,
    set assignments: [Assignment<Model>]
  ) throws(DepotError) {
    let (identifier, version) = try record.identity()
    let (columns, values) = try assignments.columns()
    update(record, identifier, version, Array(zip(columns, values)))
  }

  /// Changes a fetched record to another one; only the properties that differ are saved.
  ///
  /// Records that are equal change nothing.
  ///
  /// - Parameters:
  ///   - old: The record as it was fetched.
  ///   - new: The same record with the program's changes; its identifier and version don't matter.
  /// - Throws: ``DepotError`` `request.usage` if the record doesn't list its identifier and version, or
  ///   wasn't fetched; `request.type` if a value can't be encoded.
  public mutating func update<Model: Record>(
    from old: Model,
    to new: Model
  ) throws(DepotError) {
    let (identifier, version) = try old.identity()
    let texts = zip(Model.attributes.names, zip(try old.texts(), try new.texts()))
    let changed = texts.filter { $1.0 != $1.1 }.map { ($0, Value.json($1.1)) }
    if !changed.isEmpty { update(old, identifier, version, changed) }
  }

  private mutating func update<Model: Record>(
    _ record: Model,
    _ identifier: Int64,
    _ version: Int64,
    _ changes: [(String, Value)]
  ) {
    updates.append(
      Model.entity,
      ["$id", "$version"] + changes.map(\.0),
      base: Model.attributes.names
    ) { row in
      row.append(.int64(identifier))
      row.append(.int64(version))
      for (_, value) in changes { row.append(value) }
    } base: { row in
      record.write(to: &row)
    }
  }

  /// Deletes a fetched record, if nobody has changed it since, and applies delete rules.
  ///
  /// - Throws: ``DepotError`` `request.usage` if the record doesn't list its identifier and version, or
  ///   wasn't fetched.
  public mutating func delete<Model: Record>(_ record: Model) throws(DepotError) {
    let (identifier, version) = try record.identity()
    delete(Model.entity, identifier, version)
  }

  /// Makes the save fail with `conflict.read` if a fetched record was changed or deleted since.
  ///
  /// This doesn't depend on the policy.
  ///
  /// - Throws: ``DepotError`` `request.usage` if the record doesn't list its identifier and version, or
  ///   wasn't fetched.
  public mutating func require<Model: Record>(unchanged record: Model) throws(DepotError) {
    let (identifier, version) = try record.identity()
    if let index = reads.firstIndex(where: { $0.entity == Model.entity }) {
      reads[index].identifiers.append(identifier)
      reads[index].versions.append(version)
    } else {
      reads.append(
        SaveRequest.ReadSet(entity: Model.entity, identifiers: [identifier], versions: [version])
      )
    }
  }
}

extension Record {
  /// The row that the record was fetched from.
  fileprivate func identity() throws(DepotError) -> (identifier: Int64, version: Int64) {
    var identifier: Int64?
    var version: Int64?
    for attribute in Self.attributes.all {
      let keyPath: PartialKeyPath<Self> = attribute.keyPath
      switch attribute.content {
      case .identifier: identifier = (self[keyPath: keyPath] as? Identifier<Self>)?.value
      case .version: version = self[keyPath: keyPath] as? Int64
      default: break
      }
    }
    guard let identifier, let version, version > 0 else {
      throw DepotError(.usage, "This \(Self.entity) doesn't say which row and version it was.")
        .hint("List .identifier(…) and .version(…) among the attributes, and fetch the record.")
    }
    return (identifier, version)
  }
}
