internal import DepotProtocol
internal import DepotSQLite

/// The kept part of a row of a watched query.
///
/// It is enough to find the row's position, and to notice a change of the row.
@Memberwise
struct LiveEntry: Sendable {
  var identifier: Int64
  /// The values of the sort keys, without the identifier.
  var terms: [SQLiteValue]
  /// The checksum of the row in the form sent to the client.
  var checksum: UInt64

  /// Reads the entry of a statement's current row, which begins with its identifier.
  ///
  /// `json` is the row in the form for the client.
  init(_ row: borrowing Row, _ keys: Keys, json: ArraySlice<UInt8>) {
    identifier = row.integer(0)
    var terms: [SQLiteValue] = []
    if !keys.columns.isEmpty {
      terms.reserveCapacity(keys.columns.count)
      for column in keys.columns { terms.append(row[column]) }
    }
    self.terms = terms
    checksum = Self.checksum(of: json, from: keys.countsVersion ? 1 : 2)
  }

  /// The additional columns of a statement's rows.
  struct Keys: Hashable, Sendable {
    /// The range of the sort keys' columns.
    var columns: Range<Int>
    /// Whether a new version alone counts as a change, as in a query for all columns.
    var countsVersion: Bool
  }

  /// Whether two entries of a row have the same position.
  func hasPlace(of other: LiveEntry) -> Bool {
    // Text is compared by its bytes, unlike in Swift.
    zip(terms, other.terms).allSatisfy { $0.compared(to: $1) == 0 }
  }

  /// Whether a client with one entry needs no update for the other.
  func isSame(as other: LiveEntry) -> Bool {
    checksum == other.checksum && hasPlace(of: other)
  }

  /// Returns the checksum of a row's values from an index on.
  static func checksum(of json: ArraySlice<UInt8>, from first: Int) -> UInt64 {
    var start = json.startIndex
    var commas = 0
    while start < json.endIndex, commas < first {
      if json[start] == UInt8(ascii: ",") { commas += 1 }
      start += 1
    }
    var checksum = Checksum()
    json[start...].withUnsafeBytes { checksum.add($0) }
    return checksum.value
  }
}

/// The order of a watched query's rows, the same as SQLite's.
struct LiveOrder: Hashable, Sendable {
  /// Whether each term is descending.
  var descending: [Bool]
  /// Whether the identifier, the last key, is descending.
  var isIdentifierDescending: Bool

  /// Returns whether a row comes before another.
  func isBefore(_ left: LiveEntry, _ right: LiveEntry) -> Bool {
    for (index, isDescending) in descending.enumerated() {
      let comparison = left.terms[index].compared(to: right.terms[index])
      if comparison != 0 { return isDescending ? comparison > 0 : comparison < 0 }
    }
    return isIdentifierDescending
      ? left.identifier > right.identifier : left.identifier < right.identifier
  }
}

extension SQLiteValue {
  /// Compares in SQLite's order: null, numbers, text by its bytes, blobs.
  ///
  /// The result is negative if this value is first.
  func compared(to other: SQLiteValue) -> Int {
    switch (self, other) {
    case (.integer(let left), .integer(let right)): left < right ? -1 : left > right ? 1 : 0
    case (.real(let left), .real(let right)): left < right ? -1 : left > right ? 1 : 0
    case (.integer(let left), .real(let right)): Self.compare(left, right)
    case (.real(let left), .integer(let right)): -Self.compare(right, left)
    case (.text(let left), .text(let right)): Self.compare(left.utf8, right.utf8)
    case (.blob(let left), .blob(let right)): Self.compare(left, right)
    default: rank - other.rank
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }

  /// Compares exactly, even if no double equals the integer.
  private static func compare(_ left: Int64, _ right: Double) -> Int {
    if right < -0x1p63 { return 1 }
    if right >= 0x1p63 { return -1 }
    let whole = Int64(right)
    if left != whole { return left < whole ? -1 : 1 }
    let rest = right - Double(whole)
    return rest > 0 ? -1 : rest < 0 ? 1 : 0
  }

  private static func compare(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Int {
    if left.lexicographicallyPrecedes(right) { return -1 }
    return right.lexicographicallyPrecedes(left) ? 1 : 0
  }
}
