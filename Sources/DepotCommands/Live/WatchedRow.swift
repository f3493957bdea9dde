internal import DepotProtocol

/// A row of a watched result: the JSON of its values.
struct WatchedRow: Hashable, Sendable {
  /// The text of an array of the values.
  private let json: [UInt8]

  /// Copies the values of the current row of a reader.
  init(from row: inout RowReader) throws(DepotError) {
    var writer = JSONWriter(capacity: 64)
    writer.raw("[")
    while !row.isAtEndOfRow() {
      writer.separate()
      writer.raw(try row.text())
    }
    writer.raw("]")
    json = writer.bytes
  }

  /// The JSON of each value.
  var values: [[UInt8]] {
    var values: [[UInt8]] = []
    forEach { values.append($0.json) }
    return values
  }

  /// The values as cells of a table.
  func cells(nullText: String) -> [TableCell] {
    var cells: [TableCell] = []
    forEach { cells.append(TableCell($0, nullText: nullText)) }
    return cells
  }

  /// The column indexes of the values that differ from another row.
  func differences(from other: WatchedRow) -> Set<Int> {
    let (mine, its) = (values, other.values)
    return Set(mine.indices.filter { !its.indices.contains($0) || its[$0] != mine[$0] })
  }

  private func forEach(_ body: (RowField) -> Void) {
    json.withUnsafeBufferPointer { bytes in
      // The text was read as values before, so it is valid.
      guard var reader = try? RowReader(bytes) else { return }
      while !reader.isAtEndOfRow(), let field = try? reader.field() { body(field) }
    }
  }
}

extension TableCell {
  /// Shows a value.
  init(_ field: RowField, nullText: String) {
    switch field.kind {
    case .null: self.init(text: nullText)
    case .number: self.init(text: field.text, isNumber: true)
    case .string: self.init(text: TextWidth.printable(field.text))
    default: self.init(text: String(decoding: field.bytes, as: UTF8.self))
    }
  }
}
