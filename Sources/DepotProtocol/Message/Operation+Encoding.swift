extension JSONWriter {
  /// Writes the arguments of an operation as the value of `args`.
  package mutating func write(_ operation: Operation) {
    switch operation {
    case .ping, .describe, .getSchema, .stats, .shutdown: raw("{}")
    case .defineSchema(let schema, let isDryRun):
      raw("{\"schema\":")
      write(schema)
      raw(isDryRun ? ",\"dryRun\":true}" : "}")
    case .insert(let request): write(request)
    case .get(let request): write(request)
    case .fetch(let request), .explain(let request): write(request)
    case .aggregate, .save: raw("{}")
    case .count(let request), .exists(let request):
      entity(request.entity)
      predicate(request.predicate)
      raw("}")
    case .update(let request): write(request)
    case .delete(let request):
      entity(request.entity)
      selection(request.rows)
      raw("}")
    }
  }

  private mutating func entity(_ name: String) {
    raw("{\"entity\":")
    string(name)
  }

  private mutating func select(_ names: [String]?) {
    guard let names else { return }
    raw(",\"select\":")
    self.names(names)
  }

  private mutating func identifiers(_ list: [Int64]) {
    raw(",\"ids\":[")
    for (index, identifier) in list.enumerated() {
      if index > 0 { raw(",") }
      integer(identifier)
    }
    raw("]")
  }

  private mutating func predicate(_ expression: QueryExpression?) {
    guard let expression else { return }
    raw(",\"where\":")
    // A string here would be a predicate in the format language.
    if case .value(.string) = expression {
      raw("{\"value\":")
      write(expression)
      raw("}")
    } else {
      write(expression)
    }
  }

  private mutating func selection(_ rows: RowSelection) {
    switch rows {
    case .identifiers(let list): identifiers(list)
    case .predicate(let expression): predicate(expression)
    }
  }

  private mutating func write(_ request: InsertRequest) {
    entity(request.entity)
    raw(",\"columns\":")
    names(request.columns)
    if request.onConflict != .error {
      raw(",\"onConflict\":")
      string(request.onConflict.rawValue)
    }
    if request.reportsRejects { raw(",\"rejects\":true") }
    raw(",\"rows\":")
    raw(request.rows.json)
    raw("}")
  }

  private mutating func write(_ request: GetRequest) {
    entity(request.entity)
    identifiers(request.identifiers)
    select(request.select)
    if request.allowsMissing { raw(",\"partial\":true") }
    if !request.namesColumns { raw(",\"columns\":false") }
    raw("}")
  }

  private mutating func write(_ request: FetchRequest) {
    entity(request.entity)
    predicate(request.predicate)
    if !request.sort.isEmpty {
      raw(",\"sort\":[")
      for (index, key) in request.sort.enumerated() {
        raw(index > 0 ? ",{\"attribute\":" : "{\"attribute\":")
        if case .attribute(let path) = key.expression { string(path) }
        raw(key.isDescending ? ",\"descending\":true}" : "}")
      }
      raw("]")
    }
    number("limit", request.limit)
    number("offset", request.offset == 0 ? nil : request.offset)
    select(request.select)
    number("batch", request.batch)
    if !request.namesColumns { raw(",\"columns\":false") }
    raw("}")
  }

  private mutating func number(_ name: String, _ value: Int?) {
    guard let value else { return }
    raw(",")
    string(name)
    raw(":")
    integer(value)
  }

  private mutating func write(_ request: UpdateRequest) {
    entity(request.entity)
    selection(request.rows)
    raw(",\"set\":{")
    for (index, (column, value)) in zip(request.columns, request.values.firstRow).enumerated() {
      if index > 0 { raw(",") }
      string(column)
      raw(":")
      raw(value)
    }
    raw("}}")
  }
}

extension RowBatch {
  /// The JSON texts of the values of the first row.
  fileprivate var firstRow: [ArraySlice<UInt8>] {
    guard let document = try? JSONDocument(json), let row = try? document.root.elements().first,
      let values = try? row.elements()
    else { return [] }
    return values.map { json[$0.range] }
  }
}
