/// A statement and the values of its parameters `$1`, `$2`, and so on.
///
/// A parameter has the type of its value, `bigint` for an integer. If another type is needed, the
/// statement casts it: `$1::int4`; so it must if the value may be null and isn't the value of a
/// column.
package struct PostgresStatement: Sendable {
  package var sql: String
  package var parameters: [PostgresValue]

  package init(_ sql: String, _ parameters: [PostgresValue] = []) {
    self.sql = sql
    self.parameters = parameters
  }

  /// Checks that the server could accept it.
  func check() throws(PostgresError) {
    precondition(parameters.count <= 65_535, "PostgreSQL takes 65,535 parameters at most.")
    if sql.containsNull {
      throw PostgresError(.invalidValue, "SQL can't hold the character U+0000")
    }
    for parameter in parameters { try parameter.check() }
  }
}

extension PostgresStatement: ExpressibleByStringLiteral {
  package init(stringLiteral sql: String) { self.init(sql) }
}

/// The values of a statement's parameters, encoded for libpq.
///
/// Its memory is reused for later statements.
struct ParameterBuffer {
  private var bytes: [UInt8] = []
  private var places: [Int] = []
  private var sizes: [Int32] = []
  private var formats: [Int32] = []
  private var pointers: [UnsafePointer<CChar>?] = []
  private(set) var types: [UInt32] = []

  /// Replaces the values by the values of another statement.
  mutating func fill(with values: [PostgresValue]) {
    // The memory of a large value isn't kept.
    if bytes.capacity > 1 << 20 { bytes = [] }
    bytes.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    sizes.removeAll(keepingCapacity: true)
    types.removeAll(keepingCapacity: true)
    for value in values {
      let start = bytes.count
      value.append(to: &bytes)
      places.append(value == .null ? -1 : start + 4)
      sizes.append(Int32(bytes.count - start - 4))
      types.append(value.typeIdentifier)
    }
    while formats.count < values.count { formats.append(1) }
  }

  /// Calls a function with the values, their sizes, their formats, and their number.
  mutating func withPointers<Result>(
    _ body: (
      UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?, Int32
    ) -> Result
  ) -> Result {
    pointers.removeAll(keepingCapacity: true)
    return bytes.withUnsafeBytes { bytes in
      let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      for place in places { pointers.append(place < 0 ? nil : start?.advanced(by: place)) }
      return body(pointers, sizes, formats, Int32(places.count))
    }
  }
}
