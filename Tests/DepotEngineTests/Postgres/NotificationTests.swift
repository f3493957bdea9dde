import DepotLinux
import DepotPostgres
import TestSupport
import Testing

extension PostgresTests {
  @Suite struct NotificationTests {
    private let channel = "a \"channel\""
    private let limit = Int(patience / .milliseconds(1))
    let connection: PostgresConnection

    init() throws {
      connection = try connect()
      try connection.listen(channel)
    }

    @Test func `notifications arrive with their payload`() throws {
      let other = try connect()
      let sql = "SELECT pg_notify($1, n::text) FROM generate_series(1, 3) AS n"
      try other.run(sql, [.text(channel)])
      var received: [String] = []
      while received.count < 3 {
        let hasCome = try connection.waitForNotification(milliseconds: limit)
        try #require(hasCome)
        received += connection.notifications
      }
      #expect(received == ["1", "2", "3"])
      #expect(try !connection.waitForNotification(milliseconds: 0))
      #expect(connection.notifications.isEmpty)
    }

    @Test func `a notification that came with an answer isn't lost`() throws {
      try connection.run("SELECT pg_notify($1, 'mine')", [.text(channel)])
      #expect(try connection.waitForNotification(milliseconds: limit))
      #expect(connection.notifications == ["mine"])
    }

    @Test func `another descriptor ends the wait`() throws {
      let wake = try WakeSignal(isBlocking: false)
      wake.signal()
      #expect(try !connection.waitForNotification(milliseconds: limit, or: wake.descriptor))
    }
  }
}
