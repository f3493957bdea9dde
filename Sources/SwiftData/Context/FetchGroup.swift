/// The objects that were fetched together, so that what one of them leads to is fetched for the next ones
/// too; or those that outlive their context.
final class FetchGroup {
  /// How many objects are looked at for what one of them needs.
  private static let reach = 1000

  private var members: [Unmanaged<ModelStorage>?] = []
  /// The stores of the context that the objects outlive, for as long as somebody else uses them.
  private weak var core: ContainerCore?
  /// The context that reads for these objects in place of theirs; it lasts as long as one of them.
  private var heir: ModelContext?

  init() {}

  /// Groups the objects that outlive a context.
  init(survivors: [ModelStorage], _ core: ContainerCore) {
    self.core = core
    for storage in survivors { add(storage) }
  }

  /// Returns a context that reads for the objects in place of theirs, which is gone.
  func successor() -> ModelContext? {
    guard heir == nil, let core else { return heir }
    let context = ModelContext(successorOn: core)
    heir = context
    for member in members { member.map { context.register($0.takeUnretainedValue()) } }
    return context
  }

  func add(_ storage: ModelStorage) {
    if let group = storage.group, group.heir != nil { return }
    storage.group?.forget(storage.groupIndex)
    storage.group = self
    storage.groupIndex = members.count
    members.append(Unmanaged.passUnretained(storage))
  }

  func forget(_ index: Int) { members[index] = nil }

  /// Calls `body` with an object and some of those behind it, until it returns false.
  func forEach(from storage: ModelStorage, _ body: (ModelStorage) -> Bool) {
    for index in storage.groupIndex..<min(storage.groupIndex + Self.reach, members.count) {
      if let member = members[index], !body(member.takeUnretainedValue()) { return }
    }
  }
}
