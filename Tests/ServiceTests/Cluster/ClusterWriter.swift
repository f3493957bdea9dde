import DepotLinux
import DepotProtocol
import TestSupport

/// A client that writes through any of several services, and never gives up a write before it knows what became of it.
struct ClusterWriter {
  private let name: String
  private let services: [ClusterService]
  private let ledger: Ledger
  private let isOver: @Sendable () -> Bool
  private var home: Int
  private var generator: SeededGenerator
  private var connection: LineConnection?
  private var nextKey = 0
  /// Rows that it has seen, which others may have deleted.
  private var items: [Row] = []
  private var boxes: [Row] = []

  /// The rows that all writers change, and nobody deletes.
  static let sharedNames = (0..<6).map { "core-\($0)" }

  static let schema = """
    {"entities":[{"name":"Item","attributes":[{"name":"name","type":"string","unique":true},\
    {"name":"a","type":"int64","default":0},{"name":"b","type":"int64","default":0},\
    {"name":"text","type":"string","optional":true}],\
    "relationships":[{"name":"box","destination":"Box","inverse":"items","optional":true}]},\
    {"name":"Box","attributes":[{"name":"label","type":"string"}],\
    "relationships":[{"name":"items","destination":"Item","toMany":true,"inverse":"box",\
    "deleteRule":"cascade"}]}]}
    """

  init(
    _ number: Int,
    _ services: [ClusterService],
    home: Int,
    _ ledger: Ledger,
    seed: UInt64,
    until isOver: @escaping @Sendable () -> Bool
  ) {
    name = "w\(number)"
    self.services = services
    self.home = home
    self.ledger = ledger
    self.isOver = isOver
    generator = SeededGenerator(seed: seed &* 1000 &+ UInt64(number))
  }

  /// Writes until it is over.
  mutating func run() throws {
    while !isOver() { try step() }
  }

