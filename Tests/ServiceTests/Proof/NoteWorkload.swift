import DepotLinux
import DepotProtocol
import TestSupport

/// The random work of one session on notes: what cells can't show, because values come back and rows are linked.
///
/// What it does is compared with the history of the store by ``NoteChecker``.
struct NoteWorkload {
  private let plan: ProofPlan
  private let session: ProofSession
  private var generator: SeededGenerator

  init(_ plan: ProofPlan, _ session: ProofSession, seed: UInt64) {
    self.plan = plan
    self.session = session
    generator = SeededGenerator(seed: seed &* 31 &+ 7)
  }

  /// Does one thing.
  mutating func step() throws {
    switch Int.random(in: 0..<20, using: &generator) {
    case 0..<9: try merge()
    case 9..<13: try link()
    case 13..<15: try group()
    case 15..<18: try perform("undo", target)
    default: try perform("redo", target)
    }
  }

  private func perform(_ call: String, _ arguments: String, group: String? = nil) throws {
    let group = group.map { #","group":"\#($0)""# } ?? ""
    _ = try session.perform(
      call,
      arguments,
      name: session.newName(),
      isWrite: true,
      members: #","author":"\#(session.name)""# + group,
      kind: "note-"
    )
  }

  /// Changes notes that were read, and lets a policy decide what becomes of it.
  private mutating func merge() throws {
    let ids = random(plan.notes, 1...2)
    let get = #"{"entity":"Note","ids":\#(ids),"select":["a","b"]}"#
    guard let rows = try session.attempt("get", get)?.result?["rows"]?.array else { return }
    let policies = MergePolicy.allCases.map(\.rawValue)
    let policy = policies.randomElement(using: &generator) ?? "error"
    if Bool.random(using: &generator) { Process.sleep(milliseconds: 1) }
    let read = rows.compactMap { $0.array?.compactMap(\.int64) }.filter { $0.count == 4 }
    guard !read.isEmpty else { return }
    let updates = read.map { row in
      let a = Bool.random(using: &generator) ? newValue() : row[2]
      return "[\(row[0]),\(row[1]),\(a),\(newValue())]"
    }
    let base = read.map { "[\($0[2]),\($0[3])]" }
    try perform(
      "save",
      """
      {"update":[{"entity":"Note","columns":["$id","$version","a","b"],\
      "rows":[\(updates.joined(separator: ","))],\
      "base":{"columns":["a","b"],"rows":[\(base.joined(separator: ","))]}}],"policy":"\(policy)"}
      """
    )
  }

  /// Moves a label from a note to another.
  private mutating func link() throws {
    let notes = random(plan.notes, 2...2)
    guard let label = plan.labels.randomElement(using: &generator), notes.count == 2 else { return }
    let change = #"{"add":[\#(notes[0])],"remove":[\#(notes[1])]}"#
    try perform(
      "save",
      #"{"update":[{"entity":"Label","columns":["$id","notes"],"rows":[[\#(label),\#(change)]]}]}"#
    )
  }

  /// Makes two transactions that belong together.
  private mutating func group() throws {
    let group = session.newName()
    for note in random(plan.notes, 2...2) {
      let arguments = #"{"entity":"Note","ids":[\#(note)],"set":{"a":\#(newValue())}}"#
      try perform("update", arguments, group: group)
    }
    try perform("undo", #"{"group":"\#(group)","policy":"mergeByPropertyObjectTrump"}"#)
  }

  private var target: String {
    mutating get {
      let policies = ["error", "mergeByPropertyStoreTrump", "overwrite"]
      return #"{"policy":"\#(policies.randomElement(using: &generator) ?? "error")"}"#
    }
  }

  private mutating func random(_ list: [Int64], _ counts: ClosedRange<Int>) -> [Int64] {
    let count = Int.random(in: counts, using: &generator)
    return list.shuffled(using: &generator).prefix(count).sorted()
  }

  private mutating func newValue() -> Int64 { Int64.random(in: 0..<6, using: &generator) }
}
