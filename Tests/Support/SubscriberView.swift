package import DepotProtocol

/// A row as a client saw it.
package struct ObservedRow: Hashable, Sendable {
  package var id: Int64
  package var version: Int64
  package var bin: Int64
  /// The value by which the write that made this version is known from all others.
  package var value: Int64

  package init(id: Int64, version: Int64, bin: Int64, value: Int64) {
    (self.id, self.version, self.bin, self.value) = (id, version, bin, value)
  }
}

extension ObservedRow {
  /// Reads a row `[id, version, bin, value]`.
  package init?(_ fields: [JSONValue]) {
    guard fields.count >= 4, let id = fields[0].int64, let version = fields[1].int64,
      let bin = fields[2].int64, let value = fields[3].int64
    else { return nil }
    self.init(id: id, version: version, bin: bin, value: value)
  }
}

/// The rows of a subscriber, made from the frames alone.
package struct SubscriberView {
  package private(set) var rows: [ObservedRow] = []
  package private(set) var token: Int64?
  private var fullToken: String?
  /// Whether the rows are those of a moment, and not of a part of the way to it.
  package private(set) var isWhole = false
  private var isLoading = false
  private var parts: [JSONValue] = []

  /// A frame that doesn't fit to what came before.
  package struct Broken: Error {
    package var why: String

    init(_ why: String) { self.why = why }
  }

  package init() {}

  package mutating func apply(_ frame: JSONValue) throws(Broken) {
    if let token = frame["token"]?.string, frame["more"] == nil {
      guard let number = Self.number(of: token) else { throw Broken("no token: \(token)") }
      (self.token, fullToken) = (number, token)
    }
    switch frame["kind"]?.string {
    case "snapshot":
      if !isLoading { rows = [] }
      (isLoading, isWhole, parts) = (true, false, [])
      rows += try Self.rows(of: frame)
    case "live":
      if !isLoading, !isWhole { rows = [] }
      (isLoading, isWhole) = (false, true)
    case "mark": break
    case "gap": (rows, isLoading, isWhole) = ([], false, false)
    case "disconnected": (isLoading, isWhole, parts) = (false, since != nil, [])
    case "resume":
      parts.append(frame)
      isWhole = frame["more"] == nil
      if isWhole { try resume() }
    case "change":
      parts.append(frame)
      isWhole = frame["more"] == nil
      guard isWhole else { return }
      defer { parts = [] }
      try change()
    default: throw Broken("an unknown frame: \(frame.text)")
    }
  }

  /// The token with which a new connection may go on; `nil` if it has to begin anew.
  package var since: String? { isWhole || !parts.isEmpty ? fullToken : nil }

  package static func number(of token: String) -> Int64? {
    token.split(separator: "-").last.flatMap { Int64($0) }
  }

  private static func rows(of frame: JSONValue) throws(Broken) -> [ObservedRow] {
    guard let list = frame["next"]?.array else { throw Broken("no rows: \(frame.text)") }
    let rows = list.compactMap { $0.array.flatMap(ObservedRow.init) }
    guard rows.count == list.count else { throw Broken("not our rows: \(frame.text)") }
    return rows
  }

  private mutating func resume() throws(Broken) {
    var known = Dictionary(rows.map { ($0.id, $0) }) { $1 }
    var order: [Int64] = []
    for part in parts {
      for row in try Self.rows(of: part) { known[row.id] = row }
      guard let list = part["order"]?.array?.compactMap(\.int64) else { throw Broken("no order") }
      order += list
    }
    rows = []
    for id in order {
      guard let row = known[id] else { throw Broken("row \(id) is unknown") }
      rows.append(row)
    }
    (isWhole, isLoading, parts) = (true, false, [])
  }

  private mutating func change() throws(Broken) {
    var leaving: Set<Int> = []
    var coming: [(at: Int, row: ObservedRow)] = []
    func leave(_ place: Int64?, _ id: Int64?) throws(Broken) {
      let place = Int(place ?? -1)
      guard rows.indices.contains(place), rows[place].id == id else {
        throw Broken("row \(id ?? 0) isn't at \(place) of \(rows.map(\.id))")
      }
      leaving.insert(place)
    }
    for part in parts {
      for gone in part["removed"]?.array ?? [] {
        try leave(gone["from"]?.int64, gone["id"]?.int64)
      }
      let next = try Self.rows(of: part)
      let changes = part["changes"]?.array ?? []
      guard changes.count == next.count else { throw Broken("\(changes.count) changes") }
      for (change, row) in zip(changes, next) {
        coming.append((Int(change["at"]?.int64 ?? -1), row))
        if change["kind"]?.string == "updated" { try leave(change["from"]?.int64, row.id) }
      }
    }
    for place in leaving.sorted(by: >) { rows.remove(at: place) }
    for (at, row) in coming {
      guard (0...rows.count).contains(at) else { throw Broken("no place \(at)") }
      rows.insert(row, at: at)
    }
  }
}
