internal import DepotEngine
internal import DepotProtocol

/// A named set of stores that act as one.
///
/// It lives on the server's thread.
final class Container {
  enum State {
    case opening
    case open
    case closing
    case closed
  }

  let name: String
  /// The stores as they were requested.
  let stores: [ContainerStore]
  let hosts: [StoreHost]
  let placement: StorePlacement
  /// The store, if there is only one.
  let only: StoreHost?
  var state = State.opening
  /// Whether it stays open without users though it has stores in memory.
  var keeps: Bool
  /// The connections that use it.
  var users: Set<Int64> = []
  /// The error that refuses calls for now; `nil` if calls are accepted.
  var interruption: DepotError? { didSet { isInterrupted = interruption != nil } }
  /// Whether there is an ``interruption``, which is much smaller to read.
  private(set) var isInterrupted = false
  /// The custom stage of a migration in progress.
  var migration: RunningMigration?
  /// Whether it shows the store of another container, which nobody may write to meanwhile.
  let isView: Bool
  /// The closures to call when it is open, or couldn't be opened.
  var whenOpen: [(DepotError?) -> Void] = []
  /// The closures to call when it is closed.
  var whenClosed: [() -> Void] = []

  /// The schema of all stores together.
  private(set) var schema = Schema()
  private(set) var fingerprint = ""
  private var holders: [String: StoreHost] = [:]
  private var knownAnswer: [UInt8]?

  init(
    name: String,
    stores: [ContainerStore],
    hosts: [StoreHost],
    keeps: Bool,
    isView: Bool = false
  ) {
    self.isView = isView
    self.name = name
    self.stores = stores
    self.hosts = hosts
    self.keeps = keeps
    only = hosts.count == 1 ? hosts[0] : nil
    placement = StorePlacement(
      hosts.map { StorePlacement.StoreEntities(store: $0.name, entities: $0.entities) }
    )
    if !isView { for host in hosts { host.container = self } }
  }

  /// Whether it has no user left who keeps it open.
  var isAbandoned: Bool {
    state == .open && users.isEmpty && !keeps
      && hosts.contains { $0.configuration.isInMemory }
  }

  /// Whether its only store holds all entities, so that schemas needn't be divided.
  var isUndivided: Bool { only.map { $0.entities == nil } ?? false }

  /// Reads the present schemas of the stores.
  func refresh() {
    holders = [:]
    knownAnswer = nil
    if let only {
      schema = only.catalog.schema
      fingerprint = only.catalog.fingerprint
      return
    }
    schema = Self.union(of: hosts.map(\.catalog.schema))
    fingerprint = schema.fingerprint
    for host in hosts {
      for entity in host.catalog.schema.entities { holders[entity.name] = host }
    }
  }

