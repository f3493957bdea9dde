import DepotProtocol
import Testing

@testable import DepotCommands

@Suite struct DelimitedValueTests {
  private func json(
    _ text: String,
    quoted: Bool = false,
    _ attribute: Attribute,
    nullText: String? = nil
  ) throws -> String {
    let column = DelimitedColumn("a", attribute, DelimitedValue(nullText: nullText))
    var writer = JSONWriter()
    try Array(text.utf8).withUnsafeBufferPointer { bytes throws(DepotError) in
      try column.write(DelimitedField(bytes: bytes, isQuoted: quoted), to: &writer)
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private static let optional = Attribute(name: "a", type: .string, isOptional: true)
  private static let required = Attribute(name: "a", type: .string)

  @Test func `an empty field is null, and a quoted one the empty text`() throws {
    #expect(try json("", Self.optional) == "null")
    #expect(try json("", quoted: true, Self.optional) == "\"\"")
    #expect(try json("", Self.required) == "\"\"")
    let data = Attribute(name: "a", type: .data, isOptional: true)
    #expect(try json("", data) == "null")
    #expect(try json("", quoted: true, data) == "\"\"")
  }

  @Test func `an attribute that can be null is null rather than its default`() throws {
    var number = Attribute(name: "a", type: .int64, isOptional: true, defaultValue: .int64(7))
    #expect(try json("", number) == "null")
    #expect(try json("", quoted: true, number) == "null")
    #expect(try json("", number, nullText: "NA") == "null")
    number.isOptional = false
    #expect(try json("", number) == "7")
    #expect(try json("", quoted: true, number) == "7")
    number.defaultValue = nil
    #expect(throws: DepotError.self) { try json("", number) }
  }

  @Test func `with another text for null an empty field is the empty text`() throws {
    #expect(try json("", Self.optional, nullText: "NA") == "\"\"")
    #expect(try json("NA", Self.optional, nullText: "NA") == "null")
    #expect(try json("NA", quoted: true, Self.optional, nullText: "NA") == "\"NA\"")
  }

  @Test func `a list is JSON or words, and null is not the empty list`() throws {
    let list = Attribute(name: "a", type: .int64, collection: .array, isOptional: true)
    #expect(try json("[1,2]", quoted: true, list) == "[1,2]")
    #expect(try json("1; 2;", list) == "[1,2]")
    for text in ["1;;2", "1; ;2", ";1", "1;;"] {
      let error = #expect(throws: DepotError.self) { try json(text, list) }
      #expect(error?.message == "An element of the list is empty.")
    }
    #expect(try json("", list) == "null")
    #expect(try json("[]", list) == "[]")
    let required = Attribute(name: "a", type: .string, collection: .set)
    #expect(try json("", required) == "[]")
  }

  @Test func `a value is the same whether it stands there as JSON has it or not`() throws {
    let double = Attribute(name: "a", type: .double)
    for text in ["1.50", "-0.25", "12345.678901234567", "1e3", "0", "-0", "007.5", "5.", "1E400"] {
      guard let value = Double(text), value.isFinite else {
        #expect(throws: DepotError.self) { try json(text, double) }
        continue
      }
      let written = try json(text, double)
      #expect(Double(written)?.bitPattern == value.bitPattern, "\(text)")
      #expect(try JSONValue(parsing: Array("[\(written)]".utf8)).array?.count == 1)
    }
    let whole = Attribute(name: "a", type: .int64)
    for text in ["0", "-1", "007", "12345678901234567", "-9223372036854775808", "+5", "5.0"] {
      #expect(try Int64(json(text, whole)) == Int64(Double(text) ?? 0) || text.count > 15)
    }
    #expect(try json("-9223372036854775808", whole) == "-9223372036854775808")
    #expect(throws: DepotError.self) { try json("1.5", whole) }
    #expect(throws: DepotError.self) { try json("-", whole) }
  }

  static let likely: [AttributeType: [String]] = [
    .int64: [
      "0", "-0", "-7", "007", "12345678901234567", "123456789012345678", "1.0", "", "-", "+1",
    ],
    .double: ["0.5", "-0.0", ".5", "5.", "00.5", "1.2.3", "1e5", "12345678901234.12", "-"],
    .decimal: ["0.5", "-0", "12345678901234567", "1234567890123456789012.5", "1e3", "x"],
    .bool: ["true", "false", "TRUE", "1", "tru"],
    .date: [
      "2026-05-01T13:45:00Z", "2026-02-28T23:59:59Z", "2026-02-29T00:00:00Z",
      "0000-01-01T00:00:00Z",
      "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-05-00T00:00:00Z",
      "2026-05-01T24:00:00Z",
      "2026-05-01T13:60:00Z", "2026-05-01T13:45:60Z", "2026-05-01 13:45:00Z",
      "2O26-05-01T13:45:00Z",
      "2024-02-29T12:00:00Z", "2026-05-31T12:00:00Z",
    ],
    .uuid: [
      "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
      "6ba7b8109-dad-11d1-80b4-00c04fd430c8", "6ba7b810-9dad-11d1-80b4-00c04fd430cg", "@ba7b810",
    ],
    .string: ["a", "\"\\\u{1}\n", "日本", ""],
    .url: ["https://example.org/\"", ""],
  ]

  @Test(arguments: AttributeType.allCases, [nil, "7"] as [String?])
  func `a value that is told by its bytes is the one that is read`(
    type: AttributeType,
    nullText: String?
  ) throws {
    for text in Self.likely.values.joined() {
      for isOptional in [true, false] {
        for isQuoted in [true, false] {
          let attribute = Attribute(name: "a", type: type, isOptional: isOptional)
          var read = JSONWriter()
          var bytes = Array(text.utf8)
          if text == "日本" { bytes.append(0xFF) }
          let result = bytes.withUnsafeBufferPointer { bytes in
            Result { () throws(DepotError) in
              let field = DelimitedField(bytes: bytes, isQuoted: isQuoted)
              try DelimitedValue(nullText: nullText).write(field, as: attribute, to: &read)
            }
          }
          var written = JSONWriter()
          let column = DelimitedColumn("a", attribute, DelimitedValue(nullText: nullText))
          let plain = bytes.withUnsafeBufferPointer { bytes in
            Result { () throws(DepotError) in
              try column.write(DelimitedField(bytes: bytes, isQuoted: isQuoted), to: &written)
            }
          }
          switch (result, plain) {
          case (.success, .success):
            let isSame = try same(written.bytes, read.bytes, type)
            #expect(isSame, "\(text) as \(type)")
          case (.failure(let first), .failure(let second)): #expect(first.at("a") == second)
          default: Issue.record("\(text) as \(type): \(result) and \(plain)")
          }
        }
      }
    }
  }

  /// Whether two texts of JSON are the same value.
  private func same(_ first: [UInt8], _ second: [UInt8], _ type: AttributeType) throws -> Bool {
    if type == .double, first != second {
      let numbers = [first, second].map { Double(String(decoding: $0, as: UTF8.self)) }
      return numbers[0]?.bitPattern == numbers[1]?.bitPattern
    }
    return first == second
  }

  @Test func `a date may be written as other programs do`() throws {
    let date = Attribute(name: "a", type: .date)
    #expect(try json("2024-05-01", date) == #""2024-05-01T00:00:00Z""#)
    #expect(try json("2024-05-01 13:45:00.5+0200", date) == #""2024-05-01T11:45:00.5Z""#)
    #expect(throws: DepotError.self) { try json("01/05/2024", date) }
  }

  @Test func `truth values may be those of spreadsheets and databases`() throws {
    let bool = Attribute(name: "a", type: .bool)
    for text in ["true", "TRUE", "True", "t", "1", " t "] {
      #expect(try json(text, bool) == "true", "\(text)")
    }
    for text in ["false", "FALSE", "f", "0"] { #expect(try json(text, bool) == "false", "\(text)") }
    for text in ["yes", "2", "tru", ""] {
      #expect(throws: DepotError.self, "\(text)") { try json(text, bool) }
    }
  }

  @Test func `spaces around values that are no texts mean nothing`() throws {
    #expect(try json(" 1", Attribute(name: "a", type: .int64)) == "1")
    #expect(try json(" 2.5 ", Attribute(name: "a", type: .double)) == "2.5")
    #expect(try json(" 2.50", Attribute(name: "a", type: .decimal)) == #""2.50""#)
    #expect(
      try json(" 2024-05-01 ", Attribute(name: "a", type: .date)) == #""2024-05-01T00:00:00Z""#
    )
    #expect(try json(" x ", Self.required) == #"" x ""#)
  }

  @Test func `a date that no text gives back is read as it is written`() throws {
    let date = Attribute(name: "a", type: .date)
    let text = #"{"referenceSeconds":1.25e-10}"#
    #expect(try json(text, quoted: true, date) == text)
  }

  @Test func `CSV that is printed tells null from the empty text`() throws {
    let rows = #"[[1,1,null,""],[2,1,"",null],[3,1,"NA","x"]]"#
    var style = RowStyle(entity: "P", format: .csv)
    style.showsIdentifier = false
    #expect(
      try Fixture.print(rows, columns: ["a", "b"], style) == "a,b\r\n,\"\"\r\n\"\",\r\nNA,x\r\n"
    )
    style.nullText = "NA"
    #expect(
      try Fixture.print(rows, columns: ["a", "b"], style)
        == "a,b\r\nNA,\r\n,NA\r\n\"NA\",x\r\n"
    )
  }
}

