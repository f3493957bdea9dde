internal import FoundationEssentials

/// A request of a client, with its arguments.
///
/// Its cases are indirect, since it is copied often, and then only one reference is counted.
@OperationCases
public indirect enum Operation: Hashable, Sendable {
  case ping
  case describe
  case defineSchema(Schema, isDryRun: Bool, MigrationOptions = MigrationOptions())
  case getSchema
  case insert(InsertRequest)
  case get(GetRequest)
  case fetch(FetchRequest)
  case count(CountRequest)
  case update(UpdateRequest)
  case delete(DeleteRequest)
  case explain(ExplainRequest)
  case stats
  case shutdown
  case exists(CountRequest)
  case aggregate(AggregateRequest)
  case save(SaveRequest)
  case openContainer(ContainerRequest)
  case closeContainer(String)
  case listContainers
  case beginMigration(MigrationRequest)
  case commitMigration(takesBackup: Bool)
  case abortMigration
  case readBlob(BlobReadRequest)
  case writeBlob(BlobWriteRequest)
  /// Pin a snapshot for later reads, for a limited number of milliseconds.
  case pin(maxAgeMilliseconds: Int?)
  /// Release the pinned snapshot of this name.
  case unpin(String)
  /// Hand the socket over to the service that replaces this one, with the same store.
  case takeover(store: String)
  case watch(WatchRequest)
  case barrier
  case history(HistoryRequest)
  /// Delete the history up to a position.
  case deleteHistory(before: HistoryMoment)
  case historyStatus
  /// Note the position up to which a consumer has read.
  case acknowledgeHistory(HistoryPosition)
  /// Forget a consumer.
  case forgetConsumer(String)
  case historyRow(HistoryRowRequest)
  case undo(UndoRequest)
  case redo(UndoRequest)
  /// Stage a part of a later save.
  case stage(StageRequest)
  /// Close another client's connection, given its number in the service.
  case closeConnection(Int64)
  /// Stream the pages of a store; it is named if its container has several.
  case backup(store: String?)
  /// Check every page and every row of a store.
  case check(store: String?)
  /// Report the use of disk space.
  case space(store: String?)
  /// Return a store's free pages to the file system.
  case compact(store: String?)
  /// Remove copies left by migrations and restores, by their names.
  case removeCopies([String], store: String?)
  /// List the schemas that a store had, or return the one of a number, perhaps with original names of
  /// an earlier one.
  case schemaVersions(number: Int64? = nil, since: Int64? = nil, store: String?)
}

extension Operation {
  /// The properties of an operation that don't depend on its arguments.
  package final class Declaration: Sendable {
    /// The name on the wire.
    package let name: String
    let text: StaticString
    package let effect: Effect
    package let privilege: Privilege
    /// The least access that a connection needs for it: `privilege`, or less for an operation of the owner's that only
    /// reads.
    package let access: Privilege
    /// Whether it changes the store, so that it can have a key, an author and a group.
    package let isWrite: Bool
    /// Whether it can read from a pinned snapshot.
    package let isPinnable: Bool
    /// Whether it is about the content of one container.
    package let isInContainer: Bool
    /// The operation before its arguments are read.
    package let form: Operation

    fileprivate init(
      _ text: StaticString,
      _ effect: Effect,
      by privilege: Privilege,
      access: Privilege? = nil,
      isWrite: Bool? = nil,
      isPinnable: Bool = false,
      isInContainer: Bool = true,
      _ form: Operation
    ) {
      name = "\(text)"
      self.text = text
      self.effect = effect
      self.privilege = privilege
      self.access = access ?? privilege
      self.isWrite = isWrite ?? (effect == .write)
      self.isPinnable = isPinnable
      self.isInContainer = isInContainer
      self.form = form
    }
  }

  /// The way the service executes an operation.
  package enum Effect: Sendable {
    /// From the service's own state, at once.
    case control
    /// After the writes before it on its connection.
    case read
    /// As a read that is then notified of commits.
    case watch
    /// As a part of a transaction.
    case write
    /// Alone: later calls of its connection wait.
    case exclusive
  }

