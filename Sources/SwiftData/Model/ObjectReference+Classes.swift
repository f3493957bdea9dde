extension Array {
  /// Returns the elements in arrays of at most `size`, in their order.
  func chunks(of size: Int) -> [[Element]] {
    stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
  }
}

extension Dictionary {
  /// Creates a dictionary of pairs; of pairs with the same key, the first is kept.
  init(first pairs: some Sequence<(Key, Value)>) { self.init(pairs) { first, _ in first } }
}

extension [ObjectReference] {
  /// The objects by class, in the order of the first object of each class.
  var byClass: [[ObjectReference]] {
    guard let first else { return [] }
    if allSatisfy({ $0.storage.description === first.storage.description }) { return [self] }
    var positions: [ObjectIdentifier: Int] = [:]
    var groups: [[ObjectReference]] = []
    for link in self {
      let key = ObjectIdentifier(link.storage.description)
      if let position = positions[key] {
        groups[position].append(link)
      } else {
        positions[key] = groups.count
        groups.append([link])
      }
    }
    return groups
  }

  /// The objects in the order of their rows, which the store finds and writes fastest.
  var byRow: [ObjectReference] {
    var places: [(row: Int64, index: Int)] = []
    places.reserveCapacity(count)
    var isSorted = true
    for index in indices {
      let row = self[index].storage.identifier.row ?? .max
      if let last = places.last, last.row > row { isSorted = false }
      places.append((row, index))
    }
    if isSorted { return self }
    // Pairs of numbers are compared and moved without a look at the objects.
    places.sort { $0.row < $1.row }
    return places.map { self[$0.index] }
  }
}
