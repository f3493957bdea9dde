internal import DepotProtocol

/// The tables of a store that SwiftData or Core Data made, as they stand in a ``PlainTable`` folder.
struct AppleTables {
  private let folder: String
  private let tables: [String: PlainTable]
  /// The entities, in the order of their numbers.
  private(set) var entities: [AppleEntity] = []

  /// The numbers of internal entities, such as the history's, begin here.
  private static let firstInternal = 16_000
  private static let lineLimit = 1 << 30

  /// Reads the list of tables.
  ///
  /// - Throws: ``DepotError`` `request.usage` if they aren't those of such a store.
  init(_ folder: String) throws {
    self.folder = folder
    let list = try InputFile("\(folder)/\(PlainTable.list)").readAll(limit: 64 << 20)
    let tables = try (JSONValue(parsing: list).array ?? []).map { try PlainTable($0) }
    self.tables = Dictionary(tables.map { ($0.name, $0) }) { first, _ in first }
    guard self.tables["Z_PRIMARYKEY"] != nil, self.tables["Z_METADATA"] != nil else {
      throw DepotError(.usage, "The file is no store of SwiftData or Core Data.")
        .hint("It has no tables Z_PRIMARYKEY and Z_METADATA.")
    }
    var known: [(number: Int64, name: String, parent: Int64)] = []
    try rows("Z_PRIMARYKEY") { row in
      guard let number = row["Z_ENT"]?.integer, let name = row["Z_NAME"]?.text,
        number < Self.firstInternal
      else { return }
      known.append((number, name, row["Z_SUPER"]?.integer ?? 0))
    }
    for entity in known.sorted(by: { $0.number < $1.number }) {
      var root = entity
      // The loop ends even if parents form a cycle.
      for _ in known {
        guard let parent = known.first(where: { $0.number == root.parent }) else { break }
        root = parent
      }
      let table = "Z" + root.name.uppercased()
      guard self.tables[table] != nil else { continue }
      entities.append(
        AppleEntity(number: entity.number, name: entity.name, parent: entity.parent, table: table)
      )
    }
  }

  /// The names of all tables.
  var names: [String] { tables.keys.sorted() }

  func columns(of table: String) -> [PlainTable.Column] { tables[table]?.columns ?? [] }

  func has(_ column: String, in table: String) -> Bool {
    columns(of: table).contains { $0.name == column }
  }

  /// Calls `body` with the values of each row by their columns, in the order of their keys.
  func rows(_ name: String, _ body: ([String: PlainValue]) throws -> Void) throws {
    guard let table = tables[name] else { return }
    let names = table.columns.map(\.name)
    let file = try InputFile("\(folder)/\(table.file)")
    var rest: [UInt8] = []
    while case let piece = try file.read(), !piece.isEmpty {
      rest += piece
      guard rest.count < Self.lineLimit else {
        throw DepotError(.valueTooLarge, "A row of \(name) is too large.")
      }
      guard piece.contains(UInt8(ascii: "\n")) else { continue }
      var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      let last = Array(lines.removeLast())
      for line in lines {
        let row = try JSONValue(JSONDocument(Array(line), valueLimit: .max).root).array ?? []
        var values: [String: PlainValue] = [:]
        for (name, value) in zip(names, row) { values[name] = try PlainValue(value) }
        try body(values)
      }
      rest = last
    }
  }
}
