internal import DepotProtocol
internal import DepotSQLite

/// Adds rows to an index of the history, many with each run of a statement.
///
/// A row is the name of an entity and some numbers.
@Memberwise
final class IndexInsertion {
  /// The number of rows that one run of a statement adds, if there are as many.
  private static let rowsTogether = 32

  private unowned let connection: Connection
  /// The statement before the rows.
  private let sql: String
  /// The number of numbers in a row.
  private let width: Int
  private var insertionOfOne: Statement?
  private var insertionOfMany: Statement?

  /// Adds rows of an entity, each given by its numbers.
  func add(_ numbers: [Int64], of entity: String) throws {
    let size = Self.rowsTogether * width
    let wholes = numbers.count / size * size
    if wholes > 0 {
      let statement = try insertionOfMany ?? statement(adding: Self.rowsTogether)
      insertionOfMany = statement
      try add(numbers[..<wholes], entity, statement, size)
    }
    if wholes < numbers.count {
      let statement = try insertionOfOne ?? statement(adding: 1)
      insertionOfOne = statement
      try add(numbers[wholes...], entity, statement, width)
    }
  }

  /// Adds rows by a statement that has room for `count` numbers.
  private func add(
    _ numbers: ArraySlice<Int64>,
    _ entity: String,
    _ statement: Statement,
    _ count: Int
  ) throws {
    defer { statement.reset() }
    var entity = entity
    try entity.withUTF8 { entity in
      try statement.bind(borrowingText: entity, at: 1)
      for start in stride(from: numbers.startIndex, to: numbers.endIndex, by: count) {
        for offset in 0..<count { try statement.bind(numbers[start + offset], at: 2 + offset) }
        try statement.runBound()
      }
    }
  }

  /// Returns a statement that adds `count` rows: the entity, and the numbers of each row.
  private func statement(adding count: Int) throws(SQLiteError) -> Statement {
    let rows = (0..<count).map { row in
      let marks = (0..<width).map { ", ?\(2 + row * width + $0)" }
      return "(?1\(marks.joined()))"
    }
    return try connection.statement("\(sql) VALUES \(rows.joined(separator: ", "))")
  }
}
