/// The objects that were reached or prefetched last, which are kept alive so that they needn't be read again.
struct RecentObjects {
  private static let capacity = 512
  private static let fetches = 4
  private var models: [AnyObject] = []
  private var next = 0
  /// The prefetched objects of the last few fetches.
  private var prefetched: [[AnyObject]] = []
  /// Whether none are kept alive.
  private let isOff: Bool

  init(isOff: Bool) { self.isOff = isOff }

  mutating func add(_ model: AnyObject) {
    if isOff { return }
    if models.count < Self.capacity {
      models.append(model)
    } else {
      models[next] = model
      next = (next + 1) % Self.capacity
    }
  }

  /// Keeps the objects that a fetch has brought along.
  mutating func add(prefetched links: [ObjectReference]) {
    if isOff || links.isEmpty { return }
    prefetched.append(links.map(\.model))
    if prefetched.count > Self.fetches { prefetched.removeFirst() }
  }

  mutating func removeAll() { self = RecentObjects(isOff: isOff) }
}
