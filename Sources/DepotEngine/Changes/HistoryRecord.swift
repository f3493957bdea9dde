internal import DepotProtocol
internal import DepotSQLite

/// One row of the history.
final class HistoryRecord: Sendable {
  let identifier: Int64
  let token: Int64
  /// The entity of its rows; `nil` if it has no rows.
  let entity: String?
  let kind: HistoryTable.Kind?
  /// The bytes of a ``HistoryPage``.
  private let bytes: [UInt8]
  private let columns: [Column]
  private let hasValues: Bool
  /// The number of elements, and the offset of the first one.
  let count: Int
  private let start: Int

  private struct Column: Sendable {
    var name: String
    var form: RowColumn.Form
  }

  /// The place of an element in the page: its row, and its offset.
  struct ElementPlace: Sendable {
    let row: Int64
    fileprivate let offset: Int
  }

  /// Parses the bytes of a page; without bytes, the record has no elements.
  ///
  /// - Throws: ``DepotError`` `storage.corrupt` if the bytes aren't a valid page.
  init(
    identifier: Int64,
    token: Int64,
    _ page: (entity: String, kind: HistoryTable.Kind, bytes: [UInt8])?
  ) throws(DepotError) {
    self.identifier = identifier
    self.token = token
    entity = page?.entity
    kind = page?.kind
    let bytes = page?.bytes ?? []
    self.bytes = bytes
    guard page != nil else {
      (columns, hasValues, count, start) = ([], false, 0, 0)
      return
    }
    guard let head = bytes.withUnsafeBytes(Self.head) else { throw Self.damaged(identifier) }
    (columns, hasValues, count, start) = (head.columns, head.hasValues, head.count, head.end)
  }

  /// Reads a full row.
  convenience init(_ row: borrowing Row) throws(DepotError) {
    let (identifier, token) = (row.integer(0), row.integer(1))
    guard !row.isNull(8), let kind = HistoryTable.Kind(rawValue: row.integer(9)) else {
      try self.init(identifier: identifier, token: token, nil)
      return
    }
    let page = (row.text(8), kind, Array(row.bytes(12)))
    try self.init(identifier: identifier, token: token, page)
  }

  private static func head(
    _ bytes: UnsafeRawBufferPointer
  ) -> (columns: [Column], hasValues: Bool, count: Int, end: Int)? {
    var offset = 0
    guard let count = PackedCells.count(in: bytes, &offset), count >= 0,
      // An element takes a byte at least.
      count <= bytes.count, let flags = PackedCells.count(in: bytes, &offset), flags >> 1 == 0,
      let columnCount = PackedCells.count(in: bytes, &offset), 0...bytes.count ~= columnCount
    else { return nil }
    var columns: [Column] = []
    columns.reserveCapacity(columnCount)
    for _ in 0..<columnCount {
      guard let length = PackedCells.count(in: bytes, &offset),
        length >= 0, length <= bytes.count - offset
      else { return nil }
      let name = String(decoding: bytes[offset..<offset + length], as: UTF8.self)
      offset += length
      guard let code = PackedCells.count(in: bytes, &offset), let form = RowColumn.Form(code: code)
      else { return nil }
      columns.append(Column(name: name, form: form))
    }
    return (columns, flags == 1, count, offset)
  }

  // MARK: - Elements

  /// Calls `body` with the offset of each element.
  ///
  /// It must return the element's end, or `nil` to stop.
  private func eachElement(
    _ body: (_ reader: inout Reader) -> Void?
  ) throws(DepotError) {
    let isRead = bytes.withUnsafeBytes { bytes in
      var reader = Reader(bytes: bytes, offset: start)
      for _ in 0..<count where body(&reader) == nil { return false }
      return reader.offset == bytes.count
    }
    guard isRead else { throw Self.damaged(identifier) }
  }

  /// The identifiers of the inserted rows, as ranges.
  func ranges() throws(DepotError) -> [ClosedRange<Int64>] {
    var result: [ClosedRange<Int64>] = []
    guard kind == .insert else { return result }
    try eachElement { reader in
      guard let first = reader.count(), let more = reader.count(), more >= 0 else { return nil }
      let (last, overflows) = Int64(first).addingReportingOverflow(Int64(more))
      guard !overflows else { return nil }
      result.append(Int64(first)...last)
      return ()
    }
    return result
  }

  /// The changes of rows and their links, without insertions.
  func changes() throws(DepotError) -> [RecordedChange] {
    try elements().map { (element) throws(DepotError) in try change(element) }
  }

