public import DepotClientCore

extension ModelContainer {
  /// The function called after each operation that a context sends to a store.
  ///
  /// ```swift
  /// container.operationObserver = { event in
  ///   if event.duration > .milliseconds(100) { logger.warning("\(event)") }
  /// }
  /// ```
  ///
  /// The function is called on the context's thread, before the context gets the result, and must
  /// not use a context. It reports fetches, reads of objects at their first use, saves, and the
  /// container's watches. It doesn't report custom stores. `DEPOT_LOG=1` in the environment prints
  /// the same to standard error without an observer, and also the operations that open the
  /// container.
  public final var operationObserver: OperationObserver? {
    get { stores.first?.observer }
    set { for store in stores { store.observer = newValue } }
  }
}
