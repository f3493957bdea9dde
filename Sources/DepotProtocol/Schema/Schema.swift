/// What a store holds: its entities, and the version under which its programs know them.
public struct Schema: Hashable, Sendable {
  /// The version that a program gave it; `nil` if it has none, and is only ever added to.
  public var version: SchemaVersion?
  public var entities: [Entity]

  public init(version: SchemaVersion? = nil, entities: [Entity] = []) {
    self.version = version
    self.entities = entities
  }

  /// The entity named `name`, or `nil`.
  public subscript(name: String) -> Entity? {
    entities.first { $0.name == name }
  }
}
