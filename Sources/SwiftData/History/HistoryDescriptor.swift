internal import DepotProtocol
public import Foundation

/// Which transactions of the history are wanted.
@Memberwise
public struct HistoryDescriptor<TX: HistoryTransaction> {
  /// The condition that a transaction must satisfy; `nil` means all of them.
  public var predicate: Predicate<TX>?
  /// The order; the order in which they were made if it is empty.
  public var sortBy: [SortDescriptor<TX>] = []
  /// How many are wanted at most; 0 means all.
  public var fetchLimit: UInt64 = 0
}
