internal import DepotProtocol
internal import DepotSQLite

/// The two forms of lists as arguments of SQL functions.
///
/// A collection attribute is stored as a JSON array. A constant list is bound as a blob of
/// ``PackedCells``, which is faster to read.
enum ListValue {
  /// Returns the elements of an argument in their stored form; empty if it is null or damaged.
  static func stored(_ argument: BorrowedValue, _ type: AttributeType) -> [SQLiteValue] {
    switch argument.kind {
    case .blob: unpack(argument.bytes, \.value)
    case .text: parse(argument.bytes, type).map(StoredValue.encode)
    default: []
    }
  }

  /// Returns the elements of an argument as values.
  static func decode(_ argument: BorrowedValue, _ type: AttributeType) -> [Value] {
    guard argument.kind == .blob else { return parse(argument.bytes, type) }
    return unpack(argument.bytes) { StoredValue.decode($0, as: type) }
  }

  private static func unpack<Element>(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ element: (Cell) -> Element
  ) -> [Element] {
    let bytes = UnsafeRawBufferPointer(bytes)
    var values: [Element] = []
    values.reserveCapacity(bytes.count / 9)
    var position = 0
    while let cell = PackedCells.next(in: bytes, &position) { values.append(element(cell)) }
    return values
  }

  private static func parse(
    _ bytes: UnsafeBufferPointer<UInt8>,
    _ type: AttributeType
  ) -> [Value] {
    var values: [Value] = []
    do {
      var reader = try RowReader(bytes)
      while !reader.isAtEndOfRow() {
        values.append(try reader.field().value(as: type) ?? .null)
      }
    } catch {
      return values
    }
    return values
  }
}
