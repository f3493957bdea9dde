internal import DepotProtocol

/// A value of a property in the history, in its stored form.
struct HistoryValue: Hashable, Sendable {
  /// The conversion of the value to JSON.
  let form: RowColumn.Form
  /// The value in the form of ``PackedCells``.
  private let packed: ArraySlice<UInt8>

  /// Makes a value from a part of a page, which it keeps in memory.
  init(_ packed: ArraySlice<UInt8>, _ form: RowColumn.Form) {
    self.packed = packed
    self.form = form
  }

  init(_ cell: Cell, _ form: RowColumn.Form) { self.init(PackedCells(cell).bytes[...], form) }

  static func null(_ form: RowColumn.Form) -> HistoryValue { HistoryValue(.null, form) }

  /// A copy of the value that doesn't keep its page in memory.
  var copy: HistoryValue { HistoryValue(Array(packed)[...], form) }

  var byteCount: Int { packed.count }

  var isNull: Bool { withCell { $0.isNull } }

  /// Whether it is only the reference to a value outside the row.
  var isReference: Bool {
    withCell { cell in
      switch (cell, form) {
      case (.text, .external), (.blob, .external), (.text, .scalar(.data)),
        (.blob, .scalar(.string)):
        true
      default: false
      }
    }
  }

  /// The reference to a value outside the row; `nil` for any other value.
  var reference: BlobReference? {
    guard isReference else { return nil }
    return withCell { cell in
      switch cell {
      case .text(let bytes), .blob(let bytes): BlobReference(bytes)
      default: nil
      }
    }
  }

  /// The identifier of a destination; `nil` if the value isn't an integer.
  var identifier: Int64? { withCell { if case .integer(let value) = $0 { value } else { nil } } }

  /// Calls `body` with the value, whose bytes are valid only during the call.
  func withCell<Result>(_ body: (Cell) -> Result) -> Result {
    packed.withUnsafeBytes { body(PackedCells.cell(in: $0, at: 0)) }
  }

  /// Returns the value, whose bytes are copied to the arena.
  func cell(in arena: CellArena) -> Cell {
    withCell { cell in
      switch cell {
      case .text(let bytes): .text(arena.copy(bytes))
      case .blob(let bytes): .blob(arena.copy(bytes))
      default: cell
      }
    }
  }

  static func == (first: Self, second: Self) -> Bool { first.packed == second.packed }

  func hash(into hasher: inout Hasher) { hasher.combine(packed) }
}
