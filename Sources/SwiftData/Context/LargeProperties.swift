/// The properties whose stored values are too large for a row, and are read one by one.
struct LargeProperties {
  private var slots: [PersistentIdentifier: SlotSet] = [:]
  /// The number of objects that makes an insertion remove ended ones.
  private var limit = 64

  /// The number of known objects.
  var count: Int { slots.count }

  func contains(_ slot: Int, of identifier: PersistentIdentifier) -> Bool {
    slots[identifier]?.contains(slot) ?? false
  }

  /// Adds a property; removes objects that are no longer registered before there are too many.
  mutating func insert(
    _ slot: Int,
    of identifier: PersistentIdentifier,
    isRegistered: (PersistentIdentifier) -> Bool
  ) {
    slots[identifier, default: SlotSet()].insert(slot)
    guard slots.count >= limit else { return }
    slots = slots.filter { $0.key == identifier || isRegistered($0.key) }
    limit = max(64, 2 * slots.count)
  }
}
