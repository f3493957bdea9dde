internal import DepotLinux
internal import DepotProtocol

/// A file with the progress of an import, so that it can continue after an interruption.
///
/// It has a line for the import's source, one at the change to another file of an export, one
/// before each request with its whole content, and one after it. A request with an unknown outcome
/// is sent again with the same idempotency key.
final class ImportJournal {
  static let beginAgain: OptionSpec =
    "--begin-again: with --resume: forget the progress in JOURNAL, and import everything"

  /// A request that was sent.
  struct Pending: Equatable {
    var request: SaveRequest
    var key: String
    var records: [Int]
    var deferred: [Int]
    /// The rows known by names of the file, by their temporary identifiers.
    var rows: [String: FileRow]
    /// The number of rows nested in records, by entity.
    var related: [String: Int] = [:]
  }

  /// A row as the files of an export name it.
  @Memberwise
  struct FileRow: Hashable {
    var entity: String
    var name: String

    /// - Returns: `nil` if the key is an attribute, since the store finds the row by that.
    init?(_ key: NaturalKey, _ value: Value) {
      guard key.isFileIdentifier, case .string(let name) = value else {
        return nil
      }
      self.init(entity: key.entity, name: name)
    }

    var key: NaturalKey {
      NaturalKey(entity: entity, path: NaturalKey.fileIdentifier, type: .string)
    }
  }

  /// The state of each file, by its entity; a single file has the empty text.
  struct History: Equatable {
    /// The fingerprint of the files and of the import's options.
    var source = ""
    /// The group of the import in the store's history; empty in journals of earlier programs.
    var group = ""
    /// The token of the last request with a known outcome.
    var token: HistoryToken?
    /// The identifiers of the stores to import into.
    var stores: [String] = []
    var files: [String: State] = [:]
  }

  /// The progress of the import of a file.
  struct State: Equatable {
    /// The records that needn't be processed again.
    var handled: Set<Int> = []
    var deferred: [Int: Int64] = [:]
    var outcome = Importer.Outcome()
    var sent = 0
    var pending: Pending?
    /// The identifiers of rows with names in the files.
    var rows: [FileRow: Int64] = [:]
    /// The identifiers of the rows made from its records.
    var stored: [ClosedRange<Int64>] = []
  }

  private let file: Descriptor
  /// The group of the import in the store's history; empty in journals of earlier programs.
  let group: String
  /// The token of the last request with a known outcome when the journal was opened.
  let token: HistoryToken?

  /// Opens a journal, or begins a new one of a source.
  ///
  /// - Throws: ``DepotError`` `storage.io` if it can't be written.
  init(
    path: String,
    source: String,
    stores: [String],
    group: String,
    token: HistoryToken? = nil,
    isNew: Bool
  ) throws(DepotError) {
    self.group = group
    self.token = token
    file = try attempt("The file \(path) can't be written") { () throws(SystemError) in
      try isNew ? Descriptor.create(path: path) : Descriptor.open(appending: path)
    }
    guard isNew else { return }
    let stores = JSONValue.array(stores.map(JSONValue.string))
    try write(["source": .string(source), "group": .string(group), "stores": stores])
  }

  /// Notes that the previous line is incomplete, because the program ended while it was written.
  func cut() throws(DepotError) {
    try write([0x0A] + Array(JSONValue.object(["cut": .bool(true)]).text.utf8))
  }

  /// Notes that the following lines are about the file of an entity.
  func enter(_ entity: String) throws(DepotError) { try write(["file": .string(entity)]) }

  /// Notes a request that is about to be sent.
  func begin(_ pending: Pending) throws(DepotError) {
    var writer = JSONWriter()
    writer.write(Call(id: 0, .save(pending.request), key: pending.key))
    let arguments = try JSONDocument(writer.bytes, valueLimit: .max).root.members()
      .first { $0.name.isString("args") }?.value
    let text = arguments.map { Array($0.document.bytes[$0.range]) } ?? []
    let rows = pending.rows.mapValues { JSONValue.array([.string($0.entity), .string($0.name)]) }
    let facts = JSONValue.object([
      "begin": .string(pending.key), "deferring": Self.list(pending.deferred),
      "records": Self.list(pending.records), "rows": .object(rows),
      "related": Self.counts(pending.related),
    ]).text
    // The request is large and is JSON already.
    try write(Array(facts.utf8.dropLast()) + Array(",\"save\":".utf8) + text + [UInt8(ascii: "}")])
  }

  /// Notes that the request was refused, so that nothing of it is stored.
  func fail() throws(DepotError) { try write(["fail": .bool(true)]) }

  /// Notes that the request with some records is stored.
  ///
  /// - Parameters:
  ///   - records: The records.
  ///   - deferred: The identifiers of the records that lack relationships.
  ///   - rows: The identifiers of rows with names in the file.
  ///   - stored: The identifiers of all rows made from the records.
  ///   - token: The store's token afterwards, if anything changed.
  ///   - outcome: The numbers of all records until then, by their outcomes.
  /// - Throws: ``DepotError`` `storage.io` if it can't be written.
  func end(
    _ records: [Int],
    deferred: [Int: Int64],
    rows: [String: Int64],
    stored: [Int64],
    at token: HistoryToken?,
    _ outcome: Importer.Outcome
  ) throws(DepotError) {
    let runs = stored.sorted().runs.flatMap { [$0.lowerBound, $0.upperBound] }
    try write([
      "stored": .array(runs.map(JSONValue.int64)),
      "token": token.map { .string($0.description) } ?? .null,
      "rows": .object(rows.mapValues(JSONValue.int64)),
      "deferred": .object(
        Dictionary(uniqueKeysWithValues: deferred.map { ("\($0.key)", .int64($0.value)) })
      ),
      "end": Self.list(records), "inserted": .int64(Int64(outcome.inserted)),
      "updated": .int64(Int64(outcome.updated)), "skipped": .int64(Int64(outcome.skipped)),
      "related": Self.counts(outcome.related),
    ])
  }

  /// Notes that a record was rejected.
  func reject(_ record: Int) throws(DepotError) { try write(["reject": .int64(Int64(record))]) }

  /// Notes that the deferred relationships of records are stored.
  func linked(_ records: [Int]) throws(DepotError) { try write(["linked": Self.list(records)]) }

  /// Notes that a record is stored without some of its references.
  func unlinked(_ record: Int) throws(DepotError) {
    try write(["unlinked": .int64(Int64(record))])
  }

  private func write(_ members: [String: JSONValue]) throws(DepotError) {
    try write(Array(JSONValue.object(members).text.utf8))
  }

  private func write(_ line: [UInt8]) throws(DepotError) {
    try attempt("The journal of the import can't be written") { () throws(SystemError) in
      try file.write(line + [0x0A])
    }
  }

  private static func counts(_ counts: [String: Int]) -> JSONValue {
    .object(counts.mapValues { .int64(Int64($0)) })
  }

  private static func list(_ numbers: [Int]) -> JSONValue {
    .array(numbers.map { .int64(Int64($0)) })
  }
}

extension [Int64] {
  /// The runs of consecutive numbers in an ascending list.
  fileprivate var runs: [ClosedRange<Int64>] {
    var result: [ClosedRange<Int64>] = []
    for number in self {
      if let last = result.last, number <= last.upperBound + 1 {
        result[result.count - 1] = last.lowerBound...number
      } else {
        result.append(number...number)
      }
    }
    return result
  }
}
