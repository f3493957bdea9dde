extension JSONWriter {
  mutating func write(_ request: InsertRequest) {
    entity(request.entity)
    raw(",\"columns\":")
    names(request.columns)
    onConflict(request.onConflict)
    flag("rejects", request.reportsRejects, unless: false)
    raw(",\"rows\":")
    raw(request.rows.json)
    raw("}")
  }

  mutating func write(_ request: UpdateRequest) {
    entity(request.entity)
    selection(request.rows)
    flag("subentities", request.includesSubentities, unless: true)
    if !request.columns.isEmpty {
      raw(",\"set\":{")
      for (index, (column, value)) in zip(request.columns, request.values.firstRow).enumerated() {
        if index > 0 { raw(",") }
        string(column)
        raw(":")
        raw(value)
      }
      raw("}")
    }
    if !request.computed.isEmpty {
      raw(",\"compute\":{")
      for (index, computation) in request.computed.enumerated() {
        if index > 0 { raw(",") }
        string(computation.path)
        raw(":")
        expression(computation.expression)
      }
      raw("}")
    }
    flag("returnIds", request.returnsIdentifiers, unless: false)
    number("chunk", request.chunk)
    raw("}")
  }

  mutating func write(_ request: DeleteRequest) {
    entity(request.entity)
    selection(request.rows)
    flag("subentities", request.includesSubentities, unless: true)
    flag("returnIds", request.returnsIdentifiers, unless: false)
    number("chunk", request.chunk)
    raw("}")
  }

  mutating func write(_ request: SaveRequest) {
    raw("{")
    let start = bytes.count
    changes(request)
    onConflict(request.onConflict)
    if let policy = request.policy {
      raw(",\"policy\":")
      string(policy.rawValue)
    }
    if let staged = request.staged { write(staged) }
    flag("runs", request.answersInRuns, unless: false)
    // Each member begins with a comma.
    if bytes.count > start { bytes.remove(at: start) }
    raw("}")
  }

  /// Writes the lists that aren't empty, each behind a comma.
  mutating func changes(_ request: SaveRequest) {
    list("insert", request.inserts) { (writer, insertion) in
      writer.rows(insertion.entity, insertion.columns, insertion.rows)
    }
    list("update", request.updates) { (writer, change) in
      writer.rows(change.entity, change.columns, change.rows, change.base)
    }
    list("delete", request.deletes) { (writer, deletion) in
      writer.entity(deletion.entity)
      writer.identifiers(deletion.identifiers)
      if let versions = deletion.versions { writer.versions(versions) }
      writer.raw("}")
    }
    list("read", request.reads) { (writer, read) in
      writer.entity(read.entity)
      writer.identifiers(read.identifiers)
      writer.versions(read.versions)
      writer.raw("}")
    }
  }

  private mutating func rows(
    _ name: String,
    _ columns: [String],
    _ rows: RowBatch,
    _ base: SaveRequest.Base? = nil
  ) {
    entity(name)
    raw(",\"columns\":")
    names(columns)
    raw(",\"rows\":")
    raw(rows.json)
    if let base {
      raw(",\"base\":{\"columns\":")
      names(base.columns)
      raw(",\"rows\":")
      raw(base.rows.json)
      raw("}")
    }
    raw("}")
  }

  private mutating func versions(_ list: [Int64]) {
    raw(",\"versions\":[")
    for (index, version) in list.enumerated() {
      if index > 0 { raw(",") }
      integer(version)
    }
    raw("]")
  }

  private mutating func onConflict(_ choice: InsertRequest.OnConflict) {
    guard choice != .error else { return }
    raw(",\"onConflict\":")
    string(choice.rawValue)
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
