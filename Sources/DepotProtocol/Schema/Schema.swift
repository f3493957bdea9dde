/// The form of a store's content: its entities, and the version under which its programs know them.
@Memberwise
public struct Schema: Hashable, Sendable {
  /// The version that a program gave it; `nil` if it has none, and is only ever added to.
  public var version: SchemaVersion?
  public var entities: [Entity] = []

  /// The entity named `name`, or `nil`.
  public subscript(name: String) -> Entity? {
    entities.first { $0.name == name }
  }
}
