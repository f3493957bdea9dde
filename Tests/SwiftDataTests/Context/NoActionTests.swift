import Testing

@testable import SwiftData

/// Deletions of objects whose relationships have the rule `.noAction`.
@Suite struct NoActionTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(storing: Worker.self, Entry.self)
    context = ModelContext(container)
  }

  private enum Child: CaseIterable {
    case stored, inserted, moved
  }

  @Test func `others stay, and lead to nothing, whether they are saved or not`() throws {
    for child in Child.allCases {
      let (worker, other) = (Worker(name: "Eve"), Worker(name: "Ada"))
      context.insert(worker)
      context.insert(other)
      let entry = Entry(text: "\(child)", worker: child == .moved ? other : worker)
      if child != .inserted { context.insert(entry) }
      try context.save()
      if child == .inserted { context.insert(entry) }
      if child == .moved { entry.worker = worker }
      context.delete(worker)
      try context.save()
      #expect(entry.worker == nil, "\(child)")
      #expect(!context.hasChanges)
      let again = ModelContext(container)
      let text = "\(child)"
      let saved = try again.fetch(
        FetchDescriptor<Entry>(predicate: #Predicate { $0.text == text })
      )
      #expect(saved.count == 1)
      #expect(saved.first?.worker == nil, "\(child)")
      let rest = try again.fetch(FetchDescriptor<Worker>())
      #expect(rest.allSatisfy { $0.name == "Ada" && $0.entries.isEmpty })
    }
  }

  @Test(arguments: [false, true])
  func `a link to what has gone is nil in predicates, and can be set anew`(_ isRead: Bool) throws {
    let worker = Worker(name: "Eve")
    context.insert(worker)
    worker.entries = ["a", "b", "c"].map { Entry(text: $0, worker: worker) }
    try context.save()
    context.delete(worker)
    try context.save()
    let again = ModelContext(container)
    again.autosaveEnabled = false
    let unlinked = FetchDescriptor<Entry>(predicate: #Predicate { $0.worker == nil })
    let linked = FetchDescriptor<Entry>(predicate: #Predicate { $0.worker != nil })
    #expect(try again.fetchCount(unlinked) == 3)
    #expect(try again.fetchCount(linked) == 0)
    let entries = try again.fetch(FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.text)]))
    if isRead { #expect(entries.allSatisfy { $0.worker == nil }) }
    entries[0].worker = Worker(name: "Ada")
    entries[1].worker = nil
    try again.save()
    let bob = Worker(name: "Bob")
    again.insert(bob)
    bob.entries = [entries[2]]
    try again.save()
    let found = try ModelContext(container)
      .fetch(FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.text)]))
    #expect(found.map { $0.worker?.name } == ["Ada", nil, "Bob"])
    #expect(try again.fetchCount(unlinked) == 1)
  }

  @Test func `an inserted list doesn't keep what has gone`() throws {
    let tag = Label(name: "new")
    let gone = Sheet(name: "gone")
    let container = try ModelContainer(storing: Label.self, Sheet.self)
    let context = ModelContext(container)
    context.insert(gone)
    try context.save()
    context.insert(tag)
    tag.sheets = [gone, Sheet(name: "here")]
    context.delete(gone)
    try context.save()
    #expect(tag.sheets.map(\.name) == ["here"])
    let saved = try ModelContext(container).fetch(FetchDescriptor<Label>())
    #expect(saved.map { $0.sheets.map(\.name) } == [["here"]])
  }

  @Test func `a rollback brings the link of what was moved back`() throws {
    let (worker, other) = (Worker(name: "Eve"), Worker(name: "Ada"))
    let entry = Entry(text: "a", worker: other)
    context.insert(entry)
    context.insert(worker)
    try context.save()
    entry.worker = worker
    context.delete(worker)
    context.processPendingChanges()
    context.rollback()
    #expect(entry.worker === other)
  }

  @Model final class Worker {
    var name: String
    @Relationship(deleteRule: .noAction, inverse: \Entry.worker) var entries: [Entry] = []

    init(name: String) { self.name = name }
  }

  @Model final class Entry {
    var text: String
    var worker: Worker?

    init(text: String, worker: Worker?) {
      self.text = text
      self.worker = worker
    }
  }

  @Model final class Label {
    var name: String
    var sheets: [Sheet] = []

    init(name: String) { self.name = name }
  }

  @Model final class Sheet {
    var name: String
    @Relationship(deleteRule: .noAction, inverse: \Label.sheets) var labels: [Label] = []

    init(name: String) { self.name = name }
  }
}
