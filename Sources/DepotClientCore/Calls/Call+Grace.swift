internal import DepotProtocol

extension Call {
  /// How long after the deadline the service may still answer, in nanoseconds.
  static let grace: UInt64 = 2_000_000_000
}
