internal import CDepotSQLite
internal import Glibc

extension SQLiteError {
  /// The meaning of a failure for the caller.
  package enum Kind: Hashable, Sendable {
    /// There is no room on the disk; nothing of the transaction is stored.
    case full
    /// The primary copy refuses the commit; nothing of the transaction is stored.
    case refused
    case readOnly
    /// A unique index has the value already.
    case unique
    case interrupted
    case outOfMemory
    case tooBig
    case busy
    /// A page is damaged, so its content is unknown; the rest of the database can be read.
    case damaged
    /// The disk or the file can't be trusted any more.
    case broken
    case other
  }

  package var kind: Kind {
    switch primaryCode {
    case SQLITE_FULL: code == IOFailure.refusal ? .refused : .full
    case SQLITE_READONLY: .readOnly
    case SQLITE_CONSTRAINT: code == SQLITE_CONSTRAINT | 8 << 8 ? .unique : .other
    case SQLITE_INTERRUPT: .interrupted
    case SQLITE_NOMEM: .outOfMemory
    case SQLITE_TOOBIG: .tooBig
    case SQLITE_BUSY, SQLITE_LOCKED: .busy
    case SQLITE_IOERR where code == DamagedPage.result: .damaged
    case SQLITE_IOERR: isWriteWithoutRoom ? .full : .broken
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_PROTOCOL: .broken
    default: .other
    }
  }

  /// Whether there was no room for a temporary file, for example for a sort.
  package var isOfTemporaryFile: Bool { code == SQLITE_FULL }

  /// Whether the system reported a disk error, rather than wrong or missing bytes.
  package var isOfDisk: Bool { Self.isOfDisk(code) }

  /// Whether a result code means a disk error.
  package static func isOfDisk(_ code: Int32) -> Bool {
    // 2 is SQLITE_IOERR_SHORT_READ and 32 is SQLITE_IOERR_DATA; EIO becomes SQLITE_IOERR_CORRUPTFS.
    code & 0xFF == SQLITE_IOERR && ![2, 32].contains(code >> 8)
  }

  /// Whether this is SQLITE_IOERR_WRITE for lack of room; SQLite reports only ENOSPC as full.
  private var isWriteWithoutRoom: Bool {
    code == IOFailure.write && [ENOSPC, EDQUOT, EFBIG].contains(systemErrno)
  }
}
