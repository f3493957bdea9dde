import Testing

@testable import SwiftData

@Suite struct FetchGroupTests {
  @Test func `only so many objects are looked at for what one of them needs`() {
    let group = FetchGroup()
    let storages = (0..<5000).map { _ in
      ModelStorage(EntityDescription.of(Gadget.self), nil)
    }
    for storage in storages { group.add(storage) }
    var seen: [ModelStorage] = []
    group.forEach(from: storages[10]) { storage in
      seen.append(storage)
      return true
    }
    #expect(seen.first === storages[10])
    #expect(seen.count == 1000)
    var count = 0
    group.forEach(from: storages[4990]) { _ in
      count += 1
      return true
    }
    #expect(count == 10)
  }
}
