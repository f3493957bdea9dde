internal import DepotClientCore
internal import DepotProtocol

/// The import of a stream of records in batches, with memory for about three batches.
///
/// While the service stores a batch, it has received the next one, and the one after that is being
/// read.
final class Importer {
  /// The numbers of records by their outcome.
  struct Outcome: Equatable {
    var inserted = 0
    var updated = 0
    var skipped = 0
    var rejected = 0
    /// The stored records with references to missing rows.
    var unlinked = 0
    /// The number of stored rows without some references because of `--ignore-missing`.
    var ignoring = 0
    /// The number of stored rows that were nested in records, by entity.
    var related: [String: Int] = [:]
    /// The reason why the first record was left out, unless it is in a file of rejects.
    var firstReason: String?

    /// The number of records.
    var rows: Int { inserted + updated + skipped + rejected }

    /// The exit status of the import.
    var exitStatus: Int32 { rejected + unlinked == 0 ? 0 : 65 }
  }

  /// The size of the largest batch in bytes, plus up to one record.
  static let batchBytes = 4 << 20

  private(set) var outcome = Outcome()
  private let source: GraphSource
  private let options: GraphImporter.Options
  /// The file for bad records; without one the first bad record ends the import.
  private let rejects: RejectsFile?
  private let begin: (InsertRequest) throws -> Void
  private let finishSent: () throws -> InsertResult
  private var encoder: RecordEncoder
  private var batch: SentRows.Part
  /// The input of each row of the batch, if rejects are wanted.
  private var inputs: [[UInt8]] = []
  /// The batches sent but not known to be stored; each is stored only if the one before is.
  private var underway: [(batch: SentRows.Part, inputs: [[UInt8]])] = []
  /// The number of batches sent while the next one is read.
  private static let ahead = 2
  /// Whether the input may be slow, so that an interruption would have to wait for more of it.
  private var isSlow = false
  private var row = JSONWriter()

  /// Creates an import that waits for each batch when it is sent.
  convenience init(
    _ source: GraphSource,
    _ options: GraphImporter.Options,
    rejects: RejectsFile? = nil,
    send: @escaping (InsertRequest) throws -> InsertResult
  ) {
    var results: [Result<InsertResult, any Error>] = []
    self.init(
      source,
      options,
      rejects: rejects,
      begin: { request in results.append(Result { try send(request) }) },
      finish: { try results.removeFirst().get() }
    )
  }

  /// Creates an import.
  ///
  /// - Parameters:
  ///   - source: The entity, and how its records are read.
  ///   - options: How rows are stored.
  ///   - rejects: The file for bad records.
  ///   - begin: Sends rows, which are stored only if all rows sent before are.
  ///   - finish: Waits until the oldest sent rows are stored.
  init(
    _ source: GraphSource,
    _ options: GraphImporter.Options,
    rejects: RejectsFile? = nil,
    begin: @escaping (InsertRequest) throws -> Void,
    finish: @escaping () throws -> InsertResult
  ) {
    self.source = source
    batch = .init(entity: source.entity.name, columns: [])
    self.options = options
    self.rejects = rejects
    self.begin = begin
    finishSent = finish
    // A replacement keeps attributes that aren't named, so nothing may be filled in.
    encoder = RecordEncoder(
      source.entity,
      ignoresUnknown: source.style.ignoresUnknown,
      fillsAbsent: options.onConflict != .replace
    )
  }

  /// Adds all records of an unread file.
  func add(_ file: InputFile) throws {
    isSlow = file.fraction == nil
    do {
      try addRecords(of: file)
    } catch let error as DepotError where error == file.failure {
      // The records read before the failure are good.
      if error.code != .cancelled { try flush() }
      try settle()
      throw outcome.countingStored(with: error)
    } catch {
      try settle()
      throw error
    }
  }

  private func addRecords(of file: InputFile) throws {
    let map = source.style.map
    try source.records(
      of: file,
      object: { record in
        try add(record) { () throws(DepotError) in
          try record.check()
          return map.paths.isEmpty ? record.bytes : try map.object(record.bytes)[...]
        }
      },
      row: add
    )
    try finish()
  }

  /// Adds a row of CSV with resolved columns.
  private func add(_ record: DelimitedRecord, _ columns: DelimitedObjects) throws {
    guard let attributes = columns.attributes else {
      // All rows have the columns of the header.
      encoder.fillsAbsent = false
      let input = InputRecord(bytes: record.text, line: record.line)
      return try add(input) { () throws(DepotError) in try columns.object(record)[...] }
    }
    row.bytes.removeAll(keepingCapacity: true)
    do throws(DepotError) {
      try columns.write(record, to: &row)
    } catch {
      return try refuse(error, line: record.line, input: record.text)
    }
    try append(columns: attributes, line: record.line, input: record.text)
  }

  /// Adds a record, with a function that returns it as a JSON object.
  func add(_ record: InputRecord, _ object: () throws(DepotError) -> ArraySlice<UInt8>) throws {
    row.bytes.removeAll(keepingCapacity: true)
    do throws(DepotError) {
      try object().withUnsafeBufferPointer { bytes throws(DepotError) in
        try encoder.append(object: bytes, to: &row.bytes)
      }
    } catch {
      return try refuse(error, line: record.line, input: record.bytes)
    }
    let isSame = options.onConflict != .replace && encoder.present.count == batch.columns.count
    let columns = isSame ? batch.columns : encoder.columns
    try append(columns: columns, line: record.line, input: record.bytes)
  }

