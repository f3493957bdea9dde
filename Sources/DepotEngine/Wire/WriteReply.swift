internal import DepotProtocol

/// The result of a write, before it is encoded for a connection.
@Memberwise("content")
struct WriteReply {
  var content: Content
  /// The token of the transaction, if it changed anything.
  var token: HistoryToken?

  /// Rare results are in memory of their own, so that the frequent ones are small to copy.
  enum Content {
    case empty
    case insertion(InsertResult)
    case save(SaveResult)
    /// The number of updated or deleted rows, and their identifiers if requested.
    case rows(StaticString, Int, [Int64]?)
    /// The length of a large value.
    case length(Int)
    /// The sizes of the store's file in bytes.
    case compacted(before: Int, after: Int)
    indirect case schema(SchemaResult, MigrationReport?)
    indirect case copied(MigrationCopy.Result)
    /// The fingerprint and the version of the schema at the end of a migration.
    indirect case migrated(String, SchemaVersion?)
    /// The number of deleted transactions, and the first one that is kept.
    indirect case purged(Int, oldest: HistoryToken?)
    indirect case acknowledged(HistoryPosition)
    indirect case undone(UndoOutcome)
    /// The result of an earlier write with the same key, with identifiers as numbers.
    case stored([UInt8])
  }

  static let empty = WriteReply(.empty)

  /// The encoded result to store with a key; repeats may come from connections with another form.
  var stored: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer, as: .number)
    return writer.bytes
  }

  func write(to writer: inout JSONWriter, as form: Int64Form) {
    if case .stored(let json) = content { return writer.raw(Self.converted(json, to: form)) }
    writer.object { writer in
      switch content {
      case .empty, .stored: break
      case .insertion(let result): writer.add(result, form)
      case .save(let result): writer.add(result, form)
      case .rows(let name, let count, let identifiers):
        writer.member(name, count)
        if let identifiers {
          writer.member("ids")
          writer.identifiers(identifiers, as: form)
        }
      case .length(let length): writer.member("length", length)
      case .compacted(let before, let after):
        writer.member("after", after)
        writer.member("before", before)
      case .schema(let result, let report): writer.add(result, report)
      case .copied(let result): writer.add(result)
      case .migrated(let fingerprint, let version):
        writer.member("schema", fingerprint)
        writer.member("version", version: version)
      case .purged(let count, let oldest):
        writer.member("deleted", count)
        writer.member("oldest")
        writer.write(oldest.map { .string($0.description) } ?? JSONValue.null)
      case .acknowledged(let position):
        writer.member("consumer", position.consumer)
        writer.member("position", position.token)
      case .undone(let outcome):
        writer.member("conflicts")
        writer.array(outcome.conflicts) { $0.write($1.json) }
        writer.member("transactions", outcome.count)
        writer.member("undone", outcome.tokens.map(\.description))
      }
      if let token { writer.member("token", token) }
    }
  }

  /// Converts the identifiers of a stored result to a form.
  private static func converted(_ json: [UInt8], to form: Int64Form) -> [UInt8] {
    guard form == .string,
      let document = try? JSONDocument(json, valueLimit: .max),
      case .object(var members)? = try? JSONValue(document.root)
    else { return json }
    func text(_ value: JSONValue) -> JSONValue { value.int64.map { .string("\($0)") } ?? value }
    switch members["ids"] {
    case .array(let list): members["ids"] = .array(list.map(text))
    case .object(let named): members["ids"] = .object(named.mapValues(text))
    default: return json
    }
    return Array(JSONValue.object(members).text.utf8)
  }
}

extension WriteRequest {
  /// Writes the final frame of the call.
  func outcome(_ result: Result<WriteReply, DepotError>) -> WriteOutcome {
    var writer = JSONWriter()
    switch result {
    case .success(let result):
      control.noteOutcome(isSuccess: true)
      reply.ok(to: &writer) { result.write(to: &$0, as: reply.int64) }
      return WriteOutcome(token: token, frame: writer.bytes, isSuccess: true)
    case .failure(let error):
      control.noteOutcome(isSuccess: false)
      reply.failure(error, to: &writer)
      return WriteOutcome(token: token, frame: writer.bytes, isSuccess: false)
    }
  }
}

extension Dictionary where Key == String {
  /// Calls `body` with the members in the order of their names; most replies have one at most.
  @inline(__always)
  fileprivate func eachInOrder(_ body: (String, Value) -> Void) {
    if isEmpty { return }
    if count == 1, let (name, value) = first { return body(name, value) }
    for (name, value) in sorted(by: { $0.key < $1.key }) { body(name, value) }
  }
}

