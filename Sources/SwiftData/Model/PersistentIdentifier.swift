internal import Foundation
internal import Synchronization

/// The identifier of an object in every context and every process.
///
/// A new object has a temporary identifier, which the first save replaces. An identifier is equal
/// to its encoded and decoded copies.
public struct PersistentIdentifier: Hashable, Identifiable, Comparable, Codable, Sendable {
  /// The store and the entity.
  let entity: EntityKey
  let key: Key

  enum Key: Hashable, Sendable, Comparable {
    /// The number of a row of a Depot store.
    case row(Int64)
    /// The number of an object that was never saved.
    case temporary(UInt64)
    /// The primary key of a custom store, as text.
    case custom(String)
  }

  init(_ entity: EntityKey, _ key: Key) {
    self.entity = entity
    self.key = key
  }

  /// The identifier of the object within its entity and store.
  public struct ID: Hashable, Sendable {
    fileprivate let root: EntityKey
    let key: Key

    /// The identifier of the object's store; `nil` until the first save.
    var store: String? { root.store }

    /// The name of the topmost entity of the object's hierarchy.
    var rootName: String { root.name }

    public static func == (left: ID, right: ID) -> Bool {
      left.key == right.key && left.root === right.root
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(key)
      hasher.combine(ObjectIdentifier(root))
    }
  }

  public var id: ID { ID(root: entity.root, key: key) }

  /// The name of the object's entity.
  public var entityName: String { entity.name }

  /// The identifier of the object's store; `nil` until the first save.
  public var storeIdentifier: String? { entity.store }

  /// Whether the object was never saved.
  var isTemporary: Bool {
    if case .temporary = key { return true }
    return false
  }

  /// The number of the row, if it is one of a Depot store.
  var row: Int64? {
    if case .row(let number) = key { return number }
    return nil
  }

  public static func == (left: Self, right: Self) -> Bool {
    left.key == right.key && left.entity.root === right.entity.root
  }

  public func hash(into hasher: inout Hasher) {
    switch key {
    case .row(let number): hasher.combine(number)
    case .temporary(let number): hasher.combine(~number)
    case .custom(let text): hasher.combine(text)
    }
    hasher.combine(ObjectIdentifier(entity.root))
  }

  public static func < (left: Self, right: Self) -> Bool {
    if left.entity.root !== right.entity.root {
      return (left.entity.store ?? "", left.entity.root.name)
        < (right.entity.store ?? "", right.entity.root.name)
    }
    return left.key < right.key
  }
}

extension PersistentIdentifier {
  private static let counter = Atomic<UInt64>(0)

  /// Returns an identifier for an object that was never saved.
  static func temporary(_ entity: EntityKey) -> PersistentIdentifier {
    PersistentIdentifier(
      entity,
      .temporary(counter.wrappingAdd(1, ordering: .relaxed).newValue)
    )
  }

  /// Returns the identifier of an object of a custom store.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store.
  ///   - entityName: The name of the entity.
  ///   - primaryKey: The key of the object within its entity.
  /// - Returns: The identifier, which equals any other of the same three.
  /// - Throws: An `EncodingError` if the key can't be encoded.
  public static func identifier<T: Comparable & CustomStringConvertible & Codable & Hashable>(
    for storeIdentifier: String,
    entityName: String,
    primaryKey: T
  ) throws -> PersistentIdentifier {
    let root = EntityDescription.named(entityName)?.root.name ?? entityName
    let key = EntityKey.of(store: storeIdentifier, entity: entityName, root: root)
    if let number = primaryKey as? Int64 { return PersistentIdentifier(key, .row(number)) }
    if let number = primaryKey as? Int { return PersistentIdentifier(key, .row(Int64(number))) }
    if let text = primaryKey as? String { return PersistentIdentifier(key, .custom(text)) }
    let json = try JSONEncoder().encode(primaryKey)
    return PersistentIdentifier(key, .custom(String(decoding: json, as: UTF8.self)))
  }
}

extension PersistentIdentifier: CustomStringConvertible {
  /// A URI: `x-depot://STORE/Entity/p42`, or `…/t7` for an object that was never saved.
  public var description: String {
    let suffix =
      switch key {
      case .row(let number): "p\(number)"
      case .temporary(let number): "t\(number)"
      case .custom(let text): "k\(text)"
      }
    return "x-depot://\(storeIdentifier ?? "")/\(entityName)/\(suffix)"
  }
}

extension PersistentIdentifier {
  private enum CodingKeys: String, CodingKey {
    case store, entity, root, row, temporary, key
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let name = try container.decode(String.self, forKey: .entity)
    entity = EntityKey.of(
      store: try container.decodeIfPresent(String.self, forKey: .store),
      entity: name,
      root: try container.decodeIfPresent(String.self, forKey: .root) ?? name
    )
    if let number = try container.decodeIfPresent(Int64.self, forKey: .row) {
      key = .row(number)
    } else if let number = try container.decodeIfPresent(UInt64.self, forKey: .temporary) {
      key = .temporary(number)
    } else {
      key = .custom(try container.decode(String.self, forKey: .key))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(entity.store, forKey: .store)
    try container.encode(entity.name, forKey: .entity)
    if entity.root !== entity { try container.encode(entity.root.name, forKey: .root) }
    switch key {
    case .row(let number): try container.encode(number, forKey: .row)
    case .temporary(let number): try container.encode(number, forKey: .temporary)
    case .custom(let text): try container.encode(text, forKey: .key)
    }
  }
}
