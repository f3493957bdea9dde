/// The versions of a program's models, and the migrations between them.
public protocol SchemaMigrationPlan: SendableMetatype {
  /// The versions, the oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The migrations from each version to the next one.
  static var stages: [MigrationStage] { get }
}
