internal import DepotLinux
internal import DepotSQLite

/// The epoch of a writer, with its clock.
///
/// Nothing is written when it begins, so that a store can be opened on a full disk. The writer's
/// first transaction stores it; until then tokens are those of older epochs.
final class WriterEpoch {
  /// The seconds after which a transaction also stores the clock readings.
  private static let interval = 60.0

  /// The epochs of the store, with this one at the end.
  private(set) var chain: EpochChain
  private let table: EpochTable
  private let clocks: Clocks
  private var number: Int64
  private var epoch: Epoch
  private var clock: ServiceClock
  /// The stored clock readings, and those of the current transaction; `nil` if there are none.
  private var stored: Note?
  private var written: Note?

  private struct Note {
    var time: Double
    var ahead: Double
  }

  /// Reads the epochs.
  ///
  /// `last` is the last row of the history, and `time` is its transaction's time.
  init(
    on connection: Connection,
    store: String,
    last: Int64,
    time: Double,
    _ clocks: Clocks
  ) throws {
    table = EpochTable(connection: connection)
    self.clocks = clocks
    let known = try table.last()
    number = (known?.number ?? 0) + 1
    clock = ServiceClock(after: known?.record, atLeast: time, clocks.read())
    epoch = Epoch(identity: EpochTable.newIdentity(), began: last, ahead: clock.ahead)
    chain = EpochChain(store: store, try table.all()).adding(epoch)
  }

  /// Continues in the last epoch of a store that several services share.
  ///
  /// - Parameters:
  ///   - last: The last row of the history.
  ///   - time: The time of its transaction.
  ///   - isBroken: Whether the store may have lost acknowledged transactions, so that a new epoch
  ///     begins.
  /// - Throws: ``SQLiteError``.
  func join(last: Int64, time: Double, isBroken: Bool) throws {
    guard let known = try table.last() else { return }
    let all = try table.all()
    clock = ServiceClock(
      after: known.record,
      atLeast: time,
      clocks.read(),
      ahead: all.last?.ahead
    )
    number = known.number + (isBroken ? 1 : 0)
    if !isBroken, let shared = all.last {
      epoch = shared
      chain = EpochChain(store: chain.store, all)
      stored = Note(time: known.record.time, ahead: shared.ahead)
    } else {
      epoch = Epoch(identity: EpochTable.newIdentity(), began: last, ahead: clock.ahead)
      chain = EpochChain(store: chain.store, all).adding(epoch)
      stored = nil
    }
  }

  /// Returns the current time of the store.
  func now() -> Double { clock.advance(to: clocks.read()) }

  /// Returns the date of a store time, in seconds since 2001.
  func date(_ time: Double) -> Double { time + clock.ahead }

  /// Stores the epoch at the beginning of a transaction, if it isn't stored yet.
  func begin(purged: () throws -> Int64) throws {
    written = stored
    guard stored == nil else { return }
    _ = now()
    try put()
    try table.forget(before: number, epoch, purged: try purged())
  }

  /// Stores the clock readings at the end of a transaction, if they are due.
  func note() throws {
    guard let written else { return }
    let isDue = clock.record.time - written.time >= Self.interval
    if isDue || written.ahead != clock.ahead { try put() }
  }

  /// Stores the clock readings in the last transaction, if the epoch is stored.
  func noteEnd() throws {
    guard stored != nil else { return }
    _ = now()
    try put()
  }

  /// Records that the transaction is committed.
  func didCommit() { stored = written }

  private func put() throws {
    epoch.ahead = clock.ahead
    try table.put(number, epoch, clock.record)
    written = Note(time: clock.record.time, ahead: clock.ahead)
  }
}
