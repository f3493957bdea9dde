import DepotClient
import DepotProtocol
import Foundation
import TestSupport
import Testing

/// What the checker of notes finds, one contradiction at a time.
@Suite struct NoteCheckerTests {
  private static let initial = NoteState(
    notes: [1: .init(version: 1, values: ["a": 0, "b": 0])],
    links: [.init(note: 1, label: 9)]
  )

  private static func token(_ number: Int64) -> HistoryToken {
    HistoryToken(store: "3f2b8c01", sequence: number)
  }

  /// A transaction that sets `a` of the note.
  private static func change(
    _ number: Int64,
    from old: Int64,
    to new: Int64,
    version: Int64,
    origin: String? = nil
  ) -> HistoryTransaction {
    HistoryTransaction(
      token: token(number),
      author: "w.0",
      origin: origin,
      changes: [
        HistoryChange(
          entity: "Note",
          identifier: 1,
          kind: .update,
          properties: ["a"],
          old: ["a": .int64(old)],
          new: ["a": .int64(new)],
          version: version
        )
      ]
    )
  }

  private static let sound = [
    change(11, from: 0, to: 1, version: 2),
    change(12, from: 1, to: 0, version: 3, origin: "undo:3f2b8c01-11"),
  ]

  private static func final(_ a: Int64, version: Int64) -> NoteState {
    NoteState(notes: [1: .init(version: version, values: ["a": a, "b": 0])], links: initial.links)
  }

  /// What is found in a history and one recording.
  private func kinds(
    _ transactions: [HistoryTransaction],
    final: NoteState = Self.final(0, version: 3),
    _ lines: [String] = []
  ) throws -> [Violation.Kind] {
    let folder = try TemporaryFolder()
    _ = try folder.write(lines.joined(separator: "\n"), to: "w.0.ndjson")
    return try NoteChecker.check(folder.path, initial: Self.initial, transactions, final: final)
      .violations.map(\.kind)
  }

  private func save(policy: String, client: Int64, base: Int64, token: Int64) -> [String] {
    let arguments = """
      {"update":[{"entity":"Note","columns":["$id","$version","a","b"],"rows":[[1,1,\(client),0]],\
      "base":{"columns":["a","b"],"rows":[[\(base),0]]}}],"policy":"\(policy)"}
      """
    return [
      #"{"event":"note-call","name":"x","at":1,"call":"save","args":\#(arguments)}"#,
      #"{"event":"note-ok","name":"x","at":2,"ok":{"token":"3f2b8c01-\#(token)"}}"#,
    ]
  }

  @Test func `a sound history isn't blamed`() throws {
    let merge = save(policy: "error", client: 1, base: 0, token: 11)
    let watch = [
      #"{"event":"history-begin","name":"h","at":1,"token":10}"#,
      #"{"event":"history","name":"h","at":1,"token":11}"#,
      #"{"event":"history","name":"h","at":1,"token":12}"#,
      #"{"event":"history-current","name":"h","at":1,"token":12}"#,
      #"{"event":"count","name":"c","at":1,"token":12,"count":0}"#,
    ]
    #expect(try kinds(Self.sound, merge + watch) == [])
  }

  @Test func `transactions must fit to each other and to the end`() throws {
    let forgotten = [Self.sound[1]]
    #expect(try kinds(forgotten) == [.notSerialisable])
    #expect(try kinds(Self.sound, final: Self.final(1, version: 3)) == [.lostWrite])
    let wrong = [Self.change(11, from: 5, to: 0, version: 2)]
    #expect(try kinds(wrong, final: Self.final(0, version: 2)) == [.notSerialisable])
    let link = HistoryChange(
      entity: "Label",
      identifier: 9,
      kind: .links,
      new: ["notes": .object(["add": .array([.int64(1)])])]
    )
    let linked = [HistoryTransaction(token: Self.token(11), changes: [link])]
    #expect(try kinds(linked, final: Self.initial) == [.notSerialisable])
  }

  @Test func `nothing is undone twice unless it was done again`() throws {
    let again = Self.change(13, from: 0, to: 0, version: 4, origin: "undo:3f2b8c01-11")
    #expect(try kinds(Self.sound + [again], final: Self.final(0, version: 4)) == [.appliedTwice])
    let redo = Self.change(13, from: 0, to: 1, version: 4, origin: "redo:3f2b8c01-12")
    let undo = Self.change(14, from: 1, to: 0, version: 5, origin: "undo:3f2b8c01-11")
    #expect(try kinds(Self.sound + [redo, undo], final: Self.final(0, version: 5)) == [])
  }

  @Test func `an acknowledged write is in the history as its policy decides`() throws {
    let lost = save(policy: "error", client: 1, base: 0, token: 15)
    #expect(try kinds(Self.sound, lost) == [.lostWrite])
    for (policy, isRight) in [
      ("error", false), ("mergeByPropertyStoreTrump", false),
      ("mergeByPropertyObjectTrump", true), ("overwrite", true), ("rollback", false),
    ] {
      // The store had 0 and has 1 afterwards, though the client had read 7.
      let lines = save(policy: policy, client: 1, base: 7, token: 11)
      #expect(try Set(kinds(Self.sound, lines)) == (isRight ? [] : [.lostUpdate]), "\(policy)")
    }
  }

  @Test func `watches must have told all of it`() throws {
    let missed = [
      #"{"event":"history-begin","name":"h","at":1,"token":10}"#,
      #"{"event":"history","name":"h","at":1,"token":12}"#,
      #"{"event":"history-current","name":"h","at":1,"token":12}"#,
    ]
    #expect(try kinds(Self.sound, missed) == [.diverged])
    let count = [#"{"event":"count","name":"c","at":1,"token":12,"count":1}"#]
    #expect(try kinds(Self.sound, count) == [.diverged])
  }
}
