internal import DepotClient
internal import DepotProtocol

/// The import of a stream of records in batches, with as much memory as one batch takes.
final class Importer {
  /// How records become rows.
  struct Options {
    var batch = 1000
    var onConflict = InsertRequest.OnConflict.error
    var ignoresUnknown = false
    /// What stands for null in CSV.
    var nullText: String?
  }

  /// What became of the records.
  struct Outcome: Equatable {
    var inserted = 0
    var updated = 0
    var skipped = 0
    var rejected = 0
    /// Those of the stored that lack links which lead nowhere.
    var unlinked = 0

    var rows: Int { inserted + updated + skipped + rejected }

    /// The exit status of a program that imported.
    var exitStatus: Int32 { rejected + unlinked == 0 ? 0 : 65 }
  }

  /// The largest batch in bytes, a record more or less.
  static let batchBytes = 4 << 20

  private(set) var outcome = Outcome()
  private let entity: Entity
  private let options: Options
  private let rejects: RejectsFile?
  private let send: (InsertRequest) throws -> InsertResult
  private var encoder: RowEncoder
  private var header: DelimitedHeader?
  private var batch = ImportBatch()
  private var row: [UInt8] = []

  /// Creates an importer.
  ///
  /// - Parameters:
  ///   - entity: The entity of the rows.
  ///   - options: How records become rows.
  ///   - rejects: Where bad records go; the first of them ends the import if there is nowhere.
  ///   - send: Inserts a batch.
  init(
    _ entity: Entity,
    _ options: Options,
    rejects: RejectsFile?,
    send: @escaping (InsertRequest) throws -> InsertResult
  ) {
    self.entity = entity
    self.options = options
    self.rejects = rejects
    self.send = send
    // A replacement leaves attributes that aren't named as they are, so nothing may be filled in.
    encoder = RowEncoder(
      entity,
      ignoresUnknown: options.ignoresUnknown,
      fillsAbsent: options.onConflict != .replace
    )
  }

  /// Adds a JSON object.
  func add(_ record: InputRecord) throws {
    let input = rejects == nil ? nil : Array(record.bytes)
    row.removeAll(keepingCapacity: true)
    do throws(DepotError) {
      try record.bytes.withUnsafeBufferPointer { bytes throws(DepotError) in
        try encoder.append(object: bytes, to: &row)
      }
    } catch {
      return try refuse(error, line: record.line, input: record.bytes)
    }
    let columns = encoder.present.count == batch.columns.count ? nil : encoder.columns
    if options.onConflict == .replace || columns != nil { try change(columns: encoder.columns) }
    batch.append(encoded: row, line: record.line, input: input)
    try sendIfLarge()
  }

  /// Adds a row of CSV; the first one is the header.
  func add(_ record: DelimitedRecord) throws {
    guard let header else {
      let header = try DelimitedHeader(
        record,
        of: entity,
        ignoresUnknown: options.ignoresUnknown,
        nullText: options.nullText
      )
      batch.columns = header.columns
      self.header = header
      return
    }
    if record.isBlank, header.count > 1 { return }
    do throws(DepotError) {
      let input = rejects == nil ? nil : record.text
      try batch.append(line: record.line, input: input) { output throws(DepotError) in
        try header.append(record, to: &output)
      }
    } catch {
      return try refuse(error, line: record.line, input: record.text[...])
    }
    try sendIfLarge()
  }

  /// Sends what is left.
  func finish() throws {
    try flush()
    try rejects?.finish()
  }

  /// Rejects a record, or ends the import.
  func refuse(_ error: DepotError, line: Int, input: ArraySlice<UInt8>) throws {
    guard let rejects else {
      // What stands before it may be worse, and is to be stored otherwise.
      try flush()
      throw located(error, line)
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
    if batch.count >= options.batch || batch.byteCount >= Self.batchBytes
      || values >= Limits.values / 2
    {
      try flush()
    }
  }

  private func flush() throws {
    guard batch.count > 0 else { return }
    let request = InsertRequest(
      entity: entity.name,
      columns: batch.columns,
      rows: batch.rows,
      onConflict: options.onConflict,
      reportsRejects: rejects != nil
    )
    let result: InsertResult
    do {
      result = try send(request)
    } catch let error as DepotError {
      throw locatedInBatch(error)
    }
    outcome.inserted += result.inserted
    outcome.updated += result.updated
    outcome.skipped += result.skipped
    outcome.rejected += result.rejected.count
    for reject in result.rejected where batch.inputs.indices.contains(reject.row) {
      try rejects?.append(
        line: batch.lines[reject.row],
        error: reject.error,
        input: batch.inputs[reject.row]
      )
    }
    batch.removeAll()
  }

  /// Returns the error about a batch with the line of the row that it is about, if it names one.
  private func locatedInBatch(_ error: DepotError) -> DepotError {
    let steps = error.at?.split(separator: "/") ?? []
    guard let rows = steps.firstIndex(of: "rows"), rows + 1 < steps.count,
      let row = Int(steps[rows + 1]), batch.lines.indices.contains(row)
    else {
      let isLost = error.effect == .unknown
      return withCount(error)
        .hint(isLost ? "Import again with --on-conflict skip, if an attribute is unique." : nil)
    }
    var located = error
    let column = rows + 2 < steps.count ? Int(steps[rows + 2]) : nil
    located.at = column.flatMap {
      batch.columns.indices.contains($0) ? batch.columns[$0] : nil
    }
    return self.located(located, batch.lines[row])
  }

  private func located(_ error: DepotError, _ line: Int) -> DepotError {
    var located = withCount(error)
    located.at = "line \(line)" + (error.at.map { ", \($0)" } ?? "")
    located.hint = error.hint ?? "Use --rejects FILE to set bad records aside and go on."
    return located
  }

  /// Returns the error with how many rows are stored already.
  private func withCount(_ error: DepotError) -> DepotError {
    var counted = error
    let stored = outcome.inserted + outcome.updated
    let sentence =
      stored + outcome.skipped == 0
      ? "Nothing was stored." : "\(Numbers.counted(stored, "row")) before it were stored."
    counted.message += " " + sentence
    return counted
  }
}
