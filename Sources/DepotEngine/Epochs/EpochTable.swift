internal import DepotLinux
internal import DepotSQLite

/// The table of a store's epochs, with the clock readings at each epoch's last update.
struct EpochTable {
  /// The number of purged epochs that are kept, so that their tokens are reported as expired.
  static let remembered: Int64 = 100

  static let definition = """
    CREATE TABLE depot_epoch (id INTEGER PRIMARY KEY, identity INTEGER NOT NULL, began INTEGER NOT NULL,
      ahead REAL NOT NULL, time REAL NOT NULL, wall REAL NOT NULL, boot REAL NOT NULL,
      boot_name TEXT NOT NULL) STRICT;
    """

  let connection: Connection

  /// Creates the table, with one epoch for everything so far.
  ///
  /// The dates of that epoch are `ahead` seconds ahead of the store's time.
  func create(_ clocks: ClockReading, time: Double, ahead: Double) throws {
    try connection.execute(Self.definition)
    let epoch = Epoch(identity: Self.newIdentity(), began: 0, ahead: ahead)
    try put(1, epoch, ServiceClock.Record(time: time, clocks: clocks))
  }

  /// Reads the epochs, oldest first.
  func all() throws -> [Epoch] {
    let sql = "SELECT identity, began, ahead FROM depot_epoch ORDER BY id"
    return try connection.statement(sql).rows {
      Epoch(identity: $0.integer(0), began: $0.integer(1), ahead: $0.real(2))
    }
  }

  /// Reads the number of the last epoch, with its last clock readings.
  func last() throws -> (number: Int64, record: ServiceClock.Record)? {
    let sql = "SELECT id, time, wall, boot, boot_name FROM depot_epoch ORDER BY id DESC LIMIT 1"
    return try connection.statement(sql).first { row in
      let clocks = ClockReading(wall: row.real(2), boot: row.real(3), bootName: row.text(4))
      return (row.integer(0), ServiceClock.Record(time: row.real(1), clocks: clocks))
    }
  }

  /// Stores an epoch with its current clock readings.
  func put(
    _ number: Int64,
    _ epoch: Epoch,
    _ record: ServiceClock.Record
  ) throws {
    try connection.statement(
      """
      INSERT OR REPLACE INTO depot_epoch (id, identity, began, ahead, time, wall, boot, boot_name) \
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      """
    ).run([
      .integer(number), .integer(epoch.identity), .integer(epoch.began), .real(epoch.ahead),
      .real(record.time), .real(record.clocks.wall), .real(record.clocks.boot),
      .text(record.clocks.bootName),
    ])
  }

  /// Deletes old epochs: those without transactions, and the oldest of those with purged ones.
  ///
  /// No client has a token of an epoch without transactions.
  func forget(before number: Int64, _ epoch: Epoch, purged: Int64) throws {
    try connection.statement(
      """
      DELETE FROM depot_epoch \
      WHERE id < ?1 AND began = ?2 AND id > (SELECT min(id) FROM depot_epoch)
      """
    ).run([.integer(number), .integer(epoch.began)])
    try connection.statement(
      """
      DELETE FROM depot_epoch WHERE id <= ?1 \
      AND id < (SELECT max(id) FROM depot_epoch WHERE began < ?2)
      """
    ).run([.integer(number - Self.remembered), .integer(purged)])
  }

  /// Returns a random identity for an epoch.
  static func newIdentity() -> Int64 { Int64.random(in: 1..<1 << 48) }
}
