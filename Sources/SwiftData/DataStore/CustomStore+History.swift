extension CustomStore {
  func withHistory<Result>(
    in context: ModelContext,
    _ body: (any HistoryProviding) throws -> Result?
  ) throws -> Result? {
    try talk(context) { store, _ in try (store as? any HistoryProviding).flatMap(body) }
  }
}
