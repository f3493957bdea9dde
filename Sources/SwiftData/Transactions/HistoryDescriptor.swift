public import Foundation

/// A description of the wanted transactions of the history.
public struct HistoryDescriptor<TransactionType: HistoryTransaction> {
  /// The condition that a transaction must satisfy; `nil` means all of them.
  public var predicate: Predicate<TransactionType>?
  /// The order; the order of the history if empty.
  public var sortBy: [SortDescriptor<TransactionType>]
  /// How many are wanted at most; 0 means all.
  public var fetchLimit: UInt64 = 0

  /// Describes transactions in the order of the history.
  public init(predicate: Predicate<TransactionType>? = nil) {
    self.init(predicate: predicate, sortBy: [])
  }

  /// Describes transactions.
  public init(
    predicate: Predicate<TransactionType>? = nil,
    sortBy: [SortDescriptor<TransactionType>] = []
  ) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}
