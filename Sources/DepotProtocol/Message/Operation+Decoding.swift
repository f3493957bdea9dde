extension Operation {
  /// Reads an operation from the `call` and `args` members of a frame.
  package init(_ name: JSONNode, arguments: JSONNode?) throws(DepotError) {
    guard let arguments else {
      guard let operation = Self.withoutArguments(name) else { throw Self.unreadable(name) }
      self = operation
      return
    }
    var reader = try RequestReader(arguments)
    self = try Self.decode(name, &reader)
    try reader.finish()
  }

  private static func withoutArguments(_ name: JSONNode) -> Operation? {
    if name.isString("ping") { return .ping }
    if name.isString("describe") { return .describe }
    if name.isString("schema.get") { return .getSchema }
    if name.isString("stats") { return .stats }
    if name.isString("shutdown") { return .shutdown }
    if name.isString("container.list") { return .listContainers }
    if name.isString("migration.commit") { return .commitMigration(takesBackup: true) }
    if name.isString("migration.abort") { return .abortMigration }
    if name.isString("pin") { return .pin(maxAgeMilliseconds: nil) }
    if name.isString("barrier") { return .barrier }
    if name.isString("history") { return .history(HistoryRequest()) }
    if name.isString("history.status") { return .historyStatus }
    if name.isString("undo") { return .undo(UndoRequest()) }
    if name.isString("redo") { return .redo(UndoRequest()) }
    return nil
  }

  private static func decode(
    _ name: JSONNode,
    _ reader: inout RequestReader
  ) throws(DepotError) -> Operation {
    if name.isString("get") { return .get(try GetRequest(&reader)) }
    if name.isString("fetch") { return .fetch(try FetchRequest(&reader)) }
    if name.isString("insert") { return .insert(try InsertRequest(&reader)) }
    if name.isString("count") { return .count(try CountRequest(&reader)) }
    if name.isString("exists") { return .exists(try CountRequest(&reader)) }
    if name.isString("update") { return .update(try UpdateRequest(&reader)) }
    if name.isString("delete") { return .delete(try DeleteRequest(&reader)) }
    if name.isString("save") { return .save(try SaveRequest(&reader)) }
    if name.isString("stage") { return .stage(try StageRequest(&reader)) }
    if name.isString("aggregate") { return .aggregate(try AggregateRequest(&reader)) }
    if name.isString("explain") { return .explain(try ExplainRequest(&reader)) }
    if name.isString("schema.define") {
      return .defineSchema(
        try Schema(reader.required("schema")),
        isDryRun: try reader.bool("dryRun", default: false),
        try MigrationOptions(&reader)
      )
    }
    if let operation = try migration(name, &reader) { return operation }
    if name.isString("pin") {
      return .pin(maxAgeMilliseconds: try reader.optionalInt("maxAgeMs", in: 1...86_400_000))
    }
    if name.isString("unpin") { return .unpin(try reader.string("pin")) }
    if name.isString("takeover") { return .takeover(store: try reader.string("store")) }
    if name.isString("blob.read") { return .readBlob(try BlobReadRequest(&reader)) }
    if name.isString("blob.write") { return .writeBlob(try BlobWriteRequest(&reader)) }
    if name.isString("watch") { return .watch(try WatchRequest(&reader)) }
    if let operation = try container(name, &reader) { return operation }
    if let operation = try history(name, &reader) { return operation }
    guard let operation = withoutArguments(name) else { throw unreadable(name) }
    return operation
  }

  private static func history(
    _ name: JSONNode,
    _ reader: inout RequestReader
  ) throws(DepotError) -> Operation? {
    if name.isString("history") { return .history(try HistoryRequest(&reader)) }
    if name.isString("history.row") { return .historyRow(try HistoryRowRequest(&reader)) }
    if name.isString("history.delete") {
      guard let moment = try reader.moment("before") else {
        throw DepotError(.missingMember, "The member \"before\" is missing.")
          .at(reader.node.pointer)
      }
      return .deleteHistory(before: moment)
    }
    if name.isString("history.acknowledge") {
      return .acknowledgeHistory(try HistoryPosition(&reader))
    }
    if name.isString("history.forget") {
      return .forgetConsumer(try reader.consumer(isRequired: true) ?? "")
    }
    if name.isString("undo") { return .undo(try UndoRequest(&reader)) }
    if name.isString("redo") { return .redo(try UndoRequest(&reader)) }
    return nil
  }

  /// Returns the error about a call that is unknown or lacks its arguments.
  private static func unreadable(_ name: JSONNode) -> DepotError {
    let text: String
    do {
      text = try name.string()
    } catch {
      return error
    }
    guard names.contains(text) else {
      let nearest = Spelling.nearest(to: text, in: names)
      return DepotError(.unknownOperation, "There is no operation \"\(text)\".")
        .hint(nearest.map { "Did you mean \"\($0)\"?" } ?? "See describe.").at("/call")
    }
    return DepotError(.missingMember, "\"\(text)\" needs \"args\".")
  }
}

