import TestSupport
import Testing

@testable import SwiftData

/// Ordered lists that several contexts change.
@MainActor @Suite struct `Ordered lists of several contexts` {
  private let container: ModelContainer
  private let own: ModelContext
  private let other: ModelContext
  private let setlist: Setlist
  private let copy: Setlist

  init() throws {
    container = try ModelContainer(storing: Setlist.self)
    (own, other) = (ModelContext(container), ModelContext(container))
    own.autosaveEnabled = false
    other.autosaveEnabled = false
    setlist = Setlist(name: "P")
    own.insert(setlist)
    setlist.tunes = ["1", "2", "3"].map { Tune(title: $0) }
    setlist.favourites = setlist.tunes
    try own.save()
    copy = try #require(try other.fetch(FetchDescriptor<Setlist>()).first)
    _ = (copy.tunes.map(\.title), copy.favourites.map(\.title))
  }

  /// The titles in the two stored lists.
  private func stored() throws -> [[String]] {
    let found = try ModelContext(container).fetch(FetchDescriptor<Setlist>())
    let setlist = try #require(found.first { $0.name == "P" })
    return [setlist.tunes.map(\.title), setlist.favourites.map(\.title)]
  }

  private nonisolated static let policies: [MergePolicy] = [
    .error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback,
  ]

  @Test(arguments: policies)
  func `keep what others have added and removed`(_ policy: MergePolicy) throws {
    own.mergePolicy = policy
    let added = Tune(title: "9")
    copy.tunes.append(added)
    copy.favourites.append(added)
    copy.tunes.remove(at: 0)
    copy.favourites.remove(at: 0)
    try other.save()
    let mine = Tune(title: "8")
    setlist.tunes.append(mine)
    setlist.favourites.append(mine)
    setlist.tunes.removeAll { $0.title == "2" }
    setlist.favourites.removeAll { $0.title == "2" }
    try own.save()
    #expect(try stored() == [["3", "9", "8"], ["3", "9", "8"]])
  }

  @Test func `don't take back what others have moved away`() throws {
    let elsewhere = Setlist(name: "Q")
    other.insert(elsewhere)
    elsewhere.tunes = [copy.tunes[0]]
    try other.save()
    setlist.tunes.append(Tune(title: "4"))
    try own.save()
    #expect(try stored()[0] == ["2", "3", "4"])
    elsewhere.tunes.append(copy.tunes[0])
    try other.save()
    setlist.tunes.reverse()
    own.mergePolicy = .overwrite
    try own.save()
    #expect(try stored()[0] == ["4", "3"])
  }

  @Test func `have new members where the program has put them`() throws {
    copy.tunes.reverse()
    copy.favourites.reverse()
    try other.save()
    for title in ["a", "b"] {
      let tune = Tune(title: title)
      setlist.tunes.insert(tune, at: 0)
      setlist.favourites.insert(tune, at: 0)
    }
    try own.save()
    #expect(try stored() == [["b", "a", "3", "2", "1"], ["b", "a", "3", "2", "1"]])
  }

  @Test(arguments: policies)
  func `have one of two orders, as the policy says`(_ policy: MergePolicy) throws {
    own.mergePolicy = policy
    copy.tunes.reverse()
    copy.favourites.reverse()
    let added = Tune(title: "9")
    copy.tunes.append(added)
    copy.favourites.append(added)
    try other.save()
    setlist.tunes.swapAt(0, 1)
    setlist.favourites.swapAt(0, 1)
    switch policy {
    case .error:
      #expect(throws: SwiftDataError.saveConflict) { try own.save() }
      #expect(try stored() == [["3", "2", "1", "9"], ["3", "2", "1", "9"]])
    case .mergeByPropertyObjectTrump, .overwrite:
      try own.save()
      #expect(try stored() == [["2", "1", "9", "3"], ["2", "1", "9", "3"]])
    default:
      try own.save()
      #expect(try stored() == [["3", "2", "1", "9"], ["3", "2", "1", "9"]])
      #expect(setlist.tunes.map(\.title) == ["3", "2", "1", "9"])
    }
  }

  @Test func `arrive in the order that others have given them, and observers are told`() throws {
    let main = container.mainContext
    let setlist = try #require(try main.fetch(FetchDescriptor<Setlist>()).first)
    nonisolated(unsafe) var count = 0
    func read() -> [String] {
      withObservationTracking {
        setlist.tunes.map(\.title)
      } onChange: {
        count += 1
      }
    }
    #expect(read() == ["1", "2", "3"])
    #expect(setlist.favourites.count == 3)
    copy.tunes.reverse()
    try other.save()
    #expect(read() == ["3", "2", "1"])
    #expect(count == 1)
    copy.tunes.insert(Tune(title: "new"), at: 0)
    copy.favourites.insert(Tune(title: "liked"), at: 1)
    try other.save()
    #expect(read() == ["new", "3", "2", "1"])
    #expect(setlist.favourites.map(\.title) == ["1", "liked", "2", "3"])
    #expect(count == 2)
  }

  @Test func `arrive in that order beside the program's changes`() throws {
    let main = container.mainContext
    let setlist = try #require(try main.fetch(FetchDescriptor<Setlist>()).first)
    setlist.tunes.append(Tune(title: "4"))
    copy.tunes.reverse()
    try other.save()
    #expect(try main.fetchCount(FetchDescriptor<Setlist>()) == 1)
    #expect(setlist.tunes.map(\.title) == ["3", "2", "1", "4"])
    try main.save()
    #expect(try stored()[0] == ["3", "2", "1", "4"])
  }

  @Test func `have their orders in the history`() throws {
    let token = try own.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.token
    copy.tunes.reverse()
    try other.save()
    let transaction = try #require(
      try own.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last
    )
    #expect(transaction.token != token)
    let updates = transaction.changes.compactMap { change -> DefaultHistoryUpdate<Setlist>? in
      if case .update(let update as DefaultHistoryUpdate<Setlist>) = change { update } else { nil }
    }
    let attributes = updates.flatMap { $0.updatedAttributes as [AnyKeyPath] }
    #expect(attributes.contains(\Setlist.tunes))
  }
}
