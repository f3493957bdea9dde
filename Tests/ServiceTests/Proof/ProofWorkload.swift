import DepotLinux
import DepotProtocol
import TestSupport

/// The random work of one session.
struct ProofWorkload {
  private let plan: ProofPlan
  private let session: ProofSession
  private var generator: SeededGenerator
  /// What the session knows of the rows.
  private var known: [Int64: ObservedRow] = [:]
  private let core: Set<Int64>
  private var nextValue: Int64

  /// How many rows there should be.
  private static let enough = 48
  private static let bins: Range<Int64> = 0..<4

  /// Creates the work of a session; `number` is what no other session has, so that no value is
  /// written twice.
  init(_ plan: ProofPlan, _ session: ProofSession, number: Int64, seed: UInt64) {
    self.plan = plan
    self.session = session
    core = Set(plan.core)
    generator = SeededGenerator(seed: seed)
    nextValue = number << 24
  }

  /// Does one thing.
  mutating func step() throws {
    if known.isEmpty { return try scan() }
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<22: try get(random(1...4))
    case 22..<30: try scan()
    case 30..<38: try query(randomQuery())
    case 38..<43: try plan.has("pin") ? pinned() : scan()
    case 43..<65: try plan.has("versions") ? decide() : blindSave()
    case 65..<80: try blindSave()
    case 80..<88: try update()
    case 88..<94: try known.count < Self.enough ? insert() : delete()
    default: try known.count > Self.enough / 2 ? delete() : insert()
    }
    let pause = UInt32.random(in: 0...6, using: &generator)
    if pause > 3 { Process.sleep(milliseconds: pause - 3) }
  }

  // MARK: Reads

  private mutating func learn(_ answer: ProofSession.Answer?, isAll: Bool = false) {
    guard let result = answer?.result else { return }
    if isAll { known = [:] }
    for fields in answer?.rows.isEmpty == false ? answer?.rows ?? [] : result["rows"]?.array ?? [] {
      guard let row = fields.array.flatMap(ObservedRow.init) else { continue }
      known[row.id] = row
    }
    for id in result["missing"]?.array?.compactMap(\.int64) ?? [] { known[id] = nil }
  }

  private mutating func get(_ ids: [Int64], _ pin: Pin? = nil) throws {
    let answer = try session.perform(
      "get",
      #"{"entity":"Cell","ids":\#(ids),"partial":true,"select":["bin","value"]}"#,
      name: session.newName(),
      isWrite: false,
      members: pin?.member ?? "",
      note: pin?.note ?? "",
      haste: haste()
    )
    learn(answer)
  }

  private mutating func scan(_ pin: Pin? = nil) throws {
    // Small batches, so that others write between them.
    let batch = Int.random(in: 3...40, using: &generator)
    let text = CellQuery().arguments.dropLast() + #","batch":\#(batch)}"#
    let answer = try session.perform(
      "fetch",
      String(text),
      name: session.newName(),
      isWrite: false,
      members: #","credit":1"# + (pin?.member ?? ""),
      note: #","query":{}"# + (pin?.note ?? "")
    )
    learn(answer, isAll: true)
  }

  private mutating func query(_ query: CellQuery, _ pin: Pin? = nil) throws {
    let answer = try session.perform(
      "fetch",
      query.arguments,
      name: session.newName(),
      isWrite: false,
      members: #","credit":4"# + (pin?.member ?? ""),
      note: #","query":\#(query.json)"# + (pin?.note ?? "")
    )
    learn(answer)
  }

  /// A moment to which reads are pinned.
  private struct Pin {
    var member: String
    var note: String
  }

  /// Reads several times of one moment.
  private mutating func pinned() throws {
    let (name, start) = (session.newName(), Recorder.now)
    guard let answer = try session.attempt("pin", #"{"maxAgeMs":10000}"#),
      let pin = answer.result?["pin"]?.string
    else { return }
    let token = answer.result?["token"].map { #","token":\#($0.text)"# } ?? ""
    session.recorder.note("pin", name, #","from":\#(start)\#(token)"#)
    let place = Pin(member: #","pin":"\#(pin)""#, note: #","pin":"\#(name)""#)
    for _ in 0..<Int.random(in: 2...4, using: &generator) {
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: try get(random(2...5), place)
      case 1: try scan(place)
      default: try query(randomQuery(), place)
      }
    }
    _ = try session.attempt("unpin", #"{"pin":"\#(pin)"}"#)
  }

  // MARK: Writes

  private mutating func write(_ call: String, _ arguments: String, _ rows: [Int64]) throws {
    let answer = try session.perform(
      call,
      arguments,
      name: session.newName(),
      isWrite: true,
      haste: haste()
    )
    // What a write met in another state is to be read again.
    for row in rows where answer?.error != nil && !core.contains(row) { known[row] = nil }
  }

  private mutating func insert() throws {
    let rows = (0..<Int.random(in: 1...2, using: &generator)).map { _ in newRow() }
    try write(
      "insert",
      #"{"entity":"Cell","columns":["bin","value"],"rows":[\#(rows.joined(separator: ","))]}"#,
      []
    )
  }

  private mutating func delete() throws {
    guard let row = known.keys.filter({ !core.contains($0) }).randomElement(using: &generator)
    else { return try insert() }
    known[row] = nil
    try write("delete", #"{"entity":"Cell","ids":[\#(row)]}"#, [row])
  }

  private mutating func update() throws {
    let rows = random(1...1)
    try write(
      "update",
      #"{"entity":"Cell","ids":\#(rows),"set":{"value":\#(newValue())}}"#,
      rows
    )
  }

  /// Changes rows without having looked.
  private mutating func blindSave() throws {
    let rows = random(1...3)
    let updates = rows.map { "[\($0),\(newBin()),\(newValue())]" }.joined(separator: ",")
    var text =
      #"{"update":[{"entity":"Cell","columns":["$id","bin","value"],"rows":[\#(updates)]}]"#
    if Int.random(in: 0..<6, using: &generator) == 0 {
      text += #","insert":[{"entity":"Cell","columns":["bin","value"],"rows":[\#(newRow())]}]"#
    }
    try write("save", text + "}", rows)
  }

  /// Changes rows because of what it has read of them and of others.
  private mutating func decide() throws {
    let isMerge = Int.random(in: 0..<5, using: &generator) == 0
    let rows = isMerge ? plan.core.shuffled(using: &generator).prefix(2).sorted() : random(2...4)
    try get(rows)
    let read = rows.compactMap { known[$0] }
    guard read.count > 1 else { return }
    let changed = read.prefix(Int.random(in: 1..<read.count, using: &generator))
    // What isn't changed would be the store's after a merge.
    let shift = Int64.random(in: 1...3, using: &generator)
    let updates = changed.map {
      "[\($0.id),\($0.version),\(($0.bin + shift) % 4),\(newValue())]"
    }
    let base = changed.map { "[\($0.bin),\($0.value)]" }
    var text = """
      {"update":[{"entity":"Cell","columns":["$id","$version","bin","value"],\
      "rows":[\(updates.joined(separator: ","))],\
      "base":{"columns":["bin","value"],"rows":[\(base.joined(separator: ","))]}}]
      """
    if isMerge {
      let policies = ["mergeByPropertyObjectTrump", "overwrite", "rollback"]
      text += #","policy":"\#(policies.randomElement(using: &generator) ?? "error")""#
    } else {
      let others = read.dropFirst(changed.count)
      text += """
        ,"read":[{"entity":"Cell","ids":\(others.map(\.id)),"versions":\(others.map(\.version))}]
        """
    }
    try write("save", text + "}", rows)
  }

  // MARK: Chance

  private mutating func haste() -> ProofSession.Haste? {
    switch Int.random(in: 0..<24, using: &generator) {
    case 0: .deadline(milliseconds: Int.random(in: 0...2, using: &generator))
    case 1: .cancel(milliseconds: UInt32.random(in: 0...1, using: &generator))
    default: nil
    }
  }

  private mutating func random(_ counts: ClosedRange<Int>) -> [Int64] {
    let count = Int.random(in: counts, using: &generator)
    // Half of the rows are among a few, so that clients meet.
    let rows = Bool.random(using: &generator) ? Array(plan.core.prefix(4)) : known.keys.sorted()
    return rows.shuffled(using: &generator).prefix(count).sorted()
  }

  private mutating func randomQuery() -> CellQuery {
    CellQuery(
      bin: Bool.random(using: &generator) ? newBin() : nil,
      limit: Int.random(in: 1...10, using: &generator)
    )
  }

  private mutating func newBin() -> Int64 { Int64.random(in: Self.bins, using: &generator) }

  private mutating func newValue() -> Int64 {
    nextValue += 1
    return nextValue
  }

  private mutating func newRow() -> String { "[\(newBin()),\(newValue())]" }
}
