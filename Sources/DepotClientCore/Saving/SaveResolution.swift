internal import DepotProtocol

/// A refused save, changed by a program's resolutions of its conflicts.
@Memberwise("request")
struct SaveResolution {
  private var request: SaveRequest
  /// The rows that aren't in their batches any more.
  private var taken: [String: [Int: Set<Int>]] = [:]
  private var changes: [SaveRequest.Change] = []
  private var insertions: [SaveRequest.Insertion] = []

  /// Returns the save with the answers; `nil` if one of them can't be followed.
  ///
  /// - Throws: ``DepotError`` if a conflict isn't one of the request.
  static func resolve(
    _ request: SaveRequest,
    _ answers: [(SaveConflict, SaveConflict.Resolution)]
  ) throws(DepotError) -> SaveRequest? {
    var resolution = SaveResolution(request)
    for (conflict, answer) in answers {
      guard try resolution.resolve(conflict, answer) else { return nil }
    }
    return try resolution.finish()
  }

  private mutating func resolve(
    _ conflict: SaveConflict,
    _ answer: SaveConflict.Resolution
  ) throws(DepotError) -> Bool {
    // As in /args/update/0/rows/3, or /args/delete/0/ids/3.
    let steps = conflict.pointer.split(separator: "/")
    guard steps.count >= 5, let batch = Int(steps[2]), let row = Int(steps[4]) else { return false }
    let list = String(steps[1])
    guard has(list, batch, row) else { return false }
    switch (list, conflict.kind, answer) {
    case (_, _, .fail): return false
    case ("update", _, .store), ("insert", .unique, .store), ("delete", _, .store):
      taken[list, default: [:]][batch, default: []].insert(row)
    case ("update", .update, .client): try change(conflict, batch, row, [:])
    case ("update", .update, .values(let values)), ("update", .unique, .values(let values)):
      try change(conflict, batch, row, values)
    case ("insert", .unique, .values(let values)): try insert(batch, row, values)
    case ("delete", .deleteOfUpdated, .client):
      guard let version = conflict.storeVersion else { return false }
      request.deletes[batch].versions?[row] = version
    case ("read", .read, .client), ("read", .read, .store):
      if let version = conflict.storeVersion {
        request.reads[batch].versions[row] = version
      } else {
        taken[list, default: [:]][batch, default: []].insert(row)
      }
    default: return false
    }
    return true
  }

  /// Whether the request has a batch, and one of versions has a row.
  private func has(_ list: String, _ batch: Int, _ row: Int) -> Bool {
    switch list {
    case "insert": request.inserts.indices.contains(batch)
    case "update": request.updates.indices.contains(batch)
    case "delete":
      request.deletes.indices.contains(batch)
        && request.deletes[batch].versions?.indices.contains(row) ?? true
    case "read":
      request.reads.indices.contains(batch) && request.reads[batch].versions.indices.contains(row)
    default: false
    }
  }

  /// Puts a row to change into a batch of its own, based on the stored version.
  private mutating func change(
    _ conflict: SaveConflict,
    _ batch: Int,
    _ row: Int,
    _ values: [String: Value]
  ) throws(DepotError) {
    // A row may have several conflicts.
    guard taken["update"]?[batch]?.contains(row) != true else { return }
    taken["update", default: [:]][batch, default: []].insert(row)
    let old = request.updates[batch]
    var version: JSONValue?
    if conflict.kind == .update { version = conflict.storeVersion.map(JSONValue.int64) }
    let (columns, rows) = try Self.row(row, of: old.columns, old.rows, values) { name in
      name == "$version" ? version : nil
    }
    changes.append(SaveRequest.Change(entity: old.entity, columns: columns, rows: rows))
  }

  private mutating func insert(
    _ batch: Int,
    _ row: Int,
    _ values: [String: Value]
  ) throws(DepotError) {
    taken["insert", default: [:]][batch, default: []].insert(row)
    let old = request.inserts[batch]
    let (columns, rows) = try Self.row(row, of: old.columns, old.rows, values) { _ in nil }
    insertions.append(SaveRequest.Insertion(entity: old.entity, columns: columns, rows: rows))
  }

  /// Returns a row with other values.
  private static func row(
    _ index: Int,
    of names: [String],
    _ rows: RowBatch,
    _ values: [String: Value],
    other: (String) -> JSONValue?
  ) throws(DepotError) -> (columns: [String], rows: RowBatch) {
    let texts = try texts(rows)
    guard texts.indices.contains(index) else {
      throw DepotError(.bug, "A conflict names a row that wasn't sent.")
    }
    let added = values.keys.filter { !names.contains($0) }.sorted()
    var result = RowBatch()
    result.appendRow { row in
      for (name, text) in zip(names, texts[index]) {
        row.append(values[name] ?? .json(other(name)?.text ?? text))
      }
      for name in added { row.append(values[name] ?? .null) }
    }
    return (names + added, result)
  }

  /// The JSON texts of the values of all rows.
  private static func texts(_ rows: RowBatch) throws(DepotError) -> [[String]] {
    try rows.texts().map { row in row.map { String(decoding: $0, as: UTF8.self) } }
  }

  private func finish() throws(DepotError) -> SaveRequest {
    var result = request
    for (batch, rows) in taken["update"] ?? [:] {
      result.updates[batch].rows = try Self.without(rows, result.updates[batch].rows)
      if let base = result.updates[batch].base {
        result.updates[batch].base?.rows = try Self.without(rows, base.rows)
      }
    }
    for (batch, rows) in taken["insert"] ?? [:] {
      result.inserts[batch].rows = try Self.without(rows, result.inserts[batch].rows)
    }
    for (batch, rows) in taken["delete"] ?? [:] {
      let old = result.deletes[batch]
      result.deletes[batch].identifiers = Self.without(rows, old.identifiers)
      result.deletes[batch].versions = old.versions.map { Self.without(rows, $0) }
    }
    for (batch, rows) in taken["read"] ?? [:] {
      let old = result.reads[batch]
      result.reads[batch].identifiers = Self.without(rows, old.identifiers)
      result.reads[batch].versions = Self.without(rows, old.versions)
    }
    result.updates += changes
    result.inserts += insertions
    return result
  }

  private static func without(_ rows: Set<Int>, _ batch: RowBatch) throws(DepotError) -> RowBatch {
    var result = RowBatch()
    for (index, row) in try texts(batch).enumerated() where !rows.contains(index) {
      result.appendRow { writer in
        for text in row { writer.append(.json(text)) }
      }
    }
    return result
  }

  private static func without(_ rows: Set<Int>, _ list: [Int64]) -> [Int64] {
    list.enumerated().filter { !rows.contains($0.offset) }.map(\.element)
  }
}
