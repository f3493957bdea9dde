/// A property of one object.
struct PropertyOfObject: Hashable {
  private let storage: ObjectIdentifier
  let slot: Int

  init(_ storage: ModelStorage, _ slot: Int) {
    self.storage = ObjectIdentifier(storage)
    self.slot = slot
  }
}

/// The values of a few properties.
struct SlotValues {
  private var all: [(slot: Int, value: Slot)] = []

  var isEmpty: Bool { all.isEmpty }

  subscript(slot: Int) -> Slot? {
    get { all.first { $0.slot == slot }?.value }
    set {
      let index = all.firstIndex { $0.slot == slot }
      if let index { all.remove(at: index) }
      if let newValue { all.append((slot, newValue)) }
    }
  }
}

/// A set of slots.
struct SlotSet: Hashable, Sequence {
  private var low: UInt64 = 0
  private var high: Set<Int> = []

  init() {}

  init(_ slots: [Int]) { for slot in slots { insert(slot) } }

  var isEmpty: Bool { low == 0 && high.isEmpty }

  func contains(_ slot: Int) -> Bool {
    slot < 64 ? low & 1 << UInt64(slot) != 0 : high.contains(slot)
  }

  mutating func insert(_ slot: Int) {
    if slot < 64 { low |= 1 << UInt64(slot) } else { high.insert(slot) }
  }

  mutating func remove(_ slot: Int) {
    if slot < 64 { low &= ~(1 << UInt64(slot)) } else { high.remove(slot) }
  }

  /// Returns the slots that satisfy a condition.
  func filter(_ isIncluded: (Int) -> Bool) -> SlotSet {
    var rest = self
    for slot in self where !isIncluded(slot) { rest.remove(slot) }
    return rest
  }

  mutating func formUnion(_ other: SlotSet) {
    low |= other.low
    if !other.high.isEmpty { high.formUnion(other.high) }
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
    Iterator(low: low, high: high.isEmpty ? [] : high.sorted()[...])
  }
}
