internal import DepotLinux
internal import DepotProtocol

/// The file that says how far an import is, so that it can go on after an interruption.
///
/// It has a line for what file is imported, one before each request with all of it, and one after it.
/// A request of which nobody knows the outcome is sent again with the same idempotency key.
final class ImportJournal {
  /// A request that was sent.
  struct Pending: Equatable {
    var request: SaveRequest
    var key: String
    var records: [Int]
    var deferred: [Int]
  }

  /// What an import has done.
  struct State: Equatable {
    /// What identifies the file and how it is imported.
    var source = ""
    /// The records that needn't be looked at again.
    var handled: Set<Int> = []
    var deferred: [Int: Int64] = [:]
    var outcome = Importer.Outcome()
    var sent = 0
    var pending: Pending?
  }

  private let file: Descriptor

  /// Opens a journal.
  ///
  /// - Parameters:
  ///   - path: The file, which is created if it isn't there.
  ///   - source: What identifies the file that is imported, and how.
  ///   - isNew: Whether the journal begins now.
  /// - Throws: ``DepotError`` `storage.io` if it can't be written.
  init(path: String, source: String, isNew: Bool) throws(DepotError) {
    do throws(SystemError) {
      file = isNew ? try Descriptor.create(path: path) : try Descriptor.open(appending: path)
    } catch {
      throw DepotError(.io, "The file \(path) can't be written (\(error)).")
    }
    if isNew { try write(["source": .string(source)]) }
  }

  /// Notes a request that is about to be sent.
  func begin(
    _ request: SaveRequest,
    key: String?,
    _ records: [Int],
    deferring: [Int]
  ) throws(DepotError) {
    var writer = JSONWriter()
    writer.write(Call(id: 0, .save(request), deadlineMilliseconds: nil, key: key))
    let arguments = try JSONDocument(writer.bytes, valueLimit: .max).root.members()
      .first { $0.name.isString("args") }?.value
    let text = arguments.map { Array($0.document.bytes[$0.range]) } ?? []
    let facts = JSONValue.object([
      "begin": .string(key ?? ""), "deferring": Self.list(deferring), "records": Self.list(records),
    ]).text
    // The request is large and is JSON already.
    try write(Array(facts.utf8.dropLast()) + Array(",\"save\":".utf8) + text + [UInt8(ascii: "}")])
  }

  /// Notes that the request was refused, and so nothing of it is stored.
  func fail() throws(DepotError) { try write(["fail": .bool(true)]) }

  /// Notes that the request is stored.
  func end(
    _ records: [Int],
    deferred: [Int: Int64],
    _ outcome: Importer.Outcome
  ) throws(DepotError) {
    try write([
      "deferred": .object(
        Dictionary(uniqueKeysWithValues: deferred.map { ("\($0.key)", .int64($0.value)) })
      ),
      "end": Self.list(records), "inserted": .int64(Int64(outcome.inserted)),
      "updated": .int64(Int64(outcome.updated)),
    ])
  }

  /// Notes that a record was rejected.
  func reject(_ record: Int) throws(DepotError) { try write(["reject": .int64(Int64(record))]) }

  /// Notes that a record is stored without all of its links.
  func unlinked(_ record: Int) throws(DepotError) {
    try write(["unlinked": .int64(Int64(record))])
  }

  private func write(_ members: [String: JSONValue]) throws(DepotError) {
    try write(Array(JSONValue.object(members).text.utf8))
  }

  private func write(_ line: [UInt8]) throws(DepotError) {
    let result = (line + [0x0A]).withUnsafeBytes { bytes in
      Result { () throws(SystemError) in try file.write(bytes) }
    }
    if case .failure(let error) = result {
      throw DepotError(.io, "The journal of the import can't be written (\(error)).")
    }
  }

  private static func list(_ numbers: [Int]) -> JSONValue {
    .array(numbers.map { .int64(Int64($0)) })
  }
}

extension ImportJournal {
  /// Reads what a journal says; the last line may be cut.
  ///
  /// - Throws: ``DepotError`` `storage.io` if it is no journal.
  static func read(_ bytes: [UInt8], path: String) throws(DepotError) -> State {
    var state = State()
    let lines = bytes.split(separator: 0x0A)
    for (number, line) in lines.enumerated() {
      // What was cut by the interruption wasn't sent.
      guard let node = try? JSONDocument(Array(line), valueLimit: .max).root else {
        if number == lines.count - 1 { break }
        throw DepotError(.io, "\(path) is no journal of an import.").at("line \(number + 1)")
      }
      try state.read(node)
    }
    guard !state.source.isEmpty else {
      throw DepotError(.io, "\(path) is no journal of an import.")
    }
    return state
  }
}

extension ImportJournal.State {
  fileprivate mutating func read(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    if let source = try reader.optionalString("source") { self.source = source }
    if let key = try reader.optionalString("begin") {
      let document = try JSONDocument(Array("\"save\"".utf8))
      let operation = try Operation(document.root, arguments: reader.required("save"))
      guard case .save(let request) = operation else { return }
      pending = ImportJournal.Pending(
        request: request,
        key: key,
        records: try reader.required("records").integers(),
        deferred: try reader.required("deferring").integers()
      )
      sent += 1
    }
    if reader.optional("fail") != nil { pending = nil }
    if let record = try reader.optionalInt("reject") {
      handled.insert(record)
      outcome.rejected += 1
    }
    if let record = try reader.optionalInt("unlinked") {
      deferred[record] = nil
      outcome.unlinked += 1
    }
    if let records = reader.optional("end") {
      handled.formUnion(try records.integers())
      pending = nil
      outcome.inserted = try reader.optionalInt("inserted") ?? 0
      outcome.updated = try reader.optionalInt("updated") ?? 0
      for (name, value) in try reader.required("deferred").members() {
        if let record = Int(try name.string()) { deferred[record] = try value.int64() }
      }
    }
  }
}

extension JSONNode {
  fileprivate func integers() throws(DepotError) -> [Int] {
    var result: [Int] = []
    for element in try elements() { result.append(Int(try element.int64())) }
    return result
  }
}
