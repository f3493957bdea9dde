import DepotProtocol
import Testing

@testable import DepotCommands

@Suite struct DelimitedReaderTests {
  static let text =
    "name,size\r\n\"a \"\"b\"\", c\r\nd\",1\nplain \"x\",\"\"\r\n,\n\"日本\",é"
  static let rows: [[String]] = [
    ["name", "size"], ["a \"b\", c\r\nd", "1"], ["plain \"x\"", ""], ["", ""], ["日本", "é"],
  ]

  private func read(_ text: String, sizes: Int) throws -> [DelimitedRecord] {
    var reader = DelimitedReader(delimiter: UInt8(ascii: ","))
    var records: [DelimitedRecord] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      try Array(rest.prefix(sizes)).withUnsafeBytes { piece in
        try reader.receive(piece)
      }
      rest = rest.dropFirst(sizes)
      while let record = reader.next() { records.append(record) }
    }
    try reader.receive(UnsafeRawBufferPointer(start: nil, count: 0))
    while let record = reader.next() { records.append(record) }
    return records
  }

  private func strings(_ records: [DelimitedRecord]) -> [[String]] {
    records.map { $0.fields.map { String(decoding: $0.bytes, as: UTF8.self) } }
  }

  @Test(arguments: 1...60)
  func `pieces of any size give the same rows`(size: Int) throws {
    #expect(try strings(read(Self.text, sizes: size)) == Self.rows)
  }

  @Test func `rows know their line and their text`() throws {
    let records = try read(Self.text, sizes: 1000)
    #expect(records.map(\.line) == [1, 2, 4, 5, 6])
    #expect(records[2].text == Array("plain \"x\",\"\"".utf8))
    #expect(records[2].fields.map(\.isQuoted) == [false, true])
  }

  @Test(arguments: ["a,\"b", "\"a\"b,c\n", "\"a\" ,c\n"])
  func `a quotation mark in the wrong place is refused`(text: String) {
    #expect(throws: DepotError.self) { try read(text, sizes: 3) }
  }

  @Test func `an empty file has no rows`() throws {
    #expect(try read("", sizes: 1).isEmpty)
  }

  @Test func `what is written reads back`() throws {
    let fields = ["", "a", "a,b", "\"", "a\"b", "\r\n", "\n", "é", " x "]
    var output: [UInt8] = []
    var writer = DelimitedWriter(delimiter: UInt8(ascii: ","))
    for field in fields { writer.append(field, to: &output) }
    writer.endRow(&output)
    let text = String(decoding: output, as: UTF8.self)
    #expect(try strings(read(text, sizes: 4)) == [fields])
  }
}
