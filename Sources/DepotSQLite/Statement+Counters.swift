internal import CDepotSQLite

extension Statement {
  /// The counts of a statement while it runs.
  package enum Counter: Sendable {
    /// The rows that full scans of tables visited.
    case scannedRows
    /// The sorts done without an index.
    case sorts
    /// The instructions of SQLite's virtual machine.
    case steps
  }

  /// Returns a count, and resets it to zero.
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
