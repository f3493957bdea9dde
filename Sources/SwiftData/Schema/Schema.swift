public import Foundation

/// The description of a container's content: the entities of model classes.
public final class Schema: Codable, Sendable {
  /// The version of the current encoding of schemas.
  public static let schemaEncodingVersion = Version(1, 0, 0)

  /// The version of the encoding that this schema was read from.
  public let encodingVersion: Version
  /// The version of the program's models.
  public let version: Version
  /// The entities, including the targets of relationships and the superclasses.
  public let entities: [Entity]
  /// The classes; empty if the schema doesn't come from classes.
  let classes: [Any.Type]
  /// The names of the entities whose classes the program named.
  let listed: [String]
  /// Two classes of the same name; only one of them can be stored.
  let clash: (Any.Type, Any.Type)?

  init(
    _ entities: [Entity],
    classes: [Any.Type] = [],
    clash: (Any.Type, Any.Type)? = nil,
    listed: [String],
    version: Version,
    encodingVersion: Version = schemaEncodingVersion
  ) {
    self.entities = entities
    self.classes = classes
    self.clash = clash
    self.listed = listed
    self.version = version
    self.encodingVersion = encodingVersion
    Entity.link(entities)
  }

  /// Creates a schema without entities.
  public convenience init() { self.init([], listed: [], version: Version(1, 0, 0)) }

  /// Creates a schema of entities that are described without classes.
  public convenience init(_ entities: Entity..., version: Version = Version(1, 0, 0)) {
    self.init(entities, listed: entities.map(\.name), version: version)
  }

  /// The entities by their names.
  public var entitiesByName: [String: Entity] {
    Dictionary(first: entities.map { ($0.name, $0) })
  }

  private enum CodingKeys: String, CodingKey {
    case encodingVersion, version, entities
  }

  /// Reads a schema that was encoded, which has no classes.
  ///
  /// - Throws: A `DecodingError` if it isn't one.
  public convenience init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let entities = try container.decode([Entity].self, forKey: .entities)
    self.init(
      entities,
      listed: entities.map(\.name),
      version: try container.decode(Version.self, forKey: .version),
      encodingVersion: try container.decode(Version.self, forKey: .encodingVersion)
    )
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(encodingVersion, forKey: .encodingVersion)
    try container.encode(version, forKey: .version)
    try container.encode(entities, forKey: .entities)
  }

  /// Writes the schema to a file, as JSON.
  ///
  /// - Throws: Foundation's error if the file can't be written.
  public func save(to url: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: url, options: .atomic)
  }

  /// Reads a schema that ``save(to:)`` wrote.
  ///
  /// - Throws: Foundation's error if the file can't be read or isn't a schema.
  public static func load(from url: URL) throws -> Schema {
    try JSONDecoder().decode(Schema.self, from: Data(contentsOf: url))
  }
}

extension Schema: Hashable {
  public static func == (left: Schema, right: Schema) -> Bool {
    left === right
      || left.version == right.version && Set(left.entities) == Set(right.entities)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(Set(entities.map(\.name)))
  }
}

extension Schema: CustomDebugStringConvertible {
  public var debugDescription: String {
    "Schema \(version): " + entities.map(\.debugDescription).joined(separator: ", ")
  }
}