  /// Makes the rows that all change.
  mutating func begin() throws {
    let rows = Self.sharedNames.map { "[\"\($0)\"]" }.joined(separator: ",")
    try perform("insert", #"{"entity":"Item","columns":["name"],"rows":[\#(rows)]}"#)
  }

  // MARK: Work

  private mutating func step() throws {
    switch Int.random(in: 0..<20, using: &generator) {
    case 0..<5: try insert()
    case 5..<8: try insertContested()
    case 8..<11: try count()
    case 11..<14: try merge()
    case 14: try rename()
    case 15..<17: try set()
    case 17: try deleteItem()
    case 18: try insertBox()
    default: try deleteBox()
    }
  }

  private mutating func insert() throws {
    let count = generator.once(in: 8) ? 20 : 1
    let rows = (0..<count).map { _ in
      let box = boxes.isEmpty || Bool.random(using: &generator) ? nil : generator.pick(boxes)
      return "[\"\(newName())\",\(number()),\(box.map(MarkedWrite.mark) ?? "null"),\"\(text())\"]"
    }
    let columns = #"["name","a","box","text"]"#
    items += try perform(
      "insert",
      #"{"entity":"Item","columns":\#(columns),"rows":[\#(rows.joined(separator: ","))]}"#
    )
  }

  private mutating func insertContested() throws {
    let way = generator.pick(["error", "skip", "replace"])
    let row = "[\"contested-\(Int.random(in: 0..<12, using: &generator))\",\(number())]"
    items += try perform(
      "insert",
      #"{"entity":"Item","columns":["name","a"],"rows":[\#(row)],"onConflict":"\#(way)"}"#
    )
  }

  /// Counts one of the rows of all up, so that a change that is lost or done twice is seen.
  private mutating func count() throws {
    let name = generator.pick(Self.sharedNames)
    try perform(
      "update",
      #"{"entity":"Item","where":"name == '\#(name)'","compute":{"b":"b + 1"}}"#
    )
  }

  /// Changes what was read, as it may not be any more.
  private mutating func merge() throws {
    let name = generator.pick(Self.sharedNames)
    let query = #"{"entity":"Item","where":"name == '\#(name)'","select":["name","a","b"]}"#
    guard let row = try ask("fetch", query)?.rows.first?.array, row.count == 5,
      let identifier = row[0].int64, let version = row[1].int64, let a = row[3].int64,
      let b = row[4].int64
    else { return }
    let policy = generator.pick([
      "error", "mergeByPropertyStoreTrump", "mergeByPropertyObjectTrump", "overwrite", "rollback",
    ])
    let id = MarkedWrite.mark(Row(entity: "Item", identifier: identifier))
    try perform(
      "save",
      """
      {"update":[{"entity":"Item","columns":["$id","$version","a"],\
      "rows":[[\(id),\(version),\(number())]],\
      "base":{"columns":["a","b"],"rows":[[\(a),\(b)]]}}],"policy":"\(policy)"}
      """
    )
  }

  private mutating func rename() throws {
    guard let id = takeItem(keeping: true) else { return }
    let name = "contested-\(Int.random(in: 0..<12, using: &generator))"
    try perform(
      "update",
      #"{"entity":"Item","ids":[\#(MarkedWrite.mark(id))],"set":{"name":"\#(name)"}}"#
    )
  }

  private mutating func set() throws {
    guard let id = takeItem(keeping: true) else { return }
    try perform(
      "update",
      #"{"entity":"Item","ids":[\#(MarkedWrite.mark(id))],"set":{"text":"\#(text())"}}"#
    )
  }

  private mutating func deleteItem() throws {
    guard let id = takeItem(keeping: false) else { return }
    try perform("delete", #"{"entity":"Item","ids":[\#(MarkedWrite.mark(id))]}"#)
  }

  private mutating func insertBox() throws {
    boxes += try perform(
      "insert",
      #"{"entity":"Box","columns":["label"],"rows":[["\#(newName())"]]}"#
    )
  }

  /// Deletes a box with what is in it.
  private mutating func deleteBox() throws {
    guard boxes.count > 2 else { return try insertBox() }
    let id = boxes.remove(at: Int.random(in: boxes.indices, using: &generator))
    try perform("delete", #"{"entity":"Box","ids":[\#(MarkedWrite.mark(id))]}"#)
  }

  private mutating func takeItem(keeping: Bool) -> Row? {
    guard !items.isEmpty else { return nil }
    let index = Int.random(in: items.indices, using: &generator)
    return keeping ? items[index] : items.remove(at: index)
  }

  private mutating func number() -> Int { Int.random(in: 0..<100, using: &generator) }

  private mutating func text() -> String {
    String(repeating: "\(number())", count: Int.random(in: 0..<100, using: &generator))
  }

  private mutating func newName() -> String {
    nextKey += 1
    return "\(name)-\(nextKey)"
  }

  // MARK: Calls

  /// Errors that are answers: nothing was changed, and nothing will by another attempt.
  private static let refusals: Set<String> = [
    "conflict.unique", "conflict.merge", "notfound.object", "constraint.reference",
  ]

  /// Makes a write, and makes it again through any service until it is known what became of it.
  ///
  /// - Returns: The rows that an insertion has made or met; none if it was refused.
  /// - Throws: ``TestFailure`` if it doesn't come to be known.
  @discardableResult
  private mutating func perform(_ call: String, _ arguments: String) throws -> [Row] {
    let write = MarkedWrite(call: call, arguments: arguments)
    let key = newName()
    let start = ContinuousClock.now
    while true {
      let members = #","key":"\#(key)","author":"\#(key)""#
      guard let answer = try attempt(call, write.arguments(), members) else {
        ledger.repeat()
        continue
      }
      if let result = answer.result {
        let pause = ContinuousClock.now - start
        ledger.acknowledge(.init(key: key, write: write, result: result), after: pause)
        return write.rows(of: result)
      }
      let code = answer.error?["code"]?.string ?? "?"
      let effect = answer.error?["effect"]?.string
      ledger.refuse(code)
      if code.hasPrefix("unavailable."), ["none", "unknown"].contains(effect) {
        try wait(since: start, answer.error)
        connection = nil
        continue
      }
      if !Self.refusals.contains(code) || effect != "none" {
        ledger.complain("\(key) got \(answer.error?.text ?? "nothing")")
      }
      return []
    }
  }

  private mutating func ask(_ call: String, _ arguments: String) throws -> LineConnection.Answer? {
    guard let answer = try attempt(call, arguments, "") else { return nil }
    if let error = answer.error { ledger.complain("\(call) got \(error.text)") }
    return answer
  }

  /// Calls once; `nil` if the connection was lost before the answer.
  private mutating func attempt(
    _ call: String,
    _ arguments: String,
    _ members: String
  ) throws -> LineConnection.Answer? {
    let start = ContinuousClock.now
    while connection == nil {
      connection = try? LineConnection(services[home].socket)
      guard connection == nil else { break }
      home = Int.random(in: services.indices, using: &generator)
      try wait(since: start, nil)
    }
    do {
      return try connection?.call(call, arguments, members)
    } catch {
      connection = nil
      return nil
    }
  }

  private func wait(since start: ContinuousClock.Instant, _ error: JSONValue?) throws {
    guard ContinuousClock.now - start < patience else {
      throw TestFailure("\(name) gets no answer: \(error?.text ?? "there is no service")")
    }
    Process.sleep(milliseconds: 5)
  }
}