  /// The elements that change, delete, or relink rows.
  func elements() throws(DepotError) -> [ElementPlace] {
    var result: [ElementPlace] = []
    guard let kind, kind != .insert else { return result }
    result.reserveCapacity(count)
    try eachElement { reader in
      let offset = reader.offset
      guard let row = reader.count(), reader.skip(kind, hasValues) != nil else { return nil }
      result.append(ElementPlace(row: Int64(row), offset: offset))
      return ()
    }
    return result
  }

  /// Returns the insertion of a row in ``ranges()``.
  func insertion(of row: Int64) -> RecordedChange {
    RecordedChange(
      record: identifier,
      token: token,
      kind: .insert,
      entity: entity ?? "",
      identifier: row
    )
  }

  /// Reads one element.
  func change(_ element: ElementPlace) throws(DepotError) -> RecordedChange {
    guard let kind, let entity else { throw Self.damaged(identifier) }
    var change = RecordedChange(
      record: identifier,
      token: token,
      kind: kind,
      entity: entity,
      identifier: element.row
    )
    let isRead = bytes.withUnsafeBytes { bytes in
      var reader = Reader(bytes: bytes, offset: element.offset)
      guard reader.count() != nil else { return false }
      return read(&reader, kind, into: &change) != nil
    }
    guard isRead else { throw Self.damaged(identifier) }
    return change
  }

  private func read(
    _ reader: inout Reader,
    _ kind: HistoryTable.Kind,
    into change: inout RecordedChange
  ) -> Void? {
    if kind == .links {
      guard let column = column(&reader), let added = reader.identifiers(),
        let removed = reader.identifiers()
      else { return nil }
      let content: RecordedChange.Content =
        hasValues ? .links(added: added, removed: removed) : .name
      change.properties = [.init(name: column.name, content: content)]
      return ()
    }
    guard let version = reader.count(), let count = reader.count(), 0...bytes.count ~= count else {
      return nil
    }
    change.version = Int64(version)
    change.properties.reserveCapacity(count)
    for _ in 0..<count {
      guard let column = column(&reader) else { return nil }
      guard let content = content(&reader, kind, column.form) else { return nil }
      change.properties.append(.init(name: column.name, content: content))
    }
    return ()
  }

  private func column(_ reader: inout Reader) -> Column? {
    guard let number = reader.count(), columns.indices.contains(number) else { return nil }
    return columns[number]
  }

  private func content(
    _ reader: inout Reader,
    _ kind: HistoryTable.Kind,
    _ form: RowColumn.Form
  ) -> RecordedChange.Content? {
    guard hasValues else { return .name }
    guard let old = reader.cell() else { return nil }
    let value = HistoryValue(bytes[old], form)
    guard kind == .update else { return .last(value) }
    guard let new = reader.cell() else { return nil }
    return .values(old: value, new: HistoryValue(bytes[new], form))
  }

  static func damaged(_ identifier: Int64) -> DepotError {
    DepotError(.corrupt, "The row \(identifier) of the history is damaged.")
      .hint("Delete the history up to it, or restore the store from a backup.")
  }
}

/// A position in the elements of a page.
private struct Reader {
  let bytes: UnsafeRawBufferPointer
  var offset: Int

  mutating func count() -> Int? { PackedCells.count(in: bytes, &offset) }

  /// Reads the range of a cell.
  mutating func cell() -> Range<Int>? {
    let start = offset
    guard PackedCells.next(in: bytes, &offset) != nil else { return nil }
    return start..<offset
  }

  mutating func identifiers() -> [Int64]? {
    guard let count = count(), 0...bytes.count - offset ~= count else { return nil }
    var result: [Int64] = []
    result.reserveCapacity(count)
    for _ in 0..<count {
      guard let identifier = self.count() else { return nil }
      result.append(Int64(identifier))
    }
    return result
  }

  /// Skips the rest of an element after its identifier.
  mutating func skip(_ kind: HistoryTable.Kind, _ hasValues: Bool) -> Void? {
    if kind == .links {
      guard count() != nil, identifiers() != nil, identifiers() != nil else { return nil }
      return ()
    }
    guard count() != nil, let columns = count(), columns >= 0, columns <= bytes.count else {
      return nil
    }
    for _ in 0..<columns {
      guard count() != nil else { return nil }
      guard hasValues else { continue }
      for _ in 0..<(kind == .update ? 2 : 1) where cell() == nil { return nil }
    }
    return ()
  }
}