  /// Adds ``row``, the values of some columns, to the batch.
  private func append(
    columns: [String],
    line: Int,
    input: @autoclosure () -> ArraySlice<UInt8>
  ) throws {
    try change(columns: columns)
    batch.append(row.bytes, line: line)
    if rejects != nil { inputs.append(Array(input())) }
    try sendIfLarge()
  }

  /// Sends the remaining records.
  func finish() throws {
    try flush()
    try settle()
    try rejects?.finish()
  }

  /// Rejects a record, or ends the import.
  func refuse(_ error: DepotError, line: Int, input: ArraySlice<UInt8>) throws {
    guard let rejects else {
      // An earlier row may have a worse error; otherwise it must be stored.
      try flush()
      try settle()
      throw outcome.located(error, line: line)
    }
    try rejects.append(line: line, error: error, input: input)
    outcome.rejected += 1
  }

  private func change(columns: [String]) throws {
    guard columns != batch.columns else { return }
    try flush()
    batch.columns = columns
  }

  private func sendIfLarge() throws {
    let values = batch.count * max(1, batch.columns.count)
    if batch.count >= options.rows || batch.byteCount >= Self.batchBytes
      || values >= Limits.values / 2
    {
      try flush()
    }
  }

  /// Sends the batch.
  private func flush() throws {
    guard batch.count > 0 else { return }
    let request = InsertRequest(
      entity: batch.entity,
      columns: batch.columns,
      rows: batch.rows,
      onConflict: options.onConflict,
      reportsRejects: rejects != nil,
      returnsIdentifiers: false
    )
    let sent = (batch, inputs)
    batch = .init(
      entity: batch.entity,
      columns: batch.columns,
      capacity: batch.byteCount + batch.byteCount / 16
    )
    inputs = []
    do {
      try begin(request)
    } catch let error as DepotError {
      throw located(error, in: sent.0)
    }
    underway.append(sent)
    try settle(but: isSlow ? 0 : Self.ahead - 1)
  }

  /// Waits until the sent batches are stored, except the last ones.
  private func settle(but count: Int = 0) throws {
    while underway.count > count { try settleFirst() }
  }

  private func settleFirst() throws {
    let (batch, inputs) = underway.removeFirst()
    let result: InsertResult
    do {
      result = try finishSent()
    } catch let error as DepotError {
      var failure = located(error, in: batch)
      while !underway.isEmpty { try settleNext(&failure, after: error) }
      throw failure
    }
    note(result)
    for reject in result.rejected where inputs.indices.contains(reject.row) {
      try rejects?.append(
        line: batch.lines[reject.row],
        error: SentRows([batch]).located(reject.error, areStored: true).error,
        input: inputs[reject.row]
      )
    }
  }

  /// Waits for a batch after a failed one, and adds its error to `failure` if it differs.
  ///
  /// That batch isn't stored either.
  private func settleNext(_ failure: inout DepotError, after error: DepotError) throws {
    let batch = underway.removeFirst().batch
    do {
      note(try finishSent())
    } catch let cause as DepotError {
      guard cause.code != .cancelled, cause.code != error.code else { return }
      let (located, line) = SentRows([batch]).located(cause)
      failure.message += " Behind it\(line.map { ", in line \($0)" } ?? ""): \(located.message)"
    }
  }

  private func note(_ result: InsertResult) {
    outcome.inserted += result.inserted
    outcome.updated += result.updated
    outcome.skipped += result.skipped
    outcome.rejected += result.rejected.count
  }

  /// Returns the error of a batch with the line of its row, if it names one.
  private func located(_ error: DepotError, in batch: SentRows.Part) -> DepotError {
    let (located, line) = SentRows([batch]).located(error)
    if let line { return outcome.located(located, line: line) }
    let isLost = error.effect == .unknown
    return outcome.countingStored(with: located)
      .hint(
        isLost && located.hint == nil
          ? "Import again with --on-conflict skip, if an attribute is unique." : nil
      )
  }
}

extension Importer.Outcome {
  /// Returns the error that ends an import, with its line and the number of rows stored already.
  func located(_ error: DepotError, line: Int?) -> DepotError {
    var located = countingStored(with: error)
    if let line { located.at = "line \(line)" + (error.at.map { ", \($0)" } ?? "") }
    located.hint = located.hint ?? ImportAdvice.rejects
    return located
  }

  /// Returns an error with the number of rows that are already stored.
  func countingStored(with error: DepotError) -> DepotError {
    let stored = inserted + updated + related.values.reduce(0, +)
    var counted = error
    counted.message +=
      stored + skipped == 0
      ? " Nothing was stored."
      : " \(Numbers.counted(stored, "row")) before it \(stored == 1 ? "was" : "were") stored."
    // The service's error is only about the last request.
    if stored > 0, error.effect == .none {
      counted.effect = .partial
      counted.hint = counted.hint.map { ErrorReport.withoutNothing($0) }
    }
    if error.code == .cancelled, stored > 0 { counted.hint = ImportAdvice.resume }
    return counted
  }
}
