/// A named set of stores, each with entities of its own, and how to open it.
///
/// Opening it again with the same stores shares it; with other stores it is an error.
@Memberwise("name")
public struct ContainerRequest: Hashable, Sendable {
  public var name: String
  public var stores: [ContainerStore]
  /// The schema to define once the stores are open, divided by their entities.
  ///
  /// If `nil`, the stores keep the schemas that they have.
  public var schema: Schema?
  /// The changes that the definition of the schema may make to the stores.
  public var allows: AllowedSchemaChanges = .loss
  /// Whether a container with stores in memory stays open without users.
  ///
  /// It is open until the service ends. A container without a store in memory stays open anyway.
  public var keeps: Bool = false
}

/// One store of a container.
@Memberwise("location")
public struct ContainerStore: Hashable, Sendable {
  /// The storage of a store.
  public enum Location: Hashable, Sendable {
    /// A file of this name in the service's folder for stores.
    case file(String)
    /// A file at this absolute path, which only the owner of the service may name.
    case path(String)
    /// A PostgreSQL database at this address, `postgresql://USER@HOST/NAME`, which only the owner of the
    /// service may name; others may serve the same store.
    case database(String)
    /// Memory: the store is deleted when its container closes.
    case memory
  }

  public var location: Location
  public var name: String = "main"
  /// Whether nothing may be written to it.
  public var isReadOnly: Bool = false
  /// The entities that it holds; `nil` for all entities that no other store names.
  public var entities: [String]?
}

extension ContainerRequest {
  /// The name of the container that is always open: the service's own store.
  public static let defaultName = "default"

  /// Checks everything that needs no access to a store.
  ///
  /// - Throws: ``DepotError`` `request.usage` about a name, `schema.invalid` about an entity that
  ///   would be in two stores, or in either of two.
  package func validate() throws(DepotError) {
    try Self.validate(name: name, of: "container", at: "/args/name")
    guard name != Self.defaultName else {
      throw DepotError(.usage, "The container \"\(name)\" is always open.")
        .hint("Choose another name.").at("/args/name")
    }
    guard 1...Limits.stores ~= stores.count else {
      throw DepotError(.usage, "A container has 1 to \(Limits.stores) stores.").at("/args/stores")
    }
    var names: Set<String> = []
    var holders: [String: String] = [:]
    var rest: String?
    for (index, store) in stores.enumerated() {
      let place = "/args/stores/\(index)"
      try store.validate(at: place)
      guard names.insert(store.name).inserted else {
        throw DepotError(.usage, "There are two stores named \"\(store.name)\".").at(
          place + "/name"
        )
      }
      guard let entities = store.entities else {
        if let rest {
          throw DepotError(
            .invalidSchema,
            "Both \(rest) and \(store.name) would hold the entities that no store names."
          )
          .hint("Give all stores but one the member \"entities\".").at(place)
        }
        rest = store.name
        continue
      }
      for entity in entities {
        if let other = holders.updateValue(store.name, forKey: entity) {
          throw DepotError(
            .invalidSchema,
            other == store.name
              ? "The store \(other) names the entity \(entity) twice."
              : "The entity \(entity) is in two stores: \(other) and \(store.name)."
          ).at(place + "/entities")
        }
      }
    }
  }

  /// Checks the name of a container or a store.
  fileprivate static func validate(
    name: String,
    of what: String,
    at place: String
  ) throws(DepotError) {
    let isUsable =
      1...Limits.nameBytes ~= name.utf8.count && name.utf8.first != UInt8(ascii: "-")
      && name.utf8.first != UInt8(ascii: ".")
      && name.utf8.allSatisfy { byte in
        byte &- 0x30 < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26
          || [UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains(byte)
      }
    guard isUsable else {
      throw DepotError(.usage, "\(name.quoted) can't be the name of a \(what).")
        .hint("It has letters and digits of ASCII, and \"_\", \"-\" and \".\" behind the first.")
        .at(place)
    }
  }
}

extension ContainerStore {
  /// The endings of the names of files beside a store.
  private static let suffixes = [
    "-wal", "-shm", "-journal", ".lock", ".migrating", ".copying", ".upgrading", ".state",
    ".state.new",
    ".socket",
  ]

  /// Whether a text is the address of a database rather than the path of a file.
  package static func isDatabase(_ text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  fileprivate func validate(at place: String) throws(DepotError) {
    try ContainerRequest.validate(name: name, of: "store", at: place + "/name")
    switch location {
    case .memory:
      guard !isReadOnly else {
        throw DepotError(.usage, "A store in memory that can't be written would stay empty.")
          .at(place + "/readOnly")
      }
    case .file(let file):
      let bytes = Array(file.utf8)
      guard !bytes.contains(UInt8(ascii: "/")), !bytes.contains(0),
        bytes.first != UInt8(ascii: "."),
        1...200 ~= bytes.count
      else {
        throw DepotError(
          .usage,
          "\(file.quoted) isn't the name of a file in the service's folder."
        )
        .hint("It has no slash, no point first, and at most 200 bytes.").at(place + "/file")
      }
      try refuseSuffix(of: file, at: place + "/file")
    case .database(let address):
      guard Self.isDatabase(address), !address.utf8.contains(0) else {
        throw DepotError(.usage, "The address of a database begins with postgresql://.")
          .hint("For example: postgresql://depot@db1,db2/app?target_session_attrs=read-write")
          .at(place + "/database")
      }
    case .path(let path):
      guard path.hasPrefix("/"), !path.hasSuffix("/"), !path.utf8.contains(0) else {
        throw DepotError(.usage, "\(path.quoted) isn't the absolute path of a file.")
          .at(place + "/path")
      }
      try refuseSuffix(of: path, at: place + "/path")
    }
  }

  private func refuseSuffix(of path: String, at place: String) throws(DepotError) {
    for suffix in Self.suffixes where path.hasSuffix(suffix) {
      throw DepotError(.usage, "A store's file can't end in \"\(suffix)\".")
        .hint("Such files belong to other stores.").at(place)
    }
  }
}

extension ContainerRequest: MemberObject {
  static var blank: Self { Self("", stores: []) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.required("name", &name)
    try coder.required("stores", &stores)
    try coder.optional("schema", &schema)
    try coder.value("allow", &allows, default: .loss)
    try coder.value("keep", &keeps, default: false)
    guard Coder.isReader else { return }
    let request = self
    try coder.check { (_) throws(DepotError) in try request.validate() }
  }
}

extension ContainerStore: MemberObject {
  static var blank: Self { Self(.memory) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.value("name", &name, default: "main", isAlwaysWritten: true)
    var isInMemory = !Coder.isReader && location == .memory
    var file: String? = if case .file(let name) = location { name } else { nil }
    var path: String? = if case .path(let path) = location { path } else { nil }
    var database: String? = if case .database(let address) = location { address } else { nil }
    try coder.value("memory", &isInMemory, default: false)
    try coder.optional("file", &file)
    try coder.optional("path", &path)
    try coder.optional("database", &database)
    switch (file, path, database, isInMemory) {
    case (let file?, nil, nil, false): location = .file(file)
    case (nil, let path?, nil, false): location = .path(path)
    case (nil, nil, let address?, false): location = .database(address)
    case (nil, nil, nil, true): location = .memory
    default:
      try coder.check { (node) throws(DepotError) in
        throw DepotError(
          .usage,
          "A store has exactly one of \"file\", \"path\", \"database\" and \"memory\"."
        )
        .at(node.pointer)
      }
    }
    try coder.value("readOnly", &isReadOnly, default: false)
    try coder.optional("entities", &entities)
  }
}
