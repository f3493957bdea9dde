/// Objects with unsaved changes, which are kept alive, in order of arrival.
struct PendingSet {
  private var links: [ObjectReference?] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ link: ObjectReference) {
    link.storage.pendingIndex = links.count
    links.append(link)
    count += 1
  }

  mutating func remove(_ storage: ModelStorage) {
    // The index may belong to another set.
    guard links.indices.contains(storage.pendingIndex),
      links[storage.pendingIndex]?.storage === storage
    else { return }
    links[storage.pendingIndex] = nil
    storage.pendingIndex = -1
    count -= 1
    if count == 0 { links = [] }
  }

  /// The objects that are in the set now.
  var all: [ObjectReference] { links.compactMap { $0 } }

  /// The same without an array of their own, while the set stays as it is.
  var current: some Sequence<ObjectReference> { links.lazy.compactMap { $0 } }

  /// Empties the set; returns its objects.
  mutating func removeAll() -> [ObjectReference] {
    let all = all
    for link in all { link.storage.pendingIndex = -1 }
    links = []
    count = 0
    return all
  }
}
