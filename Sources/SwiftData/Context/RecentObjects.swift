/// The objects that were reached last, which are kept alive so that they needn't be read again.
struct RecentObjects {
  private static let capacity = 512
  private var models: [AnyObject] = []
  private var next = 0
  /// Whether none are kept alive.
  var isOff = false

  mutating func add(_ model: AnyObject) {
    if isOff { return }
    if models.count < Self.capacity {
      models.append(model)
    } else {
      models[next] = model
      next = (next + 1) % Self.capacity
    }
  }

  mutating func removeAll() {
    models = []
    next = 0
  }
}
