/// The times of the loop's next work, in nanoseconds of the monotonic clock.
struct Schedule {
  /// The next check for overdue work.
  var tick: UInt64 = 0
  /// The earliest deadline of a call.
  var deadline = UInt64.max
  /// The next notification of the service manager that the loop runs.
  var watchdog = UInt64.max
  /// The next check of the limits of the stores' histories.
  var purge: UInt64 = 0
}