  /// The privileges that operations require; each includes the ones before it.
  package enum Privilege: String, MemberChoice, Sendable {
    case read
    case write
    case owner

    /// Whether a connection with the other privilege includes this one.
    package func isWithin(_ other: Self) -> Bool {
      switch other {
      case .read: self == .read
      case .write: self != .owner
      case .owner: true
      }
    }

    /// The privilege as the object of a sentence.
    package var deed: String {
      switch self {
      case .read: "reading"
      case .write: "reading and writing"
      case .owner: "anything"
      }
    }
  }

  /// All operations, in the order of their cases.
  package static let declarations = [
    Declaration("ping", .control, by: .read, isInContainer: false, .ping),
    Declaration("describe", .control, by: .read, isInContainer: false, .describe),
    Declaration(
      "schema.define",
      .exclusive,
      by: .write,
      isWrite: true,
      .defineSchema(Schema(), isDryRun: false)
    ),
    Declaration("schema.get", .read, by: .read, .getSchema),
    Declaration("insert", .write, by: .write, .insert(.blank)),
    Declaration("get", .read, by: .read, isPinnable: true, .get(.blank)),
    Declaration("fetch", .read, by: .read, isPinnable: true, .fetch(.blank)),
    Declaration("count", .read, by: .read, isPinnable: true, .count(.blank)),
    Declaration("update", .write, by: .write, .update(.blank)),
    Declaration("delete", .write, by: .write, .delete(.blank)),
    Declaration("explain", .read, by: .read, isPinnable: true, .explain(.blank)),
    Declaration("stats", .control, by: .read, isInContainer: false, .stats),
    Declaration("shutdown", .control, by: .owner, isInContainer: false, .shutdown),
    Declaration("exists", .read, by: .read, isPinnable: true, .exists(.blank)),
    Declaration("aggregate", .read, by: .read, isPinnable: true, .aggregate(.blank)),
    Declaration("save", .write, by: .write, .save(.blank)),
    Declaration(
      "container.open",
      .exclusive,
      by: .read,
      isInContainer: false,
      .openContainer(.blank)
    ),
    Declaration(
      "container.close",
      .exclusive,
      by: .write,
      isInContainer: false,
      .closeContainer("")
    ),
    Declaration("container.list", .control, by: .read, isInContainer: false, .listContainers),
    Declaration("migration.begin", .exclusive, by: .write, .beginMigration(.blank)),
    Declaration(
      "migration.commit",
      .exclusive,
      by: .write,
      isInContainer: false,
      .commitMigration(takesBackup: true)
    ),
    Declaration("migration.abort", .exclusive, by: .write, isInContainer: false, .abortMigration),
    Declaration("blob.read", .read, by: .read, isPinnable: true, .readBlob(.blank)),
    Declaration("blob.write", .write, by: .write, .writeBlob(.blank)),
    Declaration("pin", .read, by: .read, .pin(maxAgeMilliseconds: nil)),
    Declaration("unpin", .read, by: .read, isInContainer: false, .unpin("")),
    Declaration("takeover", .control, by: .owner, isInContainer: false, .takeover(store: "")),
    Declaration("watch", .watch, by: .read, .watch(.blank)),
    Declaration("barrier", .watch, by: .read, .barrier),
    Declaration("history", .read, by: .read, .history(.blank)),
    Declaration("history.delete", .write, by: .write, .deleteHistory(before: .date(.distantPast))),
    Declaration("history.status", .read, by: .read, .historyStatus),
    Declaration("history.acknowledge", .write, by: .write, .acknowledgeHistory(.blank)),
    Declaration("history.forget", .write, by: .write, .forgetConsumer("")),
    Declaration("history.row", .read, by: .read, .historyRow(.blank)),
    Declaration("undo", .write, by: .write, .undo(.blank)),
    Declaration("redo", .write, by: .write, .redo(.blank)),
    Declaration("stage", .control, by: .write, isInContainer: false, .stage(.blank)),
    Declaration(
      "connection.close",
      .control,
      by: .owner,
      isInContainer: false,
      .closeConnection(0)
    ),
    Declaration(
      "backup",
      .read,
      by: .owner,
      access: .read,
      isPinnable: true,
      .backup(store: nil)
    ),
    Declaration("check", .read, by: .read, isPinnable: true, .check(store: nil)),
    Declaration("space", .read, by: .read, isPinnable: true, .space(store: nil)),
    Declaration("compact", .write, by: .owner, isWrite: false, .compact(store: nil)),
    Declaration("copies.remove", .read, by: .owner, .removeCopies([], store: nil)),
    Declaration("schema.versions", .read, by: .read, .schemaVersions(store: nil)),
  ]

