/// The objects that were fetched together, so that what one of them leads to is fetched for the next ones
/// too.
final class FetchGroup {
  /// How many objects are looked at for what one of them needs.
  private static let reach = 1000

  private var members: [Unmanaged<ModelStorage>?] = []

  func add(_ storage: ModelStorage) {
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
