import DepotProtocol
import FoundationEssentials
import TestSupport
import Testing

@Suite struct ValueRoundTripTests {
  /// Writes `value` as a row of one value and reads it back.
  private func roundTrip(_ value: Value, as type: AttributeType) throws -> Value? {
    let batch = RowBatch([[value]])
    return try batch.json.withUnsafeBufferPointer { bytes in
      #expect(scanError(Array(bytes)) == nil)
      var reader = try RowReader(bytes)
      guard try reader.beginRow() else { return nil }
      let field = try reader.field()
      let read = field.value(as: type)
      try reader.endRow()
      let hasMore = try reader.beginRow()
      #expect(!hasMore)
      return read
    }
  }

  @Test func `random values of every type read back the same to the bit`() throws {
    var generator = SeededGenerator(seed: 3)
    var seen: Set<AttributeType> = []
    for _ in 0..<30_000 {
      let value = generator.value()
      guard let type = value.type else { continue }
      seen.insert(type)
      let read = try roundTrip(value, as: type)
      guard let read, read.isIdentical(to: value) else {
        Issue.record("\(value) became \(String(describing: read))")
        return
      }
    }
    #expect(seen.count == AttributeType.scalars.count + 1)
  }

  @Test func `doubles of every exponent read back the same to the bit`() throws {
    var generator = SeededGenerator(seed: 4)
    for exponent in UInt64(0)..<2048 {
      for mantissa in [0, 1, 0xF_FFFF_FFFF_FFFF, generator.next() & 0xF_FFFF_FFFF_FFFF] {
        let sign = generator.next() & 1 << 63
        let value = Value.double(Double(bitPattern: sign | exponent << 52 | mantissa))
        let read = try roundTrip(value, as: .double)
        if read?.isIdentical(to: value) != true {
          Issue.record("\(value) became \(String(describing: read))")
        }
      }
    }
  }

  @Test(arguments: 0...9)
  func `a date keeps every fraction of so many digits`(digits: Int) throws {
    var generator = SeededGenerator(seed: 5)
    let scale = (0..<digits).reduce(1.0) { power, _ in power * 10 }
    for _ in 0..<1000 {
      let fraction = Double.random(in: 0..<scale, using: &generator).rounded(.down) / scale
      let seconds = Double.random(in: -1e6...1e6, using: &generator).rounded() + fraction
      let value = Value.date(Date(timeIntervalSinceReferenceDate: seconds))
      let text = jsonText { $0.write(value) }
      #expect(text.utf8.count <= "\"2001-01-01T00:00:00.123456789Z\"".utf8.count)
      let read = try roundTrip(value, as: .date)
      if read?.isIdentical(to: value) != true { Issue.record("\(text) isn't \(seconds)") }
    }
  }

  @Test func `null reads as null of every type`() throws {
    for type in AttributeType.allCases { #expect(try roundTrip(.null, as: type) == .null) }
  }

  @Test func `typed reading gives what was appended`() throws {
    let uuid = UUID()
    let url = try #require(URL(string: "https://example.org/"))
    let date = Date(timeIntervalSinceReferenceDate: 0.1)
    var batch = RowBatch()
    batch.appendRow { row in
      row.append(Int64.min)
      row.append("a\0😀")
      row.append(-0.0)
      row.append(true)
      row.append(date)
      row.append(uuid)
      row.append(Data([0, 255]))
      row.append(Decimal(15) / 10)
      row.append(url)
      row.append(String?.none)
      row.append(7)
    }
    try batch.json.withUnsafeBufferPointer { bytes in
      var reader = try RowReader(bytes)
      #expect(try reader.beginRow())
      #expect(try reader.next(Int64.self) == .min)
      #expect(try reader.next(String.self) == "a\0😀")
      #expect(try reader.next(Double.self).sign == .minus)
      #expect(try reader.next(Bool.self))
      #expect(try reader.next(Date.self) == date)
      #expect(try reader.next(UUID.self) == uuid)
      #expect(try reader.next(Data.self) == Data([0, 255]))
      #expect(try reader.next(Decimal.self) == Decimal(15) / 10)
      #expect(try reader.next(URL.self) == url)
      #expect(try reader.next(String?.self) == nil)
      #expect(try reader.next(Int?.self) == 7)
      let isAtEnd = reader.isAtEndOfRow()
      #expect(isAtEnd)
      try reader.endRow()
    }
  }

  /// Reads the only value of a row as a field, and as its type; compares both.
  private func readTwice<Wanted: AttributeValue & Equatable>(
    _ json: String,
    as type: Wanted.Type,
    _ convert: (RowField) -> Wanted?
  ) throws -> Bool {
    try Array("[[\(json)],[7]]".utf8).withUnsafeBufferPointer { bytes in
      var first = try RowReader(bytes)
      var second = try RowReader(bytes)
      guard try first.beginRow(), try second.beginRow() else { return false }
      let field = convert(try first.field())
      let value = try? second.next(Wanted.self)
      // Both stand behind the value if there is one.
      return field == value && (value == nil || first.offset == second.offset)
    }
  }

  @Test func `a plain text reads as any other`() throws {
    for length in 0...20 {
      let plain = String(repeating: "x", count: length)
      #expect(try readTwice("\"\(plain)\"", as: String.self) { $0.string })
      for special in ["\\n", "é", "😀", "\\\"", "\\u0041"] {
        let text = "\"\(plain)\(special)\(plain)\""
        #expect(try readTwice(text, as: String.self) { $0.string })
        #expect(try readTwice(" " + text, as: String.self) { $0.string })
      }
    }
  }

  @Test(arguments: [
    "0", "-0", "-0.0", "7", "1.5", "0.1", "-12.75", "1.", "123456789012345", "1234567890.12345",
    "1234567890123456", "0.1234567890123456", "12345678901234567890", "1e5", "1.5e-7", "1e400",
    " 2.5", "\"Infinity\"", "null", "true",
  ])
  func `a plain number reads as any other`(json: String) throws {
    #expect(try readTwice(json, as: Double.self) { $0.double })
    #expect(try readTwice(json, as: Bool.self) { $0.bool })
  }

  @Test(arguments: ["true", "false", " true", "null", "1"])
  func `plain truth reads as any other`(json: String) throws {
    #expect(try readTwice(json, as: Bool.self) { $0.bool })
  }

  @Test func `a value of another type is an error`() throws {
    let json = Array(#"[["x"]]"#.utf8)
    let error = #expect(throws: DepotError.self) {
      try json.withUnsafeBufferPointer { bytes in
        var reader = try RowReader(bytes)
        _ = try reader.beginRow()
        _ = try reader.next(Int64.self)
      }
    }
    #expect(error?.code == .type)
  }

  /// Bytes that aren't rows, as a broken service might send them.
  static let broken = [
    "", "[", "[[", "[[1", "[[1,", "[[1,]]", "[[,1]]", "[[1 2]]", "[[\"a]]", "[[tru]]", "[[nul",
    "{}", "[1]",
    "[[{]]", "[[\"\\u12\"]]", "[[1]", "[[1][2]]", "[[-]]", "[[1-2]]", "[[+1]]", "[[--1]]",
    "[[1.2.3]]", "[[1e5-2]]",
  ]

  @Test(arguments: broken)
  func `bytes that are no rows are an error`(text: String) {
    let json = Array(text.utf8)
    #expect(throws: DepotError.self) {
      try json.withUnsafeBufferPointer { bytes in
        var reader = try RowReader(bytes)
        while try reader.beginRow() {
          while !reader.isAtEndOfRow() { _ = try reader.next(Int64.self) }
          try reader.endRow()
        }
      }
    }
  }
}
