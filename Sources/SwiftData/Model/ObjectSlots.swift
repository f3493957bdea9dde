/// The slots of one object, in memory of their own.
///
/// Nothing shares them: a change of one needs no look at owners, and their end no type of an array.
struct ObjectSlots: ~Copyable {
  let count: Int
  /// The slots; `nil` as long as all are unloaded.
  private var start: UnsafeMutablePointer<Slot>?

  /// Creates slots that are unloaded.
  init(unloaded count: Int) { self.count = count }

  init(_ values: [Slot]) {
    count = values.count
    let start = UnsafeMutablePointer<Slot>.allocate(capacity: count)
    for index in 0..<count { (start + index).initialize(to: values[index]) }
    self.start = start
  }

  deinit {
    guard let start else { return }
    for index in 0..<count { (start + index).deinitialize(count: 1) }
    start.deallocate()
  }

  var indices: Range<Int> { 0..<count }

  /// A copy of all slots.
  var all: [Slot] { indices.map { self[$0] } }

  // A value is copied before it is used, as its use may change the slot.
  subscript(slot: Int) -> Slot {
    @inline(__always)
    get {
      precondition(indices.contains(slot))
      return start?[slot] ?? .unloaded
    }
    @inline(__always)
    set {
      precondition(indices.contains(slot))
      (start ?? allocate())[slot] = newValue
    }
  }

  @inline(never)
  private mutating func allocate() -> UnsafeMutablePointer<Slot> {
    let start = UnsafeMutablePointer<Slot>.allocate(capacity: count)
    for index in 0..<count { (start + index).initialize(to: .unloaded) }
    self.start = start
    return start
  }
}