  /// The names on the wire, in the order of ``declarations``.
  package static let names = declarations.map(\.name)

  package var declaration: Declaration { Self.declarations[ordinal] }

  /// The name on the wire.
  public var name: String { declaration.name }

  /// Whether the operation changes the store.
  public var isWrite: Bool { declaration.isWrite }

  /// The number of rows in a request; `nil` for an operation without rows.
  package var rowCount: Int? {
    switch self {
    case .insert(let request): request.rows.count
    case .save(let request): request.rowCount
    case .stage(let request):
      if case .part(let part) = request.content { part.changes.rowCount } else { nil }
    case .update(let request) where !request.columns.isEmpty: 1
    default: nil
    }
  }
}

extension Operation: MemberObject {
  static var blank: Self { .ping }

  /// Passes the arguments of the operations that have no request type of their own.
  private mutating func values<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    switch self {
    case .defineSchema(var schema, var isDryRun, var options):
      try coder.required("schema", &schema)
      try coder.value("dryRun", &isDryRun, default: false)
      try options.members(&coder)
      self = .defineSchema(schema, isDryRun: isDryRun, options)
    case .commitMigration(var takesBackup):
      try coder.value("backup", &takesBackup, default: true)
      self = .commitMigration(takesBackup: takesBackup)
    case .closeContainer(var name):
      try coder.required("name", &name)
      self = .closeContainer(name)
    case .pin(var milliseconds):
      try coder.number("maxAgeMs", &milliseconds, in: 1...86_400_000)
      self = .pin(maxAgeMilliseconds: milliseconds)
    case .closeConnection(var number):
      try coder.required("connection", &number)
      self = .closeConnection(number)
    case .unpin(var name):
      try coder.required("pin", &name)
      self = .unpin(name)
    case .takeover(var store):
      try coder.required("store", &store)
      self = .takeover(store: store)
    case .deleteHistory(var moment):
      try coder.required("before", &moment)
      self = .deleteHistory(before: moment)
    case .forgetConsumer(var name):
      try coder.required("consumer", &name)
      try coder.check(consumer: name)
      self = .forgetConsumer(name)
    case .backup(var store):
      try coder.optional("store", &store)
      self = .backup(store: store)
    case .check(var store):
      try coder.optional("store", &store)
      self = .check(store: store)
    case .space(var store):
      try coder.optional("store", &store)
      self = .space(store: store)
    case .compact(var store):
      try coder.optional("store", &store)
      self = .compact(store: store)
    case .removeCopies(var names, var store):
      try coder.required("names", &names)
      try coder.optional("store", &store)
      self = .removeCopies(names, store: store)
    case .schemaVersions(var number, var since, var store):
      try coder.optional("number", &number)
      try coder.optional("since", &since)
      try coder.optional("store", &store)
      self = .schemaVersions(number: number, since: since, store: store)
    default: break
    }
  }
}

extension Operation {
  /// Reads an operation from the `call` and `args` members of a frame.
  package init(_ name: JSONNode, arguments: JSONNode?) throws(DepotError) {
    guard let declaration = Self.declarations.first(where: { name.isString($0.text) }) else {
      throw Self.unknown(name)
    }
    self = declaration.form
    do throws(DepotError) {
      let node = if let arguments { arguments } else { try JSONDocument(Array("{}".utf8)).root }
      var reader = try RequestReader(node)
      try members(&reader)
      try reader.finish()
    } catch {
      guard arguments == nil else { throw error }
      throw DepotError(.missingMember, "\"\(declaration.name)\" needs \"args\".")
    }
  }

  private static func unknown(_ name: JSONNode) -> DepotError {
    do {
      let text = try name.string()
      return DepotError(.unknownOperation, "There is no operation \(text.quoted).")
        .hint(Spelling.hint(for: text, in: names) ?? "See describe.").at("/call")
    } catch {
      return error
    }
  }
}

extension JSONWriter {
  /// Writes the arguments of an operation as an object.
  package mutating func write(_ operation: Operation) { object(operation) }
}
