internal import DepotProtocol

/// Changes of one kind to rows of one entity, encoded for a row of the history.
///
/// The bytes are, with counts and cells as in ``PackedCells``:
///
/// | part | content |
/// |---|---|
/// | head | the number of elements; 1 if they have values, else 0; the number of columns |
/// | each column | the length of the property's path in bytes, the path, and a byte for the form of its values |
/// | an insertion | the first identifier of a range, and the number of further ones |
/// | an update | the identifier, the version, the number of changed columns, and for each its number and its old and new cell |
/// | a deletion | the identifier, the version, the number of kept columns, and for each its number and its cell |
/// | links | the identifier, the number of the relationship's column, and the number of added identifiers, these, and likewise the removed ones |
///
/// A page is reused, so that its memory is.
final class HistoryPage {
  private(set) var entity: String
  /// The root entity, by which its rows are found.
  private(set) var root: String
  private(set) var kind: HistoryTable.Kind
  private(set) var hasValues: Bool
  /// The identifiers of the changed rows; empty for insertions.
  private(set) var rows: [Int64] = []
  /// The least and the greatest identifier.
  private(set) var first = Int64.max
  private(set) var last = Int64.min
  private var count = 0
  private var columns = PackedCells()
  /// The indexes of the columns in the root, in the order of their numbers.
  private var columnIndices: [Int] = []
  /// The number of each column by its index, if there are many; -1 for none.
  private var numbers: [Int] = []
  private var elements = PackedCells()

  /// The size in bytes below which the memory of elements is kept.
  private static let keptBytes = 16 << 10
  /// The most columns for a linear search.
  private static let fewColumns = 8

  init(entity: String, root: String, kind: HistoryTable.Kind, hasValues: Bool = true) {
    self.entity = entity
    self.root = root
    self.kind = kind
    self.hasValues = hasValues
  }

  /// Removes all elements, and begins a page of another entity or kind.
  func begin(entity: String, root: String, kind: HistoryTable.Kind, hasValues: Bool = true) {
    (self.entity, self.root, self.kind, self.hasValues) = (entity, root, kind, hasValues)
    empty()
  }

  var isEmpty: Bool { count == 0 }

  var isFull: Bool { elements.count >= HistoryTable.pageBytes }

  /// The bytes of the page.
  var bytes: [UInt8] {
    var all = PackedCells(capacity: 12 + columns.count + elements.count)
    all.add(count: count)
    all.add(count: hasValues ? 1 : 0)
    all.add(count: columnIndices.count)
    all.add(columns.bytes)
    all.add(elements.bytes)
    return all.bytes
  }

  private func begin(_ first: Int64, _ last: Int64) {
    count += 1
    self.first = min(self.first, first)
    self.last = max(self.last, last)
    elements.add(count: Int(first))
  }

  /// Adds inserted rows, and returns whether the page is now full.
  func add(inserted range: InsertRange) -> Bool {
    begin(range.first, range.last)
    elements.add(count: Int(range.last - range.first))
    return isFull
  }

  /// Starts an update or a deletion of a row; its columns follow.
  func begin(row: Int64, version: Int64, columns count: Int) {
    begin(row, row)
    rows.append(row)
    elements.add(count: Int(version))
    elements.add(count: count)
  }

  /// Adds the number of a column; the first time, `definition` describes the column.
  func add(column place: Int, _ definition: @autoclosure () -> ArraySlice<UInt8>) {
    if let number = number(of: place) { return elements.add(count: number) }
    let number = columnIndices.count
    if number == Self.fewColumns { for place in columnIndices { setNumber(of: place) } }
    columnIndices.append(place)
    if number >= Self.fewColumns { setNumber(of: place) }
    columns.add(definition())
    elements.add(count: number)
  }

  private func number(of place: Int) -> Int? {
    if columnIndices.count <= Self.fewColumns { return columnIndices.firstIndex(of: place) }
    return place < numbers.count && numbers[place] >= 0 ? numbers[place] : nil
  }

  private func setNumber(of place: Int) {
    while numbers.count <= place { numbers.append(-1) }
    numbers[place] = columnIndices.firstIndex(of: place) ?? -1
  }

  /// Adds a cell of a column.
  func add(_ packed: some Collection<UInt8>) { elements.add(packed) }

  /// Adds a cell of a column.
  func add(_ packed: UnsafeRawBufferPointer) { elements.add(packed) }

  /// Adds a cell of a column.
  func add(_ cell: Cell) { elements.add(cell) }

  /// Adds the change of a relationship, which `definition` describes like a column.
  func add(
    links source: Int64,
    _ definition: [UInt8],
    added: [Int64],
    removed: [Int64]
  ) {
    begin(source, source)
    rows.append(source)
    add(column: 0, definition[...])
    for targets in [added, removed] {
      elements.add(count: targets.count)
      for target in targets { elements.add(count: Int(target)) }
    }
  }

  /// Removes all elements.
  func empty() {
    let isSmall = elements.count < Self.keptBytes
    (first, last, count) = (.max, .min, 0)
    if isSmall { elements.removeAll() } else { elements = PackedCells() }
    guard !rows.isEmpty else { return }
    rows.removeAll(keepingCapacity: isSmall)
    columnIndices.removeAll(keepingCapacity: true)
    numbers.removeAll(keepingCapacity: true)
    columns.removeAll()
  }

  /// Returns the description of a column.
  static func definition(_ path: String, _ form: RowColumn.Form) -> [UInt8] {
    var cells = PackedCells()
    cells.add(count: path.utf8.count)
    cells.add(path.utf8)
    cells.add(count: Int(form.code))
    return cells.bytes
  }
}

extension RowColumn.Form {
  /// The types by their numbers in the history, which must never change.
  private static let types: [AttributeType] = [
    .string, .int64, .double, .bool, .date, .uuid, .data, .decimal, .url, .json, .composite,
  ]

  /// The number of the form in the history.
  var code: UInt8 {
    switch self {
    case .scalar(let type): UInt8(Self.types.firstIndex(of: type) ?? 0)
    case .list(let type): 32 + UInt8(Self.types.firstIndex(of: type) ?? 0)
    case .external: 64
    case .json: 65
    case .entity: 66
    case .identifiers: 67
    }
  }

  /// Returns the form with a number in the history; `nil` if there is none.
  init?(code: Int) {
    switch code {
    case 0..<Self.types.count: self = .scalar(Self.types[code])
    case 32..<32 + Self.types.count: self = .list(Self.types[code - 32])
    case 64: self = .external
    case 65: self = .json
    case 66: self = .entity
    case 67: self = .identifiers
    default: return nil
    }
  }
}
