internal import DepotProtocol
internal import DepotSQLite

/// The totals of a watched count or watched groups, with the contribution of each row.
///
/// When a row changes, its old contribution is subtracted and the new one is added; both are exact,
/// so that the totals always equal those of a new run of the query.
@Memberwise("parts")
struct LiveTotals: Sendable {
  /// The most rows in groups.
  private static let rowLimit = Limits.watchRows

  let parts: [Part]
  private let keyCount: Int
  /// The counted rows, if only their number is requested.
  private var members = IdentifierSet()
  private var rows: [Int64: Addition] = [:]
  private var groups: [[UInt8]: Group] = [:]

  /// A part of the totals.
  enum Part: Hashable, Sendable {
    /// The number of rows.
    case rows
    /// The number of rows with a value.
    case values
    /// The sum of integers.
    case sum
    /// The average of integers.
    case average
  }

  /// The contribution of a row.
  private struct Addition: Sendable {
    var group: [UInt8]
    var values: [Int64?]
  }

  /// The totals of the rows with equal keys.
  private struct Group: Sendable {
    var keys: [SQLiteValue]
    var rowCount = 0
    var counts: [Int]
    var sums: [Int128]
  }

  private var isPlainCount: Bool { keyCount == 0 && parts == [.rows] }

  // MARK: - Rows

  /// Adds the current row of a statement, which wasn't added yet.
  ///
  /// If it returns `false`, the totals can't be used any more.
  mutating func add(_ row: borrowing Row) -> Bool {
    let identifier = row.integer(0)
    if isPlainCount {
      members.insert(identifier)
      return !members.isTooLarge
    }
    var keys: [SQLiteValue] = []
    for index in 0..<keyCount {
      let key = row[1 + index]
      // Doubles with different bits may be equal.
      if case .real = key { return false }
      keys.append(key)
    }
    var values: [Int64?] = []
    for (index, part) in parts.enumerated() where part != .rows {
      switch row[1 + keyCount + index] {
      case .null: values.append(nil)
      case .integer(let value): values.append(value)
      default: return false
      }
    }
    guard rows.count < Self.rowLimit else { return false }
    add(identifier, keys, values)
    return true
  }

  private mutating func add(_ identifier: Int64, _ keys: [SQLiteValue], _ values: [Int64?]) {
    let packed = PackedCells(keys).bytes
    let index = groups.index(forKey: packed)
    // The rows of a group share one copy of its key.
    let key = index.map { groups[$0].key } ?? packed
    var group =
      index.map { groups[$0].value }
      ?? Group(
        keys: keys,
        counts: Array(repeating: 0, count: values.count),
        sums: Array(repeating: 0, count: values.count)
      )
    group.rowCount += 1
    for (place, value) in values.enumerated() {
      guard let value else { continue }
      group.counts[place] += 1
      group.sums[place] += Int128(value)
    }
    groups[key] = group
    rows[identifier] = Addition(group: key, values: values)
  }

  /// Subtracts the contribution of a row, if it has one.
  mutating func remove(_ identifier: Int64) {
    if isPlainCount { return members.remove(identifier) }
    guard let addition = rows.removeValue(forKey: identifier),
      var group = groups[addition.group]
    else { return }
    group.rowCount -= 1
    for (place, value) in addition.values.enumerated() {
      guard let value else { continue }
      group.counts[place] -= 1
      group.sums[place] -= Int128(value)
    }
    groups[addition.group] = group.rowCount == 0 ? nil : group
  }

  // MARK: - Totals

  /// The count, if only that is requested.
  var count: Int { members.count }

  /// The values of the answer's rows, in order.
  var answer: [[SQLiteValue]] {
    if isPlainCount { return [[.integer(Int64(count))]] }
    // Without keys there is always one group.
    if keyCount == 0, groups.isEmpty {
      return [parts.map { $0 == .average ? .null : .integer(0) }]
    }
    let sorted = groups.values.sorted { left, right in
      for (left, right) in zip(left.keys, right.keys) {
        let order = left.compared(to: right)
        if order != 0 { return order < 0 }
      }
      return false
    }
    return sorted.map { $0.keys + results(of: $0) }
  }

  private func results(of group: Group) -> [SQLiteValue] {
    var place = 0
    return parts.map { part in
      if part == .rows { return .integer(Int64(group.rowCount)) }
      defer { place += 1 }
      let (count, sum) = (group.counts[place], group.sums[place])
      switch part {
      case .rows, .values: return .integer(Int64(count))
      // Null means that the sum overflows.
      case .sum: return Int64(exactly: sum).map(SQLiteValue.integer) ?? .null
      case .average: return count == 0 ? .null : .real(Double(sum) / Double(count))
      }
    }
  }
}
