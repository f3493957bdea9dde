package import DepotProtocol

/// Compares the versions of a store's schema and the requested schema.
package enum SchemaUpgrade {
  /// Checks that the requested version may follow the store's.
  ///
  /// - Throws: ``DepotError`` `schema.unknown_version` if the store doesn't have the expected
  ///   version, `schema.newer_store` if the store's version is newer.
  package static func check(
    _ old: Schema,
    _ new: Schema,
    from expected: SchemaVersion?
  ) throws(DepotError) {
    let found = old.version?.description ?? "none"
    if let expected, old.version != expected {
      throw DepotError(
        .unknownVersion,
        "The store's schema has version \(found), not \(expected)."
      )
      .hint(
        "Add a stage from the store's version to the plan, or use the store of version \(expected)."
      )
      .at("/args/from")
      .details(["found": .string(found), "expected": .string(expected.description)])
    }
    if let before = old.version, let after = new.version, after < before {
      throw DepotError(
        .newerStore,
        "The store's schema has version \(before), which is newer than \(after)."
      )
      .hint("Use a newer version of the program, or restore a backup of version \(after).")
      .at("/args/schema")
      .details(["found": .string(found), "expected": .string(after.description)])
    }
  }

  /// Returns the steps from one schema to a newer version.
  ///
  /// A schema without a version is older than any with a version.
  static func plan(
    from old: Schema,
    to new: Schema,
    _ comparison: SchemaComparison
  ) throws(DepotError) -> MigrationPlan {
    guard isNewer(new, than: old) else { throw .mismatch(comparison.differences) }
    return MigrationPlan.infer(from: old, to: new)
  }

  /// Whether rows must be migrated, because the new schema isn't only an addition.
  package static func isMigration(from old: Schema, to new: Schema) -> Bool {
    isNewer(new, than: old) && !SchemaComparison(from: old, to: new).differences.isEmpty
  }

  private static func isNewer(_ new: Schema, than old: Schema) -> Bool {
    guard let after = new.version else { return false }
    return old.version.map { $0 < after } ?? true
  }
}
