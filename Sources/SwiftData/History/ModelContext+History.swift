/// The history of a container's stores.
///
/// It leaves out transactions without changes that the container knows, as at a store's creation.
extension ModelContext {
  /// Returns transactions of the history, the oldest first unless the descriptor sorts them.
  ///
  /// In a container of several stores, a token has the position of every store at a transaction.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if the transactions after a token aren't
  ///   kept any more, ``SwiftDataError/invalidTransactionFetchRequest`` if no store has
  ///   transactions of the type.
  public final func fetchHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> [T] { try ContextHistory(self).fetch(descriptor) }

  /// Deletes transactions of the history.
  ///
  /// A store deletes its oldest transactions only, so the descriptor has to describe these. The
  /// transactions of each store are compared with the token's position in that store.
  ///
  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` if there are older transactions that
  ///   the descriptor leaves out; then nothing is deleted.
  public final func deleteHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>
  ) throws { try ContextHistory(self).delete(descriptor) }
}
