internal import DepotProtocol
internal import DepotSQLite

extension DepotError {
  /// Translates a failure of SQLite during a read.
  init(reading error: SQLiteError) {
    if error.kind == .damaged {
      self = .damaged(error)
      return
    }
    if error.isExhaustion {
      self = .exhausted(error)
      return
    }
    switch error.primaryCode {
    case 5, 6:  // SQLITE_BUSY, SQLITE_LOCKED
      self.init(.busy, "The store is busy.")
    case 10, 14:  // SQLITE_IOERR, SQLITE_CANTOPEN
      self.init(.io, "The store can't be read: \(error).")
    case 11, 26:  // SQLITE_CORRUPT, SQLITE_NOTADB
      // SQLite also reports an unreadable disk as damage.
      self.init(.corrupt, "The store's file is damaged, or can't be read: \(error).")
    case 13:  // SQLITE_FULL
      self.init(.full, "There is no room for the temporary file of a sort.")
      hint =
        "Free some room where SQLITE_TMPDIR or TMPDIR of depotd says, or in /var/tmp, or sort less."
    case 18:  // SQLITE_TOOBIG
      self.init(.valueTooLarge, error.message)
      hint = "Read the value in parts with blob.read, or ask for its $length only."
    case 7:  // SQLITE_NOMEM
      self.init(.valueTooLarge, "The read needs more memory than there is: \(error.message).")
    default:
      self =
        error.isTooNested
        ? .tooNested : DepotError(.bug, "A read failed: \("\(error)".prefix(1000)).")
    }
  }

  /// The error for an expression that is too complex for SQLite, although it is within the limits.
  static let tooNested = DepotError(
    .predicateTooLarge,
    "The expression is nested too deeply.",
    hint: "Follow fewer relationships in it, or ask for their rows first."
  )
}

/// Runs `body`, and translates SQLite's failures.
@inline(__always)
func reading<Result: ~Copyable>(
  _ body: () throws(SQLiteError) -> Result
) throws(DepotError) -> Result {
  do {
    return try body()
  } catch {
    throw DepotError(reading: error)
  }
}
