internal import DepotProtocol

/// A table of the rows that a many-to-many relationship joins, as in `Z_1TAGS (Z_1TRIPS, Z_2TAGS, Z_FOK_2TAGS)`.
struct AppleJoin {
  var table: String
  /// The entity whose relationship named the table, and the relationship's name in capitals.
  var source: AppleEntity
  var name: String
  var destination: AppleEntity
  /// The columns with the keys of the rows at both sides.
  var sourceColumn: String
  var destinationColumn: String
  /// The column with the order of the destinations; `nil` if they have none.
  var order: String?

  /// Returns all such tables.
  static func all(in tables: AppleTables) -> [AppleJoin] {
    tables.names.compactMap { AppleJoin($0, tables) }
  }

  private init?(_ table: String, _ tables: AppleTables) {
    guard let (number, name) = Self.split(table),
      let source = tables.entities.first(where: { $0.number == number })
    else { return nil }
    let columns = tables.columns(of: table).map(\.name).filter { !$0.hasPrefix("Z_FOK_") }
    guard columns.count == 2 else { return nil }
    // The destination's column is named by the relationship, and the other column by the inverse.
    guard
      let place = columns.lastIndex(where: { Self.split($0)?.name == name })
        ?? columns.lastIndex(where: { Self.split($0)?.name.hasPrefix(name) == true }),
      let target = Self.split(columns[place])?.number,
      let destination = tables.entities.first(where: { $0.number == target })
    else { return nil }
    self.table = table
    self.source = source
    self.name = name
    self.destination = destination
    destinationColumn = columns[place]
    sourceColumn = columns[1 - place]
    let order = "Z_FOK_" + String(columns[place].dropFirst(2))
    self.order = tables.has(order, in: table) ? order : nil
  }

  /// Splits `Z_12TAGS` into the number of an entity and a name.
  private static func split(_ text: String) -> (number: Int64, name: String)? {
    guard text.hasPrefix("Z_") else { return nil }
    let digits = text.dropFirst(2).prefix { $0.isNumber }
    guard let number = Int64(digits), text.count > 2 + digits.count else { return nil }
    return (number, String(text.dropFirst(2 + digits.count)))
  }

  /// Returns the destinations of each source, in their order; or the sources of each destination.
  func links(_ tables: AppleTables, isInverse: Bool) throws -> [Int64: [Int64]] {
    var found: [Int64: [(order: Int64, key: Int64)]] = [:]
    let (near, far) =
      isInverse ? (destinationColumn, sourceColumn) : (sourceColumn, destinationColumn)
    try tables.rows(table) { row in
      guard let from = row[near]?.integer, let to = row[far]?.integer else { return }
      let place = isInverse ? 0 : order.flatMap { row[$0]?.integer } ?? 0
      found[from, default: []].append((place, to))
    }
    return found.mapValues { $0.sorted { ($0.order, $0.key) < ($1.order, $1.key) }.map(\.key) }
  }
}
