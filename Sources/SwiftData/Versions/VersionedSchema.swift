/// The models of one version of a program.
public protocol VersionedSchema: SendableMetatype {
  /// The classes, as they were in this version.
  static var models: [any PersistentModel.Type] { get }
  /// The number of the version; greater than the numbers of all versions before.
  static var versionIdentifier: Schema.Version { get }
}

extension Schema {
  /// Creates the schema of a version of a program.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
  }
}
