/// The changes that the definition of a schema may make to a store's rows.
public enum AllowedSchemaChanges: String, Hashable, Sendable, CaseIterable {
  /// Only changes that existing rows and programs don't notice, whichever the version.
  case additions
  /// Also steps that change values of rows without losing any.
  case migration
  /// Also steps that can lose values of rows.
  case loss
}

/// Options for the migration of a store to a newer version of its schema.
@Memberwise
public struct MigrationOptions: Hashable, Sendable {
  /// The version that the store must have before; any if `nil`.
  public var from: SchemaVersion?
  /// Whether the store is copied before rows are changed; only the service's owner may say no.
  public var takesBackup: Bool = true
  /// The changes that may be made; any other is refused before anything is changed.
  public var allows: AllowedSchemaChanges = .loss
}

/// A migration that a program carries out itself, on the old store and a copy with the new schema.
@Memberwise("schema")
public struct MigrationRequest: Hashable, Sendable {
  /// The whole schema of the next version.
  public var schema: Schema
  /// The version that the store must have before; any if `nil`.
  public var from: SchemaVersion?

  /// The suffix of the old store's container name, after the migrating container's name.
  public static let oldSuffix = "@old"
  /// The suffix of the copy's container name, after the migrating container's name.
  public static let newSuffix = "@new"
}

extension MigrationOptions: MemberObject {
  static var blank: Self { Self(from: nil) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.optional("from", &from)
    try coder.value("backup", &takesBackup, default: true)
    try coder.value("allow", &allows, default: .loss)
  }
}

extension AllowedSchemaChanges: MemberChoice {}

extension MigrationRequest: MemberObject {
  static var blank: Self { Self(Schema()) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.required("schema", &schema)
    try coder.optional("from", &from)
  }
}

extension SchemaVersion: MemberValue {
  init(_ node: JSONNode, member name: StaticString) throws(DepotError) {
    let text = try node.string()
    guard let version = SchemaVersion(text) else {
      throw DepotError(.usage, "A version is three numbers as in 1.2.0, not \(text).")
        .at(node.pointer)
    }
    self = version
  }

  func write(to writer: inout JSONWriter) { writer.string(description) }
}
