internal import CDepotSQLite

extension Statement {
  /// The counts of a statement while it runs.
  package enum Counter: Sendable {
    /// The rows of tables that were looked at one after the other.
    case scannedRows
    /// The sorts that no index made unnecessary.
    case sorts
    /// The instructions of SQLite's machine.
    case steps
  }

  /// Returns a count, and begins it anew.
  ///
  /// The corresponding C function is `sqlite3_stmt_status`.
  package func take(_ counter: Counter) -> Int {
    let operation =
      switch counter {
      case .scannedRows: SQLITE_STMTSTATUS_FULLSCAN_STEP
      case .sorts: SQLITE_STMTSTATUS_SORT
      case .steps: SQLITE_STMTSTATUS_VM_STEP
      }
    return Int(sqlite3_stmt_status(handle, operation, 1))
  }
}