  /// The reply to `schema.get`, encoded once for each schema.
  var schemaAnswer: [UInt8] {
    if let knownAnswer { return knownAnswer }
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("schema")
      writer.write(schema)
      writer.member("fingerprint", fingerprint)
      writer.member("hashes")
      writer.write(.object(schema.hashes.mapValues(JSONValue.string)))
    }
    knownAnswer = writer.bytes
    return writer.bytes
  }

  /// Returns the schema that several stores have together.
  static func union(of schemas: [Schema]) -> Schema {
    Schema(
      version: schemas.lazy.compactMap(\.version).first,
      entities: schemas.flatMap(\.entities)
    )
  }

  /// Checks that each store holds its own entities only.
  ///
  /// - Throws: ``DepotError`` `schema.invalid`.
  func checkPlacement() throws(DepotError) {
    for (index, host) in hosts.enumerated() {
      try placement.check(host.catalog.schema, of: index)
    }
  }

  /// Returns the store that an operation is about.
  ///
  /// - Throws: ``DepotError`` `schema.unknown_entity`, or `request.usage` if there are several.
  func host(of operation: Operation) throws(DepotError) -> StoreHost {
    if operation.isAboutStore { return try host(named: operation.store) }
    if let only { return only }
    if case .save(let request) = operation { return try host(of: request) }
    guard let entity = operation.entity else { return try hostOfHistory(operation) ?? hosts[0] }
    return try host(of: entity, at: "/args/entity")
  }

  /// Returns the store of a name, which is optional if there is only one store.
  private func host(named name: String?) throws(DepotError) -> StoreHost {
    let names = hosts.map(\.name)
    guard let name else {
      if let only { return only }
      throw DepotError(.usage, "The container \"\(self.name)\" has several stores.")
        .hint("Name one of them: \(names.joined(separator: ", ")).").at("/args")
    }
    if let host = hosts.first(where: { $0.name == name }) { return host }
    throw DepotError(.usage, "The container \"\(self.name)\" has no store \"\(name)\".")
      .hint(Spelling.hint(for: name, in: names) ?? "It has \(names.joined(separator: ", ")).")
      .at("/args/store")
  }

  /// Returns the store whose history an operation is about; `nil` if it isn't about history.
  private func hostOfHistory(_ operation: Operation) throws(DepotError) -> StoreHost? {
    guard operation.isAboutHistory else { return nil }
    guard let token = operation.token else {
      throw DepotError(.usage, "The container has several stores, each with a history of its own.")
        .hint("Name an entity or a token of the store that you mean.").at("/args")
    }
    for host in hosts where host.store.map({ token.isOf(store: $0.storeIdentifier) }) ?? false {
      return host
    }
    throw DepotError(.historyForeign, "The token \(token) is of no store of the container.")
      .at("/args")
  }

  private func host(of entity: String, at place: String) throws(DepotError) -> StoreHost {
    if let host = holders[entity] { return host }
    _ = try DepotError.at(place, try schema.entity(named: entity))
    throw DepotError(.bug, "The entity \"\(entity)\" has no store.")
  }

  private func host(of request: SaveRequest) throws(DepotError) -> StoreHost {
    var result: StoreHost?
    let groups: [(String, [String])] = [
      ("insert", request.inserts.map(\.entity)), ("update", request.updates.map(\.entity)),
      ("delete", request.deletes.map(\.entity)),
    ]
    for (member, entities) in groups {
      for (index, entity) in entities.enumerated() {
        let place = "/args/\(member)/\(index)/entity"
        let host = try host(of: entity, at: place)
        if let result, result !== host {
          throw DepotError(
            .usage,
            "A save can't be stored in two stores at once: \(result.name) and \(host.name)."
          )
          .hint("Send one for each store; \(entity) is in \(host.name).").at(place)
        }
        result = host
      }
    }
    return result ?? hosts[0]
  }
}

extension Operation {
  /// Whether the operation is about a store as a whole.
  var isAboutStore: Bool {
    switch self {
    case .backup, .check, .space, .compact, .removeCopies, .schemaVersions: true
    default: false
    }
  }

  /// The name of the store that the operation is about as a whole.
  var store: String? {
    switch self {
    case .backup(let store), .check(let store), .space(let store), .compact(let store),
      .removeCopies(_, let store), .schemaVersions(_, _, let store):
      store
    default: nil
    }
  }

  /// Whether the operation is about the history of one store.
  fileprivate var isAboutHistory: Bool {
    switch self {
    case .history, .historyStatus, .deleteHistory, .acknowledgeHistory, .forgetConsumer, .undo,
      .redo:
      true
    case .watch(let request): if case .history = request.subject { true } else { false }
    default: false
    }
  }

  /// A token named by the operation.
  fileprivate var token: HistoryToken? {
    switch self {
    case .history(let request):
      if case .token(let token)? = request.since { token } else { request.until }
    case .watch(let request): request.since
    case .deleteHistory(.token(let token)): token
    case .acknowledgeHistory(let position): position.token
    case .undo(let request), .redo(let request):
      if case .token(let token) = request.target { token } else { nil }
    default: nil
    }
  }
}
