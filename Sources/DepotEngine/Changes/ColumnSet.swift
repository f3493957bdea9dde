/// A set of column indexes.
package struct ColumnSet: Hashable, Sendable {
  /// The indexes below 64, as bits.
  private var low: UInt64 = 0
  /// The indexes from 64 on, 64 to a word; the last word isn't 0.
  private var high: [UInt64] = []

  package init() {}

  package init(_ indices: some Sequence<Int>) {
    for index in indices { insert(index) }
  }

  package var isEmpty: Bool { low == 0 && high.isEmpty }

  package var count: Int { high.reduce(low.nonzeroBitCount) { $0 + $1.nonzeroBitCount } }

  package mutating func insert(_ index: Int) {
    if index < 64 {
      low |= 1 << UInt64(index)
      return
    }
    let word = index / 64 - 1
    while high.count <= word { high.append(0) }
    high[word] |= 1 << UInt64(index % 64)
  }

  package func contains(_ index: Int) -> Bool {
    if index < 64 { return low >> UInt64(index) & 1 == 1 }
    let word = index / 64 - 1
    return word < high.count && high[word] >> UInt64(index % 64) & 1 == 1
  }

  /// Whether the sets have no common element.
  package func isDisjoint(with other: ColumnSet) -> Bool {
    low & other.low == 0 && !zip(high, other.high).contains { $0 & $1 != 0 }
  }

  package mutating func formUnion(_ other: ColumnSet) {
    low |= other.low
    while high.count < other.high.count { high.append(0) }
    for (index, word) in other.high.enumerated() { high[index] |= word }
  }

  package func union(_ other: ColumnSet) -> ColumnSet {
    var result = self
    result.formUnion(other)
    return result
  }

  /// The indexes in ascending order.
  package var indices: [Int] {
    var result: [Int] = []
    for (index, word) in ([low] + high).enumerated() {
      var rest = word
      while rest != 0 {
        result.append(index * 64 + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
    return result
  }
}
