/// The objects that were fetched together, so that what one of them leads to is fetched for the next ones
/// too.
final class FetchGroup {
  private var members: [Unmanaged<ModelStorage>?] = []

  func add(_ storage: ModelStorage) {
    storage.group?.forget(storage.groupIndex)
    storage.group = self
    storage.groupIndex = members.count
    members.append(Unmanaged.passUnretained(storage))
  }

  func forget(_ index: Int) { members[index] = nil }

  /// Calls `body` with an object and those behind it, until it returns false.
  func forEach(from storage: ModelStorage, _ body: (ModelStorage) -> Bool) {
    for index in storage.groupIndex..<members.count {
      if let member = members[index], !body(member.takeUnretainedValue()) { return }
    }
  }
}
