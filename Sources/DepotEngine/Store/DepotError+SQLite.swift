internal import DepotProtocol
internal import DepotSQLite

extension DepotError {
  /// Translates a failure of SQLite that leaves the store in order.
  init(_ error: SQLiteError) {
    switch error.kind {
    case .full:
      self.init(.full, "There is no room on the store's disk.")
      hint = "Nothing was changed. Free some room; the service goes on by itself."
    case .readOnly:
      self.init(.readOnly, "The store's file can't be written.")
      hint = "Nothing was changed. Check the file's permissions and its file system."
    case .busy:
      self.init(.busy, "The store is in use by another program.")
      hint = "Nothing but depotd may open a live store."
    case .outOfMemory: self.init(.busy, "The service is out of memory.")
    case .tooBig: self.init(.valueTooLarge, "A row is larger than the store can hold.")
    case .broken: self.init(.io, "The store's file can't be relied on: \(error).")
    case .unique, .interrupted, .other: self.init(.bug, "\(error)")
    }
  }
}
