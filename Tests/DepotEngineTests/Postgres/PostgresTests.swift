import DepotPostgres
import TestSupport
import Testing

/// Tests that need a server; the suites have one cluster, and one test at a time uses it.
@Suite(
  .enabled(if: TemporaryCluster.isAvailable),
  .serialized,
  // Processes are killed here, and never the machine.
  .cluster(settings: ["fsync": "off"])
)
struct PostgresTests {}

/// Returns a new connection to the cluster of the suite.
func connect(settings: [String: String] = [:]) throws -> PostgresConnection {
  let connection = try PostgresConnection(TemporaryCluster.shared.address(), settings: settings)
  // So that no test waits for ever.
  connection.timeLimit = UInt64(patience / .nanoseconds(1))
  return connection
}

/// Returns the kind of the error that a function throws; `nil` if it throws none of PostgreSQL.
func kind(_ body: () throws -> Void) -> PostgresError.Kind? {
  #expect(throws: PostgresError.self) { try body() }?.kind
}
