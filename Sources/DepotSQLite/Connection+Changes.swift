internal import CDepotSQLite

/// An observer that is notified of every row before it changes.
package protocol ChangeObserver: AnyObject {
  /// Observes a change; it must not use the connection.
  func willChange(_ change: borrowing RowEvent)
}

extension Connection {
  /// Notifies an observer before SQL on this connection inserts, updates, or deletes a row.
  ///
  /// `nil` removes the observer. Changes undone by a rollback aren't notified again. A statement
  /// that deletes all rows of a table notifies the observer of each row only if it was compiled
  /// while there was an observer; otherwise it clears the table without reading the rows.
  ///
  /// The corresponding C function is `sqlite3_preupdate_hook`.
  package func observe(_ observer: (any ChangeObserver)?) {
    changeObserver = observer
    guard observer != nil else {
      sqlite3_preupdate_hook(handle, nil, nil)
      return
    }
    sqlite3_preupdate_hook(
      handle,
      { context, database, operation, _, table, oldIdentifier, newIdentifier in
        guard let context, let database, let table else { return }
        let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
        let kind: RowEvent.Kind =
          switch operation {
          case SQLITE_INSERT: .insert
          case SQLITE_DELETE: .delete
          default: .update
          }
        connection.changeObserver?.willChange(
          RowEvent(
            database: database,
            kind: kind,
            table: table,
            oldIdentifier: oldIdentifier,
            newIdentifier: newIdentifier
          )
        )
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }
}

extension Connection {
  /// Runs statements for whose rows SQLite needn't prepare anything, since the observer ignores them.
  @inline(__always)
  package func unobserved<Failure: Error>(
    _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    let observer = changeObserver
    observe(nil)
    defer { observe(observer) }
    try body()
  }
}

/// The change of one row, valid while the observer's method runs.
package struct RowEvent: ~Copyable {
  package enum Kind: Sendable {
    case insert
    case update
    case delete
  }

  let database: OpaquePointer
  package let kind: Kind
  /// The name of the table, ended by a zero byte.
  ///
  /// The address stays the same until the schema changes.
  package let table: UnsafePointer<CChar>
  /// The row's identifier before the change; undefined for a table without row identifiers.
  package let oldIdentifier: Int64
  /// The row's identifier after the change.
  package let newIdentifier: Int64

  /// Returns the old value of a column of an updated or deleted row.
  ///
  /// The corresponding C function is `sqlite3_preupdate_old`.
  package func old(_ column: Int) throws(OutOfMemory) -> BorrowedValue {
    var value: OpaquePointer?
    guard sqlite3_preupdate_old(database, Int32(column), &value) == SQLITE_OK, let value else {
      throw OutOfMemory()
    }
    return BorrowedValue(handle: value)
  }

  /// Returns the new value of a column of an inserted or updated row.
  ///
  /// The corresponding C function is `sqlite3_preupdate_new`.
  package func new(_ column: Int) throws(OutOfMemory) -> BorrowedValue {
    var value: OpaquePointer?
    guard sqlite3_preupdate_new(database, Int32(column), &value) == SQLITE_OK, let value else {
      throw OutOfMemory()
    }
    return BorrowedValue(handle: value)
  }
}

/// The failure of reading a value while a row changes.
package struct OutOfMemory: Error {}

/// A value that SQLite owns: an argument of a function, or an old or new column value of a change.
///
/// A column value is valid while the observer's method runs.
package struct BorrowedValue {
  let handle: OpaquePointer?

  package var kind: Row.Kind { Row.Kind(sqlite3_value_type(handle)) }

  package var integer: Int64 { sqlite3_value_int64(handle) }

  package var real: Double { sqlite3_value_double(handle) }

  /// Whether the value is so large that work on it can be slow.
  var isLarge: Bool {
    switch sqlite3_value_type(handle) {
    case SQLITE_TEXT, SQLITE_BLOB: sqlite3_value_bytes(handle) > 64 << 10
    default: false
    }
  }

  /// The bytes of a text or blob.
  package var bytes: UnsafeBufferPointer<UInt8> {
    // Read as a blob even if it is text: text is UTF-8 here, and isn't copied to add a zero byte.
    // The pointer is read before the count, as SQLite's documentation requires.
    let pointer = sqlite3_value_blob(handle)?.assumingMemoryBound(to: UInt8.self)
    return UnsafeBufferPointer(start: pointer, count: Int(sqlite3_value_bytes(handle)))
  }
}
