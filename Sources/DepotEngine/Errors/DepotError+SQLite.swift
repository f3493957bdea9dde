internal import DepotLinux
package import DepotProtocol
internal import DepotSQLite
internal import Glibc

extension DepotError {
  /// Translates a failure of SQLite that leaves the store undamaged.
  init(_ error: SQLiteError) {
    if error.isExhaustion {
      self = .exhausted(error)
      return
    }
    switch error.kind {
    case .full: self = error.isOfTemporaryFile ? .noTemporaryRoom : .noRoom
    case .refused: self = .unreachable("It took no commit.")
    case .readOnly:
      self.init(.readOnly, "The store's file can't be written.")
      hint = "Check the file's permissions and its file system."
    case .busy:
      self.init(.busy, "The store is in use by another program.")
      hint = "Nothing but depotd may open a live store."
    case .outOfMemory: self.init(.busy, "The service is out of memory.")
    case .tooBig: self.init(.valueTooLarge, "A row is larger than the store can hold.")
    case .damaged: self = .damaged(error)
    case .broken: self.init(.io, "The store's file can't be relied on: \(error).")
    case .unique, .interrupted, .other:
      self = error.isTooNested ? .tooNested : DepotError(.bug, "\(error)")
    }
  }
}

extension DepotError {
  /// The error for an unreachable cluster of a store; it leaves the store undamaged.
  static func unreachable(_ cause: String) -> DepotError {
    DepotError(.unreachable, "The cluster of the store can't be used now. \(cause)")
      .hint(
        "Nothing was changed. Is PostgreSQL running there? Writes work again by themselves when it is."
      )
  }

  /// The error for something that a store in a cluster doesn't support.
  package static func unsupported(_ capability: String) -> DepotError {
    DepotError(.unsupported, "A store in a PostgreSQL cluster has no \(capability).")
      .details(["capability": .string(capability), "engine": .string("postgresql")])
  }

  /// The error for a full disk; it leaves the store undamaged.
  static var noRoom: DepotError {
    DepotError(.full, "There is no room on the store's disk.")
      .hint("Nothing was changed. Free some room; the service continues by itself.")
  }

  /// The error if the disk is too full for a temporary file, such as of a sort for a new index.
  static var noTemporaryRoom: DepotError {
    DepotError(.full, "There is no room for a temporary file, as for the sort of a new index.")
      .hint(
        "Free some room where SQLITE_TMPDIR or TMPDIR of depotd says, or in "
          + "/var/tmp, or start depotd with another TMPDIR."
      )
  }
}

extension DepotError {
  /// The error if the system has no descriptor or memory for a file.
  static func exhausted(_ error: SQLiteError) -> DepotError {
    DepotError(.busy, "A file of the store can't be opened now (errno \(error.systemErrno)).")
      .hint("Try again, or raise the limit of descriptors (ulimit -n).")
  }
}

extension SQLiteError {
  /// Whether a file couldn't be opened for lack of descriptors or memory.
  var isExhaustion: Bool { SystemError(call: "open", code: systemErrno).isExhaustion }

  /// Whether a statement is nested too deeply for SQLite's parser.
  var isTooNested: Bool { message.contains("parser stack overflow") }

  /// Whether the file couldn't grow, even where SQLite reports that as a disk error.
  ///
  /// It says nothing about the disk's content: don't rely on it once a commit has begun.
  var isWantOfRoom: Bool { kind == .full || [ENOSPC, EDQUOT].contains(systemErrno) }
}
