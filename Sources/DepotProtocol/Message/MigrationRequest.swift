/// How a store is to be brought to a newer version of its schema.
public struct MigrationOptions: Hashable, Sendable {
  /// The version that the store must have before; any if `nil`.
  public var from: SchemaVersion?
  /// Whether the store is copied before rows are changed; only the owner of the service may do
  /// without.
  public var takesBackup: Bool

  public init(from: SchemaVersion? = nil, takesBackup: Bool = true) {
    self.from = from
    self.takesBackup = takesBackup
  }
}

/// A migration that a program carries out itself, while the service keeps the old store and a copy
/// that has the new schema already.
public struct MigrationRequest: Hashable, Sendable {
  /// The whole schema of the next version.
  public var schema: Schema
  /// The version that the store must have before; any if `nil`.
  public var from: SchemaVersion?

  public init(_ schema: Schema, from: SchemaVersion? = nil) {
    self.schema = schema
    self.from = from
  }

  /// What the container of the old store is called behind the name of the one that migrates.
  public static let oldSuffix = "@old"
  /// What the container of the copy is called behind the name of the one that migrates.
  public static let newSuffix = "@new"
}

extension MigrationOptions {
  init(_ reader: inout RequestReader) throws(DepotError) {
    self.init(
      from: try Self.version(&reader),
      takesBackup: try reader.bool("backup", default: true)
    )
  }

  static func version(_ reader: inout RequestReader) throws(DepotError) -> SchemaVersion? {
    guard let node = reader.optional("from") else { return nil }
    let text = try node.string()
    guard let version = SchemaVersion(text) else {
      throw DepotError(.usage, "A version is three numbers as in 1.2.0, not \(text).")
        .at(node.pointer)
    }
    return version
  }
}

extension Operation {
  /// Reads the operations that are about migrations; `nil` if it is none of them.
  static func migration(
    _ name: JSONNode,
    _ reader: inout RequestReader
  ) throws(DepotError) -> Operation? {
    if name.isString("migration.begin") {
      return .beginMigration(
        MigrationRequest(
          try Schema(reader.required("schema")),
          from: try MigrationOptions.version(&reader)
        )
      )
    }
    if name.isString("migration.commit") {
      return .commitMigration(takesBackup: try reader.bool("backup", default: true))
    }
    return nil
  }
}

extension JSONWriter {
  /// Writes the members of the options that aren't their defaults, each behind a comma.
  mutating func write(_ options: MigrationOptions) {
    if let version = options.from {
      raw(",\"from\":")
      string(version.description)
    }
    if !options.takesBackup { raw(",\"backup\":false") }
  }
}
