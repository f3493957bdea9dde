internal import DepotLinux

/// The time of a store: how many seconds have passed for it.
///
/// While a service has the store open, the time follows the machine's boot clock, which nobody can
/// set. After a stop it advances by the lesser of the times that have passed by the wall clock and
/// by the boot clock. After a restart of the machine the boot clock knows only the time since then.
/// So data that must be kept for some time is never dropped early, even if the wall clock jumps. It
/// may be kept longer, however: while a machine is off, its stores don't age.
///
/// The time of day is the store's time and a difference. A wall clock that disagrees is believed when it has
/// done so for half a minute.
struct ServiceClock: Equatable {
  /// A moment as far as it is known.
  struct Record: Equatable {
    /// The time of the store.
    var time: Double
    var clocks: ClockReading
  }

  /// For how many seconds the wall clock isn't followed when it jumps.
  static let patience = 30.0
  /// How many seconds the wall clock may be off before it counts as having jumped.
  static let tolerance = 0.01

  /// The present moment.
  private(set) var record: Record
  /// By how many seconds the time of day is ahead of the store's time.
  private(set) var ahead: Double
  /// How far the boot clock was when the wall clock agreed last.
  private var agreed: Double

  /// Begins to count after the last record, `nil` of a new store, at a time that is at least
  /// `time`.
  ///
  /// It agrees with a difference that is known if it does so nearly.
  init(after last: Record?, atLeast time: Double, _ now: ClockReading, ahead known: Double? = nil) {
    let next = last.map { $0.time + $0.clocks.passed(until: now) } ?? time
    record = Record(time: max(next, time), clocks: now)
    let difference = now.wall - record.time
    ahead = known.flatMap { abs($0 - difference) <= Self.tolerance ? $0 : nil } ?? difference
    agreed = now.boot
  }

  /// Advances to the present clock readings; returns the store's time.
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
  /// Returns how many seconds have passed beyond doubt until another reading.
  fileprivate func passed(until now: ClockReading) -> Double {
    let began = now.bootName == bootName ? boot : 0
    return max(0, min(now.wall - wall, now.boot - began))
  }
}
