internal import DepotProtocol

/// The result of opening a container.
public struct OpenedContainer: Hashable, Sendable {
  /// Whether this call opened it; `false` if it was open already.
  public var isNew: Bool
  /// A sentence for each change of the schema.
  public var changes: [String]
  /// The fingerprint of the schema of all stores together.
  public var fingerprint: String
  public var stores: [OpenStore]
}

/// A container that is open.
public struct OpenContainer: Hashable, Sendable {
  public var name: String
  /// How many connections use it.
  public var users: Int
  /// Whether it stays open without users.
  public var keeps: Bool
  public var stores: [OpenStore]
}

/// A store that is open.
public struct OpenStore: Hashable, Sendable {
  public var name: String
  /// The path of its file, or the address of its database; `nil` for a store in memory.
  public var path: String?
  public var isReadOnly: Bool
  public var entities: [String]
  /// The size of its files; for a store in a database, the size of the service's copy.
  public var bytes: Int
  /// The identifier, which no other store has.
  public var identifier: String
  /// The fingerprint of its schema.
  public var fingerprint: String
}

extension OpenedContainer {
  init(_ node: JSONNode) throws(DepotError) {
    let value = try JSONValue(node)
    isNew = value["opened"]?.bool ?? false
    changes = value["changes"]?.array?.compactMap(\.string) ?? []
    fingerprint = value["schema"]?.string ?? ""
    stores = value["stores"]?.array?.map(OpenStore.init) ?? []
  }
}

extension OpenContainer {
  static func list(_ node: JSONNode) throws(DepotError) -> [OpenContainer] {
    try JSONValue(node)["containers"]?.array?.map(OpenContainer.init) ?? []
  }

  private init(_ value: JSONValue) {
    name = value["name"]?.string ?? ""
    users = Int(value["users"]?.int64 ?? 0)
    keeps = value["keep"]?.bool ?? false
    stores = value["stores"]?.array?.map(OpenStore.init) ?? []
  }
}

extension OpenStore {
  fileprivate init(_ value: JSONValue) {
    name = value["name"]?.string ?? ""
    path = value["path"]?.string
    isReadOnly = value["readOnly"]?.bool ?? false
    entities = value["entities"]?.array?.compactMap(\.string) ?? []
    bytes = Int(value["bytes"]?.int64 ?? 0)
    identifier = value["uuid"]?.string ?? ""
    fingerprint = value["schema"]?.string ?? ""
  }
}
