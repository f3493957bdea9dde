internal import DepotProtocol
internal import DepotSQLite

/// The consumers of a store's history, and the position that each has read up to.
struct HistoryConsumers {
  /// The most consumers.
  static let limit = 1000

  let connection: Connection

  struct Consumer: Equatable {
    var name: String
    var token: Int64
    /// The time of its last report, in seconds since 2001.
    var at: Double
  }

  /// Returns the position of a consumer; `nil` if there is no consumer of that name.
  func position(of name: String) throws -> Int64? {
    try connection.integer("SELECT token FROM depot_consumer WHERE name = ?1", [.text(name)])
  }

  /// Returns all consumers, ordered by name.
  func all() throws -> [Consumer] {
    try connection.statement("SELECT name, token, at FROM depot_consumer ORDER BY name").rows {
      Consumer(name: $0.text(0), token: $0.integer(1), at: $0.real(2))
    }
  }

  /// Stores the position of a consumer.
  func set(_ name: String, _ token: Int64, at time: Double) throws {
    if try position(of: name) == nil {
      let count = try connection.integer("SELECT count(*) FROM depot_consumer") ?? 0
      guard count < Self.limit else {
        throw DepotError(.tooManyRows, "The history has \(Self.limit) consumers already.")
          .hint("Forget unused consumers with history.forget.").at("/args/consumer")
      }
    }
    try connection.statement(
      """
      INSERT INTO depot_consumer (name, token, at) VALUES (?1, ?2, ?3)
      ON CONFLICT (name) DO UPDATE SET token = ?2, at = ?3
      """
    ).run([.text(name), .integer(token), .real(time)])
  }

  /// Removes a consumer; returns whether it existed.
  func forget(_ name: String) throws -> Bool {
    try connection.statement("DELETE FROM depot_consumer WHERE name = ?1").run([.text(name)])
    return connection.changeCount > 0
  }
}
