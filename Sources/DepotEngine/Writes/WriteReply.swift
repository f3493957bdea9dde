internal import DepotProtocol

/// The result of a write, before it is encoded for a connection.
@Memberwise("content")
struct WriteReply {
  var content: Content
  /// The token of the transaction, if it changed anything.
  var token: HistoryToken?

  enum Content {
    /// The members of the object.
    case members([String: JSONValue])
    case insertion(InsertResult, InsertRequest)
    case save(SaveResult)
    /// The number of updated or deleted rows, and their identifiers if requested.
    case rows(StaticString, Int, [Int64]?)
    /// The result of an earlier write with the same key, with identifiers as numbers.
    case stored([UInt8])
  }

  static let empty = WriteReply(.members([:]))

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
      case .members(let members):
        members.eachInOrder { writer.add($0, $1) }
      case .insertion(let result, let request): writer.add(result, of: request, form)
      case .save(let result): writer.add(result, form)
      case .rows(let name, let count, let identifiers):
        writer.member(name, count)
        if let identifiers {
          writer.member("ids")
          writer.identifiers(identifiers, as: form)
        }
      case .stored: break
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

  /// Checks that `byteCount` bytes of identifiers, each perhaps in quotation marks, fit an answer.
  static func checkIdentifiers(_ byteCount: Int) throws(DepotError) {
    guard byteCount > Limits.frameBytes / 2 else { return }
    throw DepotError(.frameTooLarge, "There are more identifiers than fit an answer.")
      .hint("Leave returnIds out, or change fewer rows.").at("/args/returnIds")
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

extension [Int64] {
  /// The size of the identifiers in bytes as decimal numbers, each with a comma.
  var textByteCount: Int { reduce(count) { $0 + $1.description.utf8.count } }
}

extension JSONWriter {
  fileprivate mutating func add(_ name: String, _ value: JSONValue) {
    self.name(name)
    write(value)
  }

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
      conflicts.members.eachInOrder { add($0, $1) }
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

  fileprivate mutating func add(
    _ result: InsertResult,
    of request: InsertRequest,
    _ form: Int64Form
  ) {
    member("inserted", result.inserted)
    member("updated", result.updated)
    member("skipped", result.skipped)
    if request.returnsIdentifiers { add(result.identifiers, form) }
    guard request.reportsRejects else { return }
    member("rejected")
    array(result.rejected) { writer, rejected in
      writer.object { writer in
        writer.member("row", rejected.row)
        writer.member("error")
        writer.write(rejected.error)
      }
    }
  }
}
