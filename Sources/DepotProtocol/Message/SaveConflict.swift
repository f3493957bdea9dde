/// A row of a save that others have changed since the client read it, or that clashes with another.
@Memberwise("kind")
public struct SaveConflict: Hashable, Sendable {
  public var kind: Kind
  /// The entity that the request names.
  public var entity: String
  /// The row of the request; for an inserted row, the stored row with the same unique values.
  public var identifier: Int64
  /// The JSON pointer to the row, or its identifier, in the request.
  public var pointer: String
  /// The version that the client has read.
  public var baseVersion: Int64?
  /// The version that the row has; `nil` if it is deleted.
  public var storeVersion: Int64?
  /// The stored row with the same unique values.
  public var existing: Int64?
  /// The properties that both sides have changed, in the order of the request.
  ///
  /// For ``Kind/unique`` they are the properties that must be unique.
  public var properties: [String] = []
  /// The values that the client has read.
  public var base: [String: JSONValue] = [:]
  /// The values of the store.
  public var store: [String: JSONValue] = [:]
  /// The values that the client wants.
  public var client: [String: JSONValue] = [:]
  /// The last changes of properties since the client read the row, as far as the history is kept.
  public var changedBy: [String: Origin] = [:]
  /// The policy's decision; `nil` if the save was refused.
  public var decision: Decision?

  /// The kind of conflict.
  public enum Kind: String, Hashable, Sendable {
    /// Both sides changed the row.
    case update
    /// The client changed a row that was deleted.
    case updateOfDeleted
    /// The client deletes a row that was changed.
    case deleteOfUpdated
    /// A stored row has unique values that the client wants for another row.
    case unique
    /// A row that the client has only read was changed or deleted.
    case read
  }

  /// The values that were stored.
  public enum Decision: String, Hashable, Sendable {
    /// The values that the client wants.
    case client
    /// The values that the store had.
    case store
    /// Some of each.
    case merged
    /// The client's changes to the row were dropped.
    case dropped
    /// The deleted row was inserted again, with the client's values.
    case recreated
  }

  /// The transaction that made a change.
  @Memberwise
  public struct Origin: Hashable, Sendable {
    public var token: String
    /// The time of the transaction, in the form of stored dates.
    public var at: String?
    public var author: String?
    public var process: String?
  }
}

extension SaveConflict {
  /// Reads a conflict of a reply or an error, ignoring unknown members.
  ///
  /// - Returns: `nil` if its kind is unknown or a required member is missing.
  public init?(_ value: JSONValue) {
    guard let kind = value["kind"]?.string.flatMap(Kind.init),
      let entity = value["entity"]?.string, let identifier = value["id"]?.int64
    else { return nil }
    self.init(kind, entity: entity, identifier: identifier, pointer: value["at"]?.string ?? "")
    baseVersion = value["baseVersion"]?.int64
    storeVersion = value["storeVersion"]?.int64
    existing = value["existing"]?.int64
    properties = value["properties"]?.array?.compactMap(\.string) ?? []
    base = value["base"]?.object ?? [:]
    store = value["store"]?.object ?? [:]
    client = value["client"]?.object ?? [:]
    for (name, origin) in value["changedBy"]?.object ?? [:] {
      guard let token = origin["token"]?.string else { continue }
      changedBy[name] = Origin(
        token: token,
        at: origin["at"]?.string,
        author: origin["author"]?.string,
        process: origin["process"]?.string
      )
    }
    decision = value["decision"]?.string.flatMap(Decision.init)
  }

  /// The conflict in the form of replies and errors.
  public var json: JSONValue {
    var members: [String: JSONValue] = [
      "entity": .string(entity), "id": .int64(identifier), "kind": .string(kind.rawValue),
      "at": .string(pointer), "storeVersion": storeVersion.map(JSONValue.int64) ?? .null,
    ]
    members["baseVersion"] = baseVersion.map(JSONValue.int64)
    members["existing"] = existing.map(JSONValue.int64)
    members["decision"] = (decision?.rawValue).map(JSONValue.string)
    if !properties.isEmpty { members["properties"] = .array(properties.map(JSONValue.string)) }
    if !base.isEmpty { members["base"] = .object(base) }
    if !store.isEmpty { members["store"] = .object(store) }
    if !client.isEmpty { members["client"] = .object(client) }
    if !changedBy.isEmpty { members["changedBy"] = .object(changedBy.mapValues(\.json)) }
    return .object(members)
  }
}

extension SaveConflict.Origin {
  fileprivate var json: JSONValue {
    var members: [String: JSONValue] = ["token": .string(token)]
    members["at"] = at.map(JSONValue.string)
    members["author"] = author.map(JSONValue.string)
    members["process"] = process.map(JSONValue.string)
    return .object(members)
  }
}

extension DepotError {
  /// The conflicts listed in the error of a refused save.
  public var conflicts: [SaveConflict] {
    details?["conflicts"]?.array?.compactMap(SaveConflict.init) ?? []
  }
}