extension JSONWriter {
  fileprivate mutating func add(_ result: SaveResult, _ form: Int64Form) {
    member("inserted", result.inserted)
    member("updated", result.updated)
    member("deleted", result.deleted)
    member("ids") { writer in
      result.identifiers.eachInOrder { name, identifier in
        writer.name(name)
        writer.integer(identifier, as: form)
      }
    }
    if let runs = result.runs {
      member("runs")
      write(runs)
    }
    guard let conflicts = result.conflicts else { return }
    if conflicts.isEmpty {
      raw(",\"conflicts\":[]")
    } else {
      member("conflicts")
      array(conflicts.conflicts) { $0.write($1.json) }
      if conflicts.more > 0 { member("more", conflicts.more) }
    }
    member("versions") { writer in
      var entities = result.versions.entities
      if entities.count > 1 { entities.sort { $0.name < $1.name } }
      for (entity, versions) in entities {
        writer.name(entity)
        guard result.runs == nil else {
          writer.writeRuns(versions)
          continue
        }
        // A loop here is a third of the work of the generic function.
        writer.raw("[")
        for (index, row) in versions.enumerated() {
          writer.raw(index > 0 ? ",[" : "[")
          writer.integer(row.identifier)
          writer.raw(",")
          writer.integer(row.version)
          writer.raw("]")
        }
        writer.raw("]")
      }
    }
  }

  private mutating func add(_ identifiers: [Int64?], _ form: Int64Form) {
    member("ids")
    raw("[")
    for index in identifiers.indices {
      if index > 0 { raw(",") }
      if let identifier = identifiers[index] {
        integer(identifier, as: form)
      } else {
        raw("null")
      }
    }
    raw("]")
  }

  fileprivate mutating func add(_ result: InsertResult, _ form: Int64Form) {
    member("inserted", result.inserted)
    member("updated", result.updated)
    member("skipped", result.skipped)
    if result.listsIdentifiers { add(result.identifiers, form) }
    guard result.listsRejects else { return }
    member("rejected")
    array(result.rejected) { writer, rejected in
      writer.object { writer in
        writer.member("row", rejected.row)
        writer.member("error")
        writer.write(rejected.error)
      }
    }
  }

  /// Writes the runs of each batch.
  fileprivate mutating func write(_ batches: [IdentifierRuns]) {
    array(batches) { writer, runs in
      writer.array(runs.list) { $0.identifiers([$1.first, Int64($1.count)]) }
    }
  }

  /// Writes the versions of rows as runs of consecutive identifiers with equal versions.
  fileprivate mutating func writeRuns(_ rows: [(identifier: Int64, version: Int64)]) {
    var runs: [(first: Int64, version: Int64, count: Int64)] = []
    for row in rows {
      if let last = runs.last, last.version == row.version,
        last.first + last.count == row.identifier
      {
        runs[runs.count - 1].count += 1
      } else {
        runs.append((row.identifier, row.version, 1))
      }
    }
    array(runs) { $0.identifiers([$1.first, $1.version, $1.count]) }
  }
}

extension IdempotencyTable {
  /// Returns a hash that identifies a request.
  static func hash(_ operation: Operation) -> Int64 {
    var writer = JSONWriter()
    writer.string(operation.name)
    var checksum = Checksum()
    if case .save(let request) = operation, request.byteCount > Limits.frameBytes {
      let rest = request.withoutRows { rows in rows.withUnsafeBytes { checksum.add($0) } }
      writer.write(.save(rest))
    } else {
      writer.write(operation)
    }
    writer.bytes.withUnsafeBytes { checksum.add($0) }
    return Int64(bitPattern: checksum.value)
  }
}

extension SaveRequest {
  /// Returns a request without its rows, after calling `body` with them.
  ///
  /// The rows may be too large to be encoded again.
  fileprivate func withoutRows(_ body: ([UInt8]) -> Void) -> SaveRequest {
    var rest = self
    func take(_ rows: inout RowBatch) {
      body(rows.json)
      rows = RowBatch()
    }
    for index in rest.inserts.indices { take(&rest.inserts[index].rows) }
    for index in rest.updates.indices {
      take(&rest.updates[index].rows)
      if rest.updates[index].base != nil { rest.updates[index].base?.rows = RowBatch() }
      if let base = updates[index].base { body(base.rows.json) }
    }
    return rest
  }
}
