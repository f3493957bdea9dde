import DepotProtocol
import TestSupport
import Testing

@testable import DepotCommands

@Suite struct DelimitedReaderTests {
  static let text =
    "name,size\r\n\"a \"\"b\"\", c\r\nd\",1\nplain \"x\",\"\"\r\n,\n\"日本\",é"
  static let rows: [[String]] = [
    ["name", "size"], ["a \"b\", c\r\nd", "1"], ["plain \"x\"", ""], ["", ""], ["日本", "é"],
  ]

  private func read(
    _ text: String,
    sizes: Int,
    _ reader: DelimitedReader = DelimitedReader(delimiter: UInt8(ascii: ","))
  ) -> [DelimitedRecord] {
    var reader = reader
    var records: [DelimitedRecord] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      Array(rest.prefix(sizes)).withUnsafeBytes { reader.receive($0) }
      rest = rest.dropFirst(sizes)
      while let record = reader.next() { records.append(record) }
    }
    reader.receive(UnsafeRawBufferPointer(start: nil, count: 0))
    while let record = reader.next() { records.append(record) }
    return records
  }

  private func strings(_ records: [DelimitedRecord]) -> [[String]] {
    records.map(\.texts)
  }

  @Test(arguments: 1...60)
  func `pieces of any size give the same rows`(size: Int) {
    #expect(strings(read(Self.text, sizes: size)) == Self.rows)
  }

  @Test func `rows know their line and their text`() {
    let records = read(Self.text, sizes: 1000)
    #expect(records.map(\.line) == [1, 2, 4, 5, 6])
    #expect(Array(records[2].text) == Array("plain \"x\",\"\"".utf8))
    #expect(records[2].places.map(\.isQuoted) == [false, true])
  }

  @Test(arguments: ["a,\"b", "\"a\"b,c", "\"a\" ,c", "\"a\"b,\"c"], [1, 3, 100])
  func `a quotation mark in the wrong place spoils its row alone`(row: String, size: Int) {
    let records = read("x,y\n" + row, sizes: size)
    #expect(records.map { $0.fault?.code } == [nil, .type])
    #expect(Array(records[1].text) == Array(row.utf8))
    guard !row.hasPrefix("a") else { return }
    let more = read("x,y\n" + row + "\n1,2\n", sizes: size)
    #expect(more.map { $0.fault == nil } == [true, false, true])
    #expect(more.map(\.line) == [1, 2, 3])
  }

  @Test func `a row that is too large spoils no other`() {
    let large = String(repeating: "x", count: Limits.frameBytes + 2)
    let records = read("x\n" + large + "\ny\n", sizes: 1 << 20)
    #expect(records.map { $0.fault?.code } == [nil, .valueTooLarge, nil])
    #expect(records.map(\.line) == [1, 2, 3])
  }

  @Test(arguments: 1...30)
  func `lines may end with CR alone`(size: Int) {
    let records = read("a,\"b\"\r\"x\ry\",2\r\r3,4\r5,6", sizes: size)
    #expect(strings(records) == [["a", "b"], ["x\ry", "2"], [""], ["3", "4"], ["5", "6"]])
    #expect(records.map(\.line) == [1, 2, 4, 5, 6])
    #expect(Array(records[3].text) == Array("3,4".utf8))
  }

  static let dump =
    #"1\#ta\tb\\\#t\N"# + "\n" + #""2"\#t\N\#t\Nx\101\x4a\x"# + "\n"
    + "3\t\\\tline\\\nbreak\t\\\\N\n\\.\nnothing\n"

  @Test(arguments: 1...70)
  func `a dump has escapes and no quotation marks`(size: Int) throws {
    let reader = DelimitedReader(delimiter: 0x09, hasQuotes: false, hasEscapes: true)
    let records = read(Self.dump, sizes: size, reader)
    #expect(
      strings(records) == [
        ["1", "a\tb\\", "\\N"], ["\"2\"", "\\N", "NxAJx"], ["3", "\tline\nbreak", "\\N"],
      ]
    )
    let values = DelimitedValue(nullText: InputForm.dumpNull)
    let areNull = try records.map { record in
      var areNull: [Bool] = []
      try record.forEachField { areNull.append(values.isNull($1)) }
      return areNull
    }
    #expect(areNull == [[false, false, true], [false, true, false], [false, false, false]])
    #expect(records.map(\.line) == [1, 2, 3])
  }

  @Test(arguments: 1...20)
  func `CSV may have both escapes and quotation marks`(size: Int) {
    let reader = DelimitedReader(delimiter: UInt8(ascii: ","), hasEscapes: true)
    let text = #""a\"b","\N",\N,c\,d"# + "\r\n"
    let records = read(text, sizes: size, reader)
    #expect(strings(records) == [["a\"b", "N", "\\N", "c,d"]])
  }

  @Test(arguments: seeds(300))
  func `rows that are read whole are the same as those read byte by byte`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let pieces = [
      "a", "bc", "é", "long enough for words", "0", " ", ",", ",", ",", "\"", "\"",
      "\"\"", "\n", "\n", "\r\n", "\r", "\\", "\\N", "\\.",
    ]
    // Only where lines are known to end with LF are rows read whole.
    let text =
      "x,y\n" + (0..<60).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
    for (hasQuotes, hasEscapes) in [(true, false), (false, true), (true, true), (false, false)] {
      let reader = DelimitedReader(
        delimiter: UInt8(ascii: ","),
        hasQuotes: hasQuotes,
        hasEscapes: hasEscapes
      )
      let bytewise = read(text, sizes: 1, reader)
      for size in [2, 17, 1000] {
        let records = read(text, sizes: size, reader)
        #expect(strings(records) == strings(bytewise), "\(text.debugDescription)")
        #expect(records.map { Array($0.text) } == bytewise.map { Array($0.text) })
        #expect(
          records.map { $0.places.map(\.isQuoted) } == bytewise.map { $0.places.map(\.isQuoted) }
        )
        #expect(records.map(\.line) == bytewise.map(\.line))
        #expect(records.map(\.fault) == bytewise.map(\.fault))
      }
    }
  }

  @Test func `an empty file has no rows`() {
    #expect(read("", sizes: 1).isEmpty)
  }

  @Test func `what is written reads back`() {
    let fields = ["", "a", "a,b", "\"", "a\"b", "\r\n", "\n", "é", " x "]
    var output: [UInt8] = []
    var writer = DelimitedWriter(delimiter: UInt8(ascii: ","))
    for field in fields { writer.append(field, to: &output) }
    writer.endRow(&output)
    let text = String(decoding: output, as: UTF8.self)
    #expect(strings(read(text, sizes: 4)) == [fields])
  }
}
