/// The versions of a program's models, and how a store gets from each to the next.
public protocol SchemaMigrationPlan: SendableMetatype {
  /// The versions, the oldest first.
  static var schemas: [any VersionedSchema.Type] { get }
  /// The ways from each version to the next one.
  static var stages: [MigrationStage] { get }
}
