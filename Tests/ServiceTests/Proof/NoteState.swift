import DepotClient
import DepotProtocol

/// The notes of a store and their labels at one moment, as far as clients change them.
struct NoteState: Hashable {
  struct Note: Hashable {
    var version: Int64
    var values: [String: Int64]
  }

  /// A label that a note has.
  struct Link: Hashable {
    var note: Int64
    var label: Int64
  }

  /// Why a transaction can't come after this moment.
  struct Broken: Error {
    var why: String
  }

  var notes: [Int64: Note] = [:]
  var links: Set<Link> = []

  /// Applies what the history says of a transaction.
  mutating func apply(_ transaction: HistoryTransaction) throws(Broken) {
    for change in transaction.changes {
      switch (change.entity, change.kind) {
      case ("Note", .update): try update(change)
      case ("Note", .links), ("Label", .links): try link(change)
      default: break
      }
    }
  }

  private mutating func update(_ change: HistoryChange) throws(Broken) {
    guard var note = notes[change.identifier] else {
      throw Broken(why: "there is no note \(change.identifier)")
    }
    guard change.version == note.version + 1 else {
      throw Broken(
        why:
          "version \(change.version ?? 0) of note \(change.identifier) comes after \(note.version)"
      )
    }
    for (name, old) in change.old where note.values[name] != old.int64 {
      throw Broken(
        why: "\(name) of note \(change.identifier) was \(note.values[name] ?? -1), not \(old.text)"
      )
    }
    for (name, new) in change.new { note.values[name] = new.int64 }
    note.version += 1
    notes[change.identifier] = note
  }

  private mutating func link(_ change: HistoryChange) throws(Broken) {
    let isNote = change.entity == "Note"
    for value in change.new.values {
      for (member, isAdded) in [("remove", false), ("add", true)] {
        for other in value[member]?.array?.compactMap(\.int64) ?? [] {
          let link = Link(
            note: isNote ? change.identifier : other,
            label: isNote ? other : change.identifier
          )
          guard links.contains(link) != isAdded else {
            throw Broken(why: "the label \(link.label) of note \(link.note) is told wrongly")
          }
          if isAdded { links.insert(link) } else { links.remove(link) }
        }
      }
    }
  }

  /// Reads the notes of a service to which nobody writes.
  static func current(_ connection: RawConnection, call: Int) throws -> NoteState {
    func rows(_ call: Int, _ arguments: String) throws -> [[JSONValue]] {
      try connection.call(call, "fetch", arguments)
      return try connection.receiveAnswer(of: call).next.flatMap { frame in
        (frame["next"]?.array ?? []).compactMap(\.array)
      }
    }
    var state = NoteState()
    for row in try rows(call, #"{"entity":"Note","select":["a","b"]}"#) {
      let fields = row.compactMap(\.int64)
      guard fields.count == 4 else { continue }
      state.notes[fields[0]] = Note(version: fields[1], values: ["a": fields[2], "b": fields[3]])
    }
    for row in try rows(call + 1, #"{"entity":"Label","select":["notes"]}"#) {
      guard let label = row.first?.int64 else { continue }
      for note in row.last?.array?.compactMap(\.int64) ?? [] {
        state.links.insert(Link(note: note, label: label))
      }
    }
    return state
  }

  /// How many notes a watched count is of.
  var count: Int { notes.values.count { $0.values["b"] == Self.countedValue } }

  static let countedValue: Int64 = 1
}
