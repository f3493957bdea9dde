/// The rows that a statement returned, in binary form, freed with the last reference.
///
/// Rows and columns are counted from 0.
package final class PostgresResult {
  private let handle: OpaquePointer
  private let library: PostgresLibrary
  package let rowCount: Int
  package let columnCount: Int

  init(_ handle: OpaquePointer, of library: PostgresLibrary) {
    self.handle = handle
    self.library = library
    rowCount = Int(library.ntuples(handle))
    columnCount = Int(library.nfields(handle))
  }

  deinit { library.clear(handle) }

  /// The relevant states of a result (ExecStatusType of libpq-fe.h).
  enum Status: Int32 {
    case emptyQuery = 0
    case commandOK = 1
    case tuplesOK = 2
    case copyIn = 4
    case fatalError = 7
    case singleTuple = 9
    case pipelineSync = 10
    case pipelineAborted = 11
  }

  /// The corresponding C function is `PQresultStatus`.
  var status: Status { Status(rawValue: library.resultStatus(handle)) ?? .fatalError }

  /// Returns a field of an error, by its letter (PG_DIAG_… of postgres_ext.h).
  func errorField(_ letter: Unicode.Scalar) -> String? {
    library.resultErrorField(handle, Int32(letter.value)).map { String(cString: $0) }
  }

  /// The number of rows that the statement inserted, updated, deleted, or returned.
  ///
  /// The corresponding C function is `PQcmdTuples`.
  package var affectedRows: Int {
    library.cmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0
  }

  package func isNull(_ column: Int, row: Int = 0) -> Bool {
    library.getisnull(handle, Int32(row), Int32(column)) != 0
  }

  /// The bytes of a value, valid as long as the result exists; empty for null.
  ///
  /// The corresponding C functions are `PQgetvalue` and `PQgetlength`.
  package func bytes(_ column: Int, row: Int = 0) -> UnsafeBufferPointer<UInt8> {
    precondition(
      0..<rowCount ~= row && 0..<columnCount ~= column,
      "The result has no such row or column."
    )
    let (row, column) = (Int32(row), Int32(column))
    let start = library.getvalue(handle, row, column).map(UnsafeRawPointer.init)
    return UnsafeBufferPointer(
      start: start?.assumingMemoryBound(to: UInt8.self),
      count: Int(library.getlength(handle, row, column))
    )
  }

  /// An integer of any width; 0 for null.
  package func integer(_ column: Int, row: Int = 0) -> Int64 {
    let bytes = UnsafeRawBufferPointer(self.bytes(column, row: row))
    switch bytes.count {
    case 0: return 0
    case 1: return Int64(bytes[0])
    case 2: return Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
    case 4: return Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    default:
      precondition(bytes.count == 8, "The column holds no whole numbers.")
      return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    }
  }

  /// A `boolean`; false for null.
  package func boolean(_ column: Int, row: Int = 0) -> Bool { integer(column, row: row) != 0 }

  /// A text; empty for null.
  package func text(_ column: Int, row: Int = 0) -> String {
    String(decoding: bytes(column, row: row), as: UTF8.self)
  }
}