/// Numbers and dates of CSV and of assignments are read exactly or not at all.
@Suite struct TextValueTests {
  private func json(_ text: String, _ type: AttributeType) throws -> String {
    var writer = JSONWriter()
    try TextValue.write(text, as: type, to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test(arguments: [
    ("5", "5"), ("+5", "5"), ("-0", "0"), ("5.0", "5"), ("5e3", "5000"), ("007", "7"),
    ("9007199254740993.0", "9007199254740993"), ("-9223372036854775808", "-9223372036854775808"),
    ("92233720368547758.07e2", "9223372036854775807"),
  ])
  func `a whole number may have a point and an exponent`(text: String, result: String) throws {
    #expect(try json(text, .int64) == result)
  }

  @Test(arguments: [
    ("4503599627370495.9", AttributeType.int64, DepotError.Code.type), ("5.", .int64, .type),
    ("", .int64, .type), ("1,000", .int64, .type), ("0x10", .int64, .type), ("five", .int64, .type),
    ("9223372036854775808", .int64, .numberRange), ("1e19", .int64, .numberRange),
    ("1e400", .double, .numberRange), ("fast", .double, .type), ("nan", .double, .type),
    ("123456789012345678901234567890123456789", .decimal, .numberRange), ("1,5", .decimal, .type),
    ("2026-07-01T10:20:30.123456789Z", .date, .numberRange), ("2026-07", .date, .type),
  ])
  func `what isn't a value or doesn't fit is refused`(
    text: String,
    type: AttributeType,
    code: DepotError.Code
  ) throws {
    let error = #expect(throws: DepotError.self) { try json(text, type) }
    #expect(error?.code == code)
    #expect(error?.message.contains(text) == true)
    #expect((error?.hint != nil) == (code == .numberRange))
  }

  @Test func `a date that is too fine is told the nearest one`() throws {
    let text = "2026-07-01T10:20:30.123456789Z"
    let error = #expect(throws: DepotError.self) { try json(text, .date) }
    #expect(error?.hint?.contains("2026-07-01T10:20:30.1234568Z") == true)
  }
}
