internal import DepotClientCore
internal import DepotProtocol

/// The records of some rows, and the rows that came without large values.
struct RecordBatch<Model: Record> {
  /// A row whose record has to be read on its own.
  struct Incomplete {
    let identifier: Int64
    /// How many records of the batch come before it.
    let place: Int
  }

  private(set) var records: [Model] = []
  private(set) var incomplete: [Incomplete] = []

  /// How many rows there are.
  var count: Int { records.count + incomplete.count }

  /// Reads the values of a row.
  mutating func append(_ row: inout RowReader) throws(DepotError) {
    do throws(DepotError) {
      records.append(try Model(from: &row))
    } catch {
      guard error.isOfLength else { throw error }
      incomplete.append(Incomplete(identifier: row.identifier, place: records.count))
      try row.skipRest()
    }
  }

  /// Returns the records of a range of the rows.
  ///
  /// - Parameters:
  ///   - range: The numbers of the rows.
  ///   - others: The records of all incomplete rows; `nil` for each that is left out.
  /// - Returns: The records in the order of their rows.
  func records(in range: Range<Int>, with others: [Model?]) -> [Model] {
    var result: [Model] = []
    result.reserveCapacity(range.count)
    var next = range.lowerBound
    /// How many incomplete rows come before the next one.
    var passed = 0
    for (index, row) in incomplete.enumerated() {
      let number = row.place + index
      if number >= range.upperBound { break }
      passed = index + 1
      guard number >= range.lowerBound else { continue }
      result += records[next - index..<row.place]
      if let other = others[index] { result.append(other) }
      next = number + 1
    }
    return result + records[next - passed..<range.upperBound - passed]
  }
}

extension ServiceConnection {
  /// Returns the records of a batch, all of them with their large values.
  ///
  /// Rows that were deleted meanwhile are left out.
  @Blocking
  @concurrent
  func wholeRecords<Model: Record>(
    _ batch: RecordBatch<Model>,
    of request: FetchRequest,
    _ deadline: SharedDeadline = SharedDeadline(nil)
  ) async throws -> [Model] where Self == Client {
    guard !batch.incomplete.isEmpty else { return batch.records }
    let others: [Model?] = try await self.incompleteRecords(batch, of: request, deadline)
    return batch.records(in: 0..<batch.count, with: others)
  }

  /// Returns the incomplete records of a batch; `nil` for each that was deleted meanwhile.
  @Blocking
  @concurrent
  func incompleteRecords<Model: Record>(
    _ batch: RecordBatch<Model>,
    of request: FetchRequest,
    _ deadline: SharedDeadline
  ) async throws -> [Model?] where Self == Client {
    var records: [Model?] = []
    for row in batch.incomplete {
      records.append(try await self.wholeRecord(row.identifier, of: request, deadline))
    }
    return records
  }

  /// Returns a record with its large values; `nil` if its row was deleted.
  @Blocking
  @concurrent
  func wholeRecord<Model: Record>(
    _ identifier: Int64,
    of request: FetchRequest,
    _ deadline: SharedDeadline
  ) async throws -> Model? where Self == Client {
    try await self.wholeRow(identifier, WholeRowRequest(Model.self, as: request), deadline) { row in
      let record = try Model(from: &row)
      try row.skipRest()
      return record
    }?.content
  }
}
