/// A store that keeps a history of saves.
public protocol HistoryProviding {
  /// The type of one transaction of the history.
  associatedtype HistoryType: HistoryTransaction

  /// The type of one transaction of the history.
  static var historyType: HistoryType.Type { get }

  /// Returns the transactions that a descriptor describes.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if the transactions aren't kept any more, or
  ///   another error that says why they can't be fetched.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]

  /// Deletes the transactions that a descriptor describes.
  ///
  /// - Throws: Why nothing is deleted.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  public static var historyType: HistoryType.Type { HistoryType.self }
}
