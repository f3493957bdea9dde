import Testing

@testable import SwiftData

@Suite struct `Dictionaries with unusual keys` {
  @Test func `are stored as they are`() throws {
    let container = try ModelContainer(storing: Ledger.self)
    let context = ModelContext(container)
    let counts = ["": 1, "a\\u0000b": 2, "\u{1F}\"\\": 3, "é\u{2028}": 5]
    context.insert(Ledger(counts, note: "\u{0}"))
    try context.save()
    let ledgers = try ModelContext(container).fetch(FetchDescriptor<Ledger>())
    #expect(ledgers.map(\.counts) == [counts])
    #expect(ledgers.map(\.note.text) == ["\u{0}"])
  }

  @Test func `are refused before they are sent if a zero character is in one`() throws {
    let container = try ModelContainer(storing: Ledger.self)
    let context = ModelContext(container)
    let ledger = Ledger(["a\u{0}": 4], note: "")
    context.insert(ledger)
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.message.contains("U+0000") == true)
    #expect(error?.property == "counts")
    // The context can save again when the value is another.
    ledger.counts = ["a": 4]
    try context.save()
    let counts = try ModelContext(container).fetch(FetchDescriptor<Ledger>()).map(\.counts)
    #expect(counts == [["a": 4]])
  }

  struct Note: Codable {
    var text: String
  }

  @Model final class Ledger {
    var counts: [String: Int]
    @Attribute(.codable) var note: Note
    init(_ counts: [String: Int], note: String) {
      self.counts = counts
      self.note = Note(text: note)
    }
  }
}