extension DepotError {
  static func tooManyRows(_ count: Int) -> DepotError {
    DepotError(.tooManyRows, "\(count) rows are over the limit of \(Limits.rows) for one request.")
      .hint("Send them in several requests.")
  }
}

extension GetRequest {
  fileprivate init(_ reader: inout RequestReader) throws(DepotError) {
    self.init(entity: try reader.string("entity"), identifiers: [])
    guard let identifiers = try reader.identifiers() else {
      throw DepotError(.missingMember, "The member \"ids\" is missing.").at(reader.node.pointer)
    }
    self.identifiers = identifiers
    select = try reader.names("select")
    includesSubentityColumns = try reader.bool("subentityColumns", default: false)
    prefetch = try reader.names("prefetch") ?? []
    allowsMissing = try reader.bool("partial", default: false)
    namesColumns = try reader.bool("columns", default: true)
  }
}

extension FetchRequest {
  init(_ reader: inout RequestReader) throws(DepotError) {
    try reader.readBindings()
    self.init(entity: try reader.string("entity"), predicate: try reader.predicate())
    includesSubentities = try reader.bool("subentities", default: true)
    sort = try reader.sort()
    limit = try reader.optionalInt("limit")
    offset = try reader.optionalInt("offset") ?? 0
    sectionBy = try reader.optionalString("sectionBy")
    if let node = reader.optional("after") {
      var values: [Value] = []
      for element in try node.elements() {
        guard element.kind != .array else { throw element.wrongType("a value") }
        values.append(try Value(constant: element))
      }
      // The key of the sections is the first, also if it isn't named in the sort.
      let keys = sort.isEmpty && sectionBy != nil ? 1 : sort.count
      guard values.count == keys + 1 || values.count == 1 else {
        throw DepotError(
          .usage,
          "\"after\" has the values of the \(keys) sort keys and an identifier, not \(values.count)."
        ).at(node.pointer)
      }
      after = values
    }
    select = try reader.names("select")
    includesSubentityColumns = try reader.bool("subentityColumns", default: false)
    isDistinct = try reader.bool("distinct", default: false)
    prefetch = try reader.names("prefetch") ?? []
    batch = try reader.optionalInt("batch", in: 1...100_000)
    namesColumns = try reader.bool("columns", default: true)
  }
}

extension CountRequest {
  init(_ reader: inout RequestReader) throws(DepotError) {
    try reader.readBindings()
    self.init(
      entity: try reader.string("entity"),
      predicate: try reader.predicate(),
      includesSubentities: try reader.bool("subentities", default: true)
    )
  }
}

extension AggregateRequest {
  init(_ reader: inout RequestReader) throws(DepotError) {
    try reader.readBindings()
    self.init(
      entity: try reader.string("entity"),
      predicate: try reader.predicate(),
      includesSubentities: try reader.bool("subentities", default: true)
    )
    for node in try reader.elements("by") { keys.append(try Self.key(node, &reader)) }
    for node in try reader.elements("values") { values.append(try Self.value(node, &reader)) }
    guard !keys.isEmpty || !values.isEmpty else {
      throw DepotError(.usage, "An aggregate has \"by\", \"values\", or both.")
        .at(reader.node.pointer)
    }
    var names: Set<String> = []
    for name in keys.map(\.name) + values.map(\.name) where !names.insert(name).inserted {
      throw DepotError(.usage, "There are two columns named \(name.debugDescription).")
        .hint("Give them different names.").at(reader.node.pointer)
    }
    having = try reader.predicate("having")
    sort = try reader.sort()
    limit = try reader.optionalInt("limit")
    offset = try reader.optionalInt("offset") ?? 0
    batch = try reader.optionalInt("batch", in: 1...100_000)
  }

  /// Reads what groups have in common: a path, or a named expression.
  private static func key(
    _ node: JSONNode,
    _ reader: inout RequestReader
  ) throws(DepotError) -> Column {
    if node.kind == .string {
      let path = try KeyPathSyntax.path(node)
      return Column(name: path, expression: .attribute(path))
    }
    var members = try JSONObjectReader(node)
    let name = try KeyPathSyntax.path(members.required("name"))
    let key = Column(name: name, expression: try reader.expression(members.required("key")))
    try members.finish()
    return key
  }

  private static func value(
    _ node: JSONNode,
    _ reader: inout RequestReader
  ) throws(DepotError) -> Value {
    var members = try JSONObjectReader(node)
    let name = try KeyPathSyntax.path(members.required("name"))
    let aggregateNode = try members.required("aggregate")
    let text = try aggregateNode.string()
    guard let aggregate = QueryExpression.Aggregate(rawValue: text) else {
      let names = QueryExpression.Aggregate.allCases.map(\.rawValue)
      throw DepotError(.usage, "There is no aggregate \(text.debugDescription).")
        .hint("The aggregates are \(names.joined(separator: ", ")).").at(aggregateNode.pointer)
    }
    var value = Value(name: name, aggregate)
    if let node = members.optional("of") {
      value.expression = try reader.expression(node)
    } else if aggregate != .count {
      throw DepotError(.missingMember, "\"\(text)\" needs the member \"of\".").at(node.pointer)
    }
    try members.finish()
    return value
  }
}
