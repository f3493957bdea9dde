internal import DepotProtocol

/// A save that is too large for one frame, cut into parts that fit.
///
/// The batches keep their indexes in the request, since errors and conflicts point to these.
struct SaveParts {
  /// The limits of a frame.
  struct Capacity: Sendable {
    var rows = Limits.rows
    var bytes = Limits.frameBytes
    var values = Limits.values
  }

  private let request: SaveRequest
  private let limits: Capacity
  /// The most bytes of a part.
  ///
  /// It is less than a frame, so that the service stores one part while the next is encoded.
  private let bytesOfPart: Int
  /// The list that is being cut, and the index of its batch.
  private var list = SaveRequest.List.insert
  private var index = 0
  /// The rest of a batch of rows that was cut.
  private var splitters: (rows: RowSplitter, base: RowSplitter?)?
  /// The number of identifiers of a list that are in parts already.
  private var offset = 0
  /// The number of parts so far.
  private var number = 0
  private var isAtEnd = false
  private var part = Draft()

  /// The part that is being put together, and its size so far.
  private struct Draft {
    var rows = 0
    /// An upper bound of the bytes of its JSON.
    var bytes = 0
    var values = 0
    var changes = SaveRequest()
    /// The list whose first batch continues the last one of the previous part.
    var continued: SaveRequest.List?

    var isEmpty: Bool { rows == 0 }
  }

  /// Cuts a save into parts, or returns `nil` if it fits a frame.
  init?(_ request: SaveRequest, _ limits: Capacity = Capacity()) {
    // A value takes two bytes at least, and the JSON around rows is short.
    let isSmall = request.byteCount < min(limits.bytes / 2, 2 * limits.values)
    guard request.rowCount > limits.rows || !isSmall else { return nil }
    self.request = request
    self.limits = limits
    bytesOfPart = limits.bytes / 4
  }

  /// Returns the next part.
  mutating func next() -> StageRequest.Part? {
    guard !isAtEnd else { return nil }
    part = Draft()
    while advance() {}
    guard !part.isEmpty || !isAtEnd else { return nil }
    number += 1
    return StageRequest.Part(number: number, part.changes, continuing: part.continued)
  }

  /// Adds one batch, or as much of it as fits, and returns whether the part has room for more.
  private mutating func advance() -> Bool {
    switch list {
    case .insert:
      guard index < request.inserts.count else { return begin(.update) }
      var insertion = request.inserts[index]
      return rows(insertion.rows, nil, insertion.columns) { changes, rows, _ in
        insertion.rows = rows
        changes.inserts.append(insertion)
      }
    case .update:
      guard index < request.updates.count else { return begin(.delete) }
      var change = request.updates[index]
      let columns = change.columns + (change.base?.columns ?? [])
      return rows(change.rows, change.base?.rows, columns) { changes, rows, base in
        change.rows = rows
        if let base { change.base?.rows = base }
        changes.updates.append(change)
      }
    case .delete:
      guard index < request.deletes.count else { return begin(.read) }
      var deletion = request.deletes[index]
      return identifiers(deletion.identifiers.count) { changes, range in
        deletion.identifiers = Array(deletion.identifiers[range])
        deletion.versions = deletion.versions.map { Array($0[range]) }
        changes.deletes.append(deletion)
      }
    case .read:
      guard index < request.reads.count else {
        isAtEnd = true
        return false
      }
      var read = request.reads[index]
      return identifiers(read.identifiers.count) { changes, range in
        read.identifiers = Array(read.identifiers[range])
        read.versions = Array(read.versions[range])
        changes.reads.append(read)
      }
    }
  }

  /// Continues with the next list.
  private mutating func begin(_ next: SaveRequest.List) -> Bool {
    list = next
    index = 0
    return true
  }

  /// Takes as many rows of a batch as there is room for.
  private mutating func rows(
    _ batch: RowBatch,
    _ base: RowBatch?,
    _ columns: [String],
    _ append: (inout SaveRequest, RowBatch, RowBatch?) -> Void
  ) -> Bool {
    let isContinued = splitters != nil
    var (splitter, baseSplitter) = splitters ?? (RowSplitter(batch), base.map(RowSplitter.init))
    // The members of a batch without its rows have less than 128 bytes and 8 values.
    let names = columns.reduce(128) { $0 + $1.utf8.count + 8 }
    var isFull = false
    part.bytes += names
    part.values += columns.count + 8
    while !splitter.isAtEnd {
      let (weight, end) = splitter.next()
      let (baseWeight, baseEnd) = baseSplitter?.next() ?? (RowSplitter.Weight(), 0)
      let bytes = part.bytes + weight.bytes + baseWeight.bytes
      let values = part.values + weight.values + baseWeight.values
      let isTooMuch =
        part.rows == limits.rows || bytes > bytesOfPart || values > limits.values / 2
      // A part has at least one row, however large.
      if isTooMuch, !part.isEmpty {
        isFull = true
        break
      }
      splitter.take(to: end)
      baseSplitter?.take(to: baseEnd)
      part.rows += 1
      part.bytes = bytes
      part.values = values
    }
    if splitter.count > 0 || !isContinued && !isFull {
      if isContinued { part.continued = list }
      let piece = splitter.piece()
      append(&part.changes, piece, baseSplitter?.piece())
      splitters = (splitter, baseSplitter)
    }
    if isFull { return false }
    splitters = nil
    index += 1
    return true
  }

  /// Takes as many identifiers of a list as there is room for.
  private mutating func identifiers(
    _ count: Int,
    _ append: (inout SaveRequest, Range<Int>) -> Void
  ) -> Bool {
    let end = min(count, offset + limits.rows - part.rows)
    if end > offset || offset == 0 && count == 0 {
      if offset > 0 { part.continued = list }
      append(&part.changes, offset..<end)
      part.rows += end - offset
      // An identifier and a version have at most 20 bytes each, with their commas.
      part.bytes += (end - offset) * 40
      offset = end
    }
    guard offset == count else { return false }
    offset = 0
    index += 1
    return true
  }
}
