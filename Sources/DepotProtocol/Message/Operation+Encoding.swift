extension JSONWriter {
  /// Writes the arguments of an operation as the value of `args`.
  package mutating func write(_ operation: Operation) {
    switch operation {
    case .ping, .describe, .getSchema, .stats, .shutdown, .listContainers, .abortMigration,
      .barrier, .historyStatus:
      raw("{}")
    case .openContainer(let request): write(request)
    case .closeContainer(let name):
      raw("{\"name\":")
      string(name)
      raw("}")
    case .defineSchema(let schema, let isDryRun, let options):
      raw("{\"schema\":")
      write(schema)
      if isDryRun { raw(",\"dryRun\":true") }
      write(options)
      raw("}")
    case .beginMigration(let request):
      raw("{\"schema\":")
      write(request.schema)
      write(MigrationOptions(from: request.from))
      raw("}")
    case .commitMigration(let takesBackup): raw(takesBackup ? "{}" : "{\"backup\":false}")
    case .pin(let milliseconds):
      raw("{")
      if let milliseconds {
        raw("\"maxAgeMs\":")
        integer(milliseconds)
      }
      raw("}")
    case .unpin(let name):
      raw("{\"pin\":")
      string(name)
      raw("}")
    case .takeover(let store):
      raw("{\"store\":")
      string(store)
      raw("}")
    case .insert(let request): write(request)
    case .get(let request): write(request)
    case .fetch(let request): write(request)
    case .explain(let request): write(request)
    case .aggregate(let request): write(request)
    case .save(let request): write(request)
    case .count(let request), .exists(let request): write(request)
    case .update(let request): write(request)
    case .delete(let request): write(request)
    case .readBlob(let request): write(request)
    case .writeBlob(let request): write(request)
    case .watch(let request): write(request)
    case .history(let request): write(request)
    case .deleteHistory(let moment):
      raw("{\"before\":")
      write(moment)
      raw("}")
    case .acknowledgeHistory(let position): write(position)
    case .forgetConsumer(let name):
      raw("{\"consumer\":")
      string(name)
      raw("}")
    case .historyRow(let request): write(request)
    case .undo(let request), .redo(let request): write(request)
    case .stage(let request): write(request)
    }
  }

  private mutating func write(_ request: GetRequest) {
    entity(request.entity)
    identifiers(request.identifiers)
    names("select", request.select)
    flag("subentityColumns", request.includesSubentityColumns, unless: false)
    names("prefetch", request.prefetch.isEmpty ? nil : request.prefetch)
    flag("partial", request.allowsMissing, unless: false)
    flag("columns", request.namesColumns, unless: true)
    raw("}")
  }

  private mutating func write(_ request: CountRequest) {
    entity(request.entity)
    predicate(request.predicate)
    flag("subentities", request.includesSubentities, unless: true)
    raw("}")
  }

  private mutating func write(_ request: ExplainRequest) {
    switch request.read {
    case .fetch(let request): write(request)
    case .count(let request): write(request)
    case .aggregate(let request): write(request)
    }
    bytes.removeLast()
    switch request.read {
    case .fetch: break
    case .count: raw(",\"of\":\"count\"")
    case .aggregate: raw(",\"of\":\"aggregate\"")
    }
    flag("run", request.runs, unless: false)
    raw("}")
  }

  private mutating func write(_ request: FetchRequest) {
    entity(request.entity)
    predicate(request.predicate)
    flag("subentities", request.includesSubentities, unless: true)
    sort(request.sort)
    number("limit", request.limit)
    number("offset", request.offset == 0 ? nil : request.offset)
    if let values = request.after {
      raw(",\"after\":[")
      for (index, value) in values.enumerated() {
        if index > 0 { raw(",") }
        constant(value)
      }
      raw("]")
    }
    names("select", request.select)
    flag("subentityColumns", request.includesSubentityColumns, unless: false)
    flag("distinct", request.isDistinct, unless: false)
    names("prefetch", request.prefetch.isEmpty ? nil : request.prefetch)
    if let path = request.sectionBy {
      raw(",\"sectionBy\":")
      string(path)
    }
    number("batch", request.batch)
    flag("columns", request.namesColumns, unless: true)
    raw("}")
  }

  private mutating func write(_ request: AggregateRequest) {
    entity(request.entity)
    predicate(request.predicate)
    flag("subentities", request.includesSubentities, unless: true)
    list("by", request.keys) { (writer, key) in
      if key.expression == .attribute(key.name) { return writer.string(key.name) }
      writer.raw("{\"name\":")
      writer.string(key.name)
      writer.raw(",\"key\":")
      writer.expression(key.expression)
      writer.raw("}")
    }
    list("values", request.values) { (writer, value) in
      writer.raw("{\"name\":")
      writer.string(value.name)
      writer.raw(",\"aggregate\":")
      writer.string(value.aggregate.rawValue)
      if let expression = value.expression {
        writer.raw(",\"of\":")
        writer.expression(expression)
      }
      writer.raw("}")
    }
    predicate(request.having, as: "having")
    sort(request.sort)
    number("limit", request.limit)
    number("offset", request.offset == 0 ? nil : request.offset)
    number("batch", request.batch)
    raw("}")
  }
}

/// What several operations have.
extension JSONWriter {
  mutating func entity(_ name: String) {
    raw("{\"entity\":")
    string(name)
  }

  mutating func selection(_ rows: RowSelection) {
    switch rows {
    case .identifiers(let list): identifiers(list)
    case .predicate(let expression): predicate(expression)
    }
  }

  mutating func identifiers(_ list: [Int64]) {
    raw(",\"ids\":[")
    for (index, identifier) in list.enumerated() {
      if index > 0 { raw(",") }
      integer(identifier)
    }
    raw("]")
  }

  /// Writes an expression where a string would be one in the format language.
  mutating func expression(_ expression: QueryExpression) {
    if case .value(.string) = expression {
      raw("{\"value\":")
      write(expression)
      raw("}")
    } else {
      write(expression)
    }
  }

  mutating func number(_ name: StaticString, _ value: Int?) {
    guard let value else { return }
    member(name)
    integer(value)
  }

  mutating func flag(_ name: StaticString, _ value: Bool, unless other: Bool) {
    guard value != other else { return }
    member(name)
    bool(value)
  }

  mutating func list<Element>(
    _ name: StaticString,
    _ elements: [Element],
    _ write: (inout JSONWriter, Element) -> Void
  ) {
    guard !elements.isEmpty else { return }
    member(name)
    raw("[")
    for (index, element) in elements.enumerated() {
      if index > 0 { raw(",") }
      write(&self, element)
    }
    raw("]")
  }

  private mutating func predicate(_ expression: QueryExpression?, as name: StaticString = "where") {
    guard let expression else { return }
    member(name)
    self.expression(expression)
  }

  private mutating func names(_ name: StaticString, _ names: [String]?) {
    guard let names else { return }
    member(name)
    self.names(names)
  }

  private mutating func sort(_ keys: [SortKey]) {
    list("sort", keys) { (writer, key) in
      if case .attribute(let path) = key.expression {
        writer.raw("{\"attribute\":")
        writer.string(path)
      } else {
        writer.raw("{\"key\":")
        writer.expression(key.expression)
      }
      writer.flag("descending", key.isDescending, unless: false)
      writer.flag("localized", key.isLocalized, unless: false)
      writer.raw("}")
    }
  }

  private mutating func member(_ name: StaticString) {
    raw(",\"")
    raw(name)
    raw("\":")
  }
}
