public import DepotClientCore

extension ModelContainer {
  /// The function that is told of each operation that contexts ask the stores for, when it has its outcome.
  ///
  /// ```swift
  /// container.operationObserver = { event in
  ///   if event.duration > .milliseconds(100) { logger.warning("\(event)") }
  /// }
  /// ```
  ///
  /// It is called on the thread of the context, before that has the outcome, and uses no context itself. It
  /// hears of fetches, of objects that are read when they are first used, of saves, and of what the container
  /// watches; stores of the program's own are left out. `DEPOT_LOG=1` in the environment prints the same to
  /// the standard error without it, and what opening the container asks for too.
  public final var operationObserver: OperationObserver? {
    get { stores.first?.observer }
    set { for store in stores { store.observer = newValue } }
  }
}
