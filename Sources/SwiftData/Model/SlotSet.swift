/// A property of one object.
struct PropertyOfObject: Hashable {
  private let storage: ObjectIdentifier
  let slot: Int

  init(_ storage: ModelStorage, _ slot: Int) {
    self.storage = ObjectIdentifier(storage)
    self.slot = slot
  }
}

/// The values of a few properties; of only one, without memory of its own.
struct SlotValues {
  private typealias Entry = (slot: Int, value: Slot)

  private var first: Entry?
  private var others: [Entry] = []

  var isEmpty: Bool { first == nil }

  subscript(slot: Int) -> Slot? {
    get {
      if let first, first.slot == slot { return first.value }
      return others.first { $0.slot == slot }?.value
    }
    set {
      if first?.slot == slot { first = others.popLast() }
      if let index = others.firstIndex(where: { $0.slot == slot }) { others.remove(at: index) }
      guard let newValue else { return }
      if first == nil { first = (slot, newValue) } else { others.append((slot, newValue)) }
    }
  }
}

/// A set of slots.
struct SlotSet: Hashable, Sequence {
  private var low: UInt64 = 0
  /// The slots from 64; `nil` if there are none, which is copied without a count of references.
  private var high: Set<Int>?

  init() {}

  init(_ slots: [Int]) { for slot in slots { insert(slot) } }

  var isEmpty: Bool { low == 0 && high == nil }

  @inline(__always)
  func contains(_ slot: Int) -> Bool {
    slot < 64 ? low & 1 << UInt64(slot) != 0 : high?.contains(slot) == true
  }

  mutating func insert(_ slot: Int) {
    if slot < 64 { low |= 1 << UInt64(slot) } else { high = (high ?? []).union([slot]) }
  }

  /// Removes a slot; returns whether it was there.
  @discardableResult
  mutating func remove(_ slot: Int) -> Bool {
    guard contains(slot) else { return false }
    if slot < 64 {
      low &= ~(1 << UInt64(slot))
    } else {
      high?.remove(slot)
      if high?.isEmpty == true { high = nil }
    }
    return true
  }

  /// Returns the slots that satisfy a condition.
  func filter(_ isIncluded: (Int) -> Bool) -> SlotSet {
    var rest = self
    for slot in self where !isIncluded(slot) { rest.remove(slot) }
    return rest
  }

  mutating func formUnion(_ other: SlotSet) {
    low |= other.low
    if let more = other.high { high = (high ?? []).union(more) }
  }

  /// The slots in ascending order.
  struct Iterator: IteratorProtocol {
    fileprivate var low: UInt64
    fileprivate var high: ArraySlice<Int>

    mutating func next() -> Int? {
      guard low != 0 else { return high.popFirst() }
      defer { low &= low - 1 }
      return low.trailingZeroBitCount
    }
  }

  func makeIterator() -> Iterator {
    Iterator(low: low, high: high?.sorted()[...] ?? [])
  }
}
