internal import DepotLinux

/// The time of a store: the number of seconds that have passed for it.
///
/// While a service has the store open, the time follows the machine's boot clock, which can't be
/// set. After a stop it advances by the smaller of the times that have passed on the wall clock and
/// on the boot clock, which restarts with the machine. So data that must be kept for some time is
/// never deleted early, even if the wall clock jumps. It may be kept longer, however: while a
/// machine is off, its stores don't age.
///
/// Dates are the store's time plus a difference. A wall clock that disagrees is accepted when it
/// has disagreed for half a minute.
struct ServiceClock: Equatable {
  /// The known clock readings of a point in time.
  struct Record: Equatable {
    /// The time of the store.
    var time: Double
    var clocks: ClockReading
  }

  /// The seconds for which a wall clock that has jumped isn't followed.
  static let patience = 30.0
  /// The seconds by which the wall clock may be off before that counts as a jump.
  static let tolerance = 0.01

  /// The current readings.
  private(set) var record: Record
  /// The seconds by which dates are ahead of the store's time.
  private(set) var ahead: Double
  /// The boot clock's reading when the wall clock last agreed.
  private var agreed: Double

  /// Starts after the last record, or `nil` for a new store, and at least at `time`.
  ///
  /// A nearly equal `known` difference is kept.
  init(after last: Record?, atLeast time: Double, _ now: ClockReading, ahead known: Double? = nil) {
    let next = last.map { $0.time + $0.clocks.passed(until: now) } ?? time
    record = Record(time: max(next, time), clocks: now)
    let difference = now.wall - record.time
    ahead = known.flatMap { abs($0 - difference) <= Self.tolerance ? $0 : nil } ?? difference
    agreed = now.boot
  }

  /// Advances to the current clock readings; returns the store's time.
  @discardableResult
  mutating func advance(to now: ClockReading) -> Double {
    record.time += max(0, now.boot - record.clocks.boot)
    record.clocks = now
    let difference = now.wall - record.time
    let isSame = abs(difference - ahead) <= Self.tolerance
    if !isSame, now.boot - agreed < Self.patience { return record.time }
    if !isSame { ahead = difference }
    agreed = now.boot
    return record.time
  }
}

extension ClockReading {
  /// Returns the seconds that have certainly passed until another reading.
  fileprivate func passed(until now: ClockReading) -> Double {
    let began = now.bootName == bootName ? boot : 0
    return max(0, min(now.wall - wall, now.boot - began))
  }
}
