import Testing

@testable import SwiftData

@Suite struct `Recent objects` {
  private let description = EntityDescription.of(Gadget.self)

  /// Makes objects that only the list keeps, and returns whether each is still there.
  private func kept(
    _ count: Int,
    in recent: inout RecentObjects,
    _ add: (inout RecentObjects, ObjectReference) -> Void
  ) -> [Bool] {
    struct Weak { weak var model: AnyObject? }
    var all: [Weak] = []
    for _ in 0..<count {
      let link = description.makeObject(nil)
      add(&recent, link)
      all.append(Weak(model: link.model))
    }
    return all.map { $0.model != nil }
  }

  @Test func `the last 512 are kept alive`() {
    var recent = RecentObjects(isOff: false)
    let kept = kept(600, in: &recent) { $0.add($1.model) }
    #expect(kept == Array(repeating: false, count: 88) + Array(repeating: true, count: 512))
    recent.removeAll()
  }

  @Test func `what the last four fetches have brought along is kept alive`() {
    var recent = RecentObjects(isOff: false)
    let kept = kept(6, in: &recent) {
      $0.add(prefetched: [$1])
      $0.add(prefetched: [])
    }
    #expect(kept == [false, false, true, true, true, true])
    recent.removeAll()
  }

  @Test func `a context that takes over the objects of another one keeps none`() {
    var recent = RecentObjects(isOff: true)
    let kept =
      kept(1, in: &recent) { $0.add($1.model) } + kept(1, in: &recent) { $0.add(prefetched: [$1]) }
    #expect(kept == [false, false])
  }
}
