/// The structure of a store's content: its entities, and the version that programs know it by.
@Memberwise
public struct Schema: Hashable, Sendable {
  /// The version given by a program; a schema without one can only be extended.
  public var version: SchemaVersion?
  public var entities: [Entity] = []

  /// The entity named `name`, or `nil`.
  public subscript(name: String) -> Entity? {
    entities.first { $0.name == name }
  }
}
