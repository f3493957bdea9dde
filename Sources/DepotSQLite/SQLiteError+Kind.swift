internal import CDepotSQLite
internal import Glibc

extension SQLiteError {
  /// What a failure means to whoever called SQLite.
  package enum Kind: Hashable, Sendable {
    /// There is no room on the disk; nothing of the transaction is stored.
    case full
    case readOnly
    /// A unique index has the value already.
    case unique
    case interrupted
    case outOfMemory
    case tooBig
    case busy
    /// The disk or the file can't be trusted any more.
    case broken
    case other
  }

  package var kind: Kind {
    switch primaryCode {
    case SQLITE_FULL: .full
    case SQLITE_READONLY: .readOnly
    case SQLITE_CONSTRAINT: code == SQLITE_CONSTRAINT | 8 << 8 ? .unique : .other
    case SQLITE_INTERRUPT: .interrupted
    case SQLITE_NOMEM: .outOfMemory
    case SQLITE_TOOBIG: .tooBig
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    case SQLITE_IOERR: isWriteWithoutRoom ? .full : .broken
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_PROTOCOL: .broken
    default: .other
    }
  }

  /// Whether this is SQLITE_IOERR_WRITE for want of room, which SQLite calls full only for ENOSPC.
  private var isWriteWithoutRoom: Bool {
    code == SQLITE_IOERR | 3 << 8 && [ENOSPC, EDQUOT, EFBIG].contains(systemErrno)
  }
}
