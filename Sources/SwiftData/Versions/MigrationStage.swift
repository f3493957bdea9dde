/// The migration from one version of a program's models to the next.
///
/// With several configurations, a stage is carried out for each store by itself, and its contexts have
/// the entities of that store.
// because stages are constants of a plan, and their functions are called by one migration at a time
public enum MigrationStage: @unchecked Sendable {
  /// The change can be inferred from the two versions.
  case lightweight(fromVersion: any VersionedSchema.Type, toVersion: any VersionedSchema.Type)

  /// The program prepares objects of the old version, and completes objects of the new one.
  ///
  /// Both contexts change a copy, which replaces the store at the end: if either throws, the store
  /// is unchanged. New required properties may be missing until `didMigrate` returns.
  case custom(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    willMigrate: ((ModelContext) throws -> Void)?,
    didMigrate: ((ModelContext) throws -> Void)?
  )

  /// The program has objects of both versions at once; Depot's own.
  case transform(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    (_ old: ModelContext, _ new: ModelContext) throws -> Void
  )

  /// Returns a stage with the old objects, for reading, and the new objects.
  ///
  /// The new objects have the same identifiers and all values that could be inferred.
  ///
  /// - Parameters:
  ///   - fromVersion: The old version.
  ///   - toVersion: The new version.
  ///   - migrate: A function that makes the objects of `new` from the objects of `old`, and saves
  ///     `new`. If it throws, the store is unchanged.
  /// - Returns: The stage.
  public static func custom(
    fromVersion: any VersionedSchema.Type,
    toVersion: any VersionedSchema.Type,
    migrate: @escaping (_ old: ModelContext, _ new: ModelContext) throws -> Void
  ) -> MigrationStage {
    .transform(fromVersion: fromVersion, toVersion: toVersion, migrate)
  }
}

extension MigrationStage {
  var fromVersion: any VersionedSchema.Type {
    switch self {
    case .lightweight(let from, _), .custom(let from, _, _, _), .transform(let from, _, _): from
    }
  }

  var toVersion: any VersionedSchema.Type {
    switch self {
    case .lightweight(_, let to), .custom(_, let to, _, _), .transform(_, let to, _): to
    }
  }
}
