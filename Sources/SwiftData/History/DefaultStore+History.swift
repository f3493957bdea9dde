extension DefaultStore: HistoryProviding {
  public typealias HistoryType = DefaultHistoryTransaction

  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try context(EditingState()).fetchHistory(descriptor)
  }

  public func deleteHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws {
    try context(EditingState()).deleteHistory(descriptor)
  }
}
