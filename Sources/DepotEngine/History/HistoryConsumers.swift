internal import DepotProtocol
internal import DepotSQLite

/// The consumers of a store's history, and up to where each has read it.
struct HistoryConsumers {
  /// How many there may be.
  static let limit = 1000

  let connection: Connection

  struct Consumer: Equatable {
    var name: String
    var token: Int64
    /// When it said so last, in seconds since 2001.
    var at: Double
  }

  /// Returns up to where a consumer has read; `nil` if there is none of that name.
  func position(of name: String) throws -> Int64? {
    try connection.integer("SELECT token FROM depot_consumer WHERE name = ?1", [.text(name)])
  }

  /// All consumers, in the order of their names.
  func all() throws -> [Consumer] {
    try connection.statement("SELECT name, token, at FROM depot_consumer ORDER BY name").rows {
      Consumer(name: $0.text(0), token: $0.integer(1), at: $0.real(2))
    }
  }

  /// Notes up to where a consumer has read.
  func set(_ name: String, _ token: Int64, at time: Double) throws {
    if try position(of: name) == nil {
      let count = try connection.integer("SELECT count(*) FROM depot_consumer") ?? 0
      guard count < Self.limit else {
        throw DepotError(.tooManyRows, "The history has \(Self.limit) consumers already.")
          .hint("Forget those that don't read any more with history.forget.").at("/args/consumer")
      }
    }
    try connection.statement(
      """
      INSERT INTO depot_consumer (name, token, at) VALUES (?1, ?2, ?3)
      ON CONFLICT (name) DO UPDATE SET token = ?2, at = ?3
      """
    ).run([.text(name), .integer(token), .real(time)])
  }

  /// Forgets a consumer; returns whether there was one.
  func forget(_ name: String) throws -> Bool {
    try connection.statement("DELETE FROM depot_consumer WHERE name = ?1").run([.text(name)])
    return connection.changeCount > 0
  }
}
