import DepotProtocol
import Foundation
import TestSupport
import Testing

@testable import DepotCommands

@Suite struct RecordSplitterTests {
  /// Returns the records of a text that comes in pieces, or why something is none, with their lines.
  private func split(_ text: String, _ form: RecordSplitter.Form, size: Int) -> [(String, Int)] {
    var splitter = RecordSplitter(form)
    var records: [(String, Int)] = []
    func take() {
      while let record = splitter.next() {
        let text = record.fault?.message ?? String(decoding: record.bytes, as: UTF8.self)
        records.append((text, record.line))
      }
    }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      Array(rest.prefix(size)).withUnsafeBytes { splitter.receive($0) }
      rest = rest.dropFirst(size)
      take()
    }
    splitter.receive(UnsafeRawBufferPointer(start: nil, count: 0))
    take()
    return records
  }

  @Test(arguments: 1...40)
  func `lines are records, empty ones are none`(size: Int) {
    let records = split("{\"a\":1}\r\n\n  {\"b\":\"é\"}\n{\"c\"\nlast", .lines, size: size)
    #expect(records.map(\.0) == ["{\"a\":1}", "{\"b\":\"é\"}", "{\"c\"", "last"])
    #expect(records.map(\.1) == [1, 3, 4, 5])
  }

  /// Returns the records and rows of a file.
  private func read(_ text: String, _ form: InputForm) throws -> [String] {
    let folder = try TemporaryFolder()
    let path = folder.path + "/records"
    try Data(text.utf8).write(to: URL(filePath: path))
    var records: [String] = []
    try ImportSource.read(
      InputFile(path),
      form: form,
      object: { records.append($0.fault?.message ?? String(decoding: $0.bytes, as: UTF8.self)) },
      delimited: { records.append($0.fault?.message ?? String(decoding: $0.text, as: UTF8.self)) }
    )
    return records
  }

  @Test(arguments: [nil] + ImportFormat.allCases)
  func `a byte order mark before the first record is none of it`(format: ImportFormat?) throws {
    let mark = "\u{FEFF}"
    let form = InputForm(format: format)
    #expect(try read(mark + "{\"a\":1}\n", form) == ["{\"a\":1}"])
    if format == nil || format == .ndjson { #expect(try read(mark, form).isEmpty) }
    #expect(try read("{}\n" + mark + "{}", form).last != "{}")
    #expect(try read(mark + "{}", InputForm(format: .json, path: [])) == ["{}"])
  }

  static let objects = [
    "[\n {\"a\":[1,{\"]\":\"}\\\"\"}]},\n\n{\n\"b\":2}\n]\n",
    "{\"a\":[1,{\"]\":\"}\\\"\"}]}\n  \n\n{\n\"b\":2}",
  ]

  @Test(arguments: objects, 1...40)
  func `objects may span lines, in an array or not`(text: String, size: Int) {
    let records = split(text, .objects, size: size)
    #expect(records.map(\.0) == ["{\"a\":[1,{\"]\":\"}\\\"\"}]}", "{\n\"b\":2}"])
    #expect(records.map(\.1) == (text.hasPrefix("[") ? [2, 4] : [1, 4]))
  }

  @Test(arguments: 1...10)
  func `what isn't an object is a record that will be refused`(size: Int) {
    let records = split("[1, \"a,b\" ,{},null]", .objects, size: size)
    #expect(records.map(\.0) == ["1", "\"a,b\"", "{}", "null"])
  }

  @Test func `an object that never ends is a record too`() {
    #expect(split("[{\"a\":1", .objects, size: 3).map(\.0) == ["{\"a\":1"])
  }

  static let malformed: [(String, [String])] = [
    (#"[{"a":1},{"a":2}"#, [#"{"a":1}"#, #"{"a":2}"#, "The array is never closed."]),
    (#"[{"a":1},"#, [#"{"a":1}"#, "The array is never closed."]),
    ("[", ["The array is never closed."]),
    (
      #"[{"a":1} {"a":2}]"#,
      [#"{"a":1}"#, "A comma is missing before the record.", #"{"a":2}"#]
    ),
    (
      #"[{"a":1}{"a":2}]"#,
      [#"{"a":1}"#, "A comma is missing before the record.", #"{"a":2}"#]
    ),
    (#"[{"a":1},]"#, [#"{"a":1}"#, "A comma stands before the end of the array."]),
    (#"[,{"a":1}]"#, ["\",\" stands where a record should begin.", #"{"a":1}"#]),
    (#"[{},,{}]"#, ["{}", "\",\" stands where a record should begin.", "{}"]),
    (#"[{}}]"#, ["{}", "\"}\" stands where a record should begin."]),
    (#"[{}] {"a":1} x"#, ["{}", "Something follows the end of the array."]),
    ("[{}]\0", ["{}", "Something follows the end of the array."]),
    (#"{"a":1}]"#, [#"{"a":1}"#, "\"]\" stands where a record should begin."]),
    (#"{"a":1},{"a":2}"#, [#"{"a":1}"#, "\",\" stands where a record should begin.", #"{"a":2}"#]),
    ("{} x\0", ["{}", "x\0"]), (" \n ", ["The document is empty."]),
    ("[{}]\n \n", ["{}"]), ("[]", []),
  ]

  @Test(arguments: malformed, [1, 2, 3, 100])
  func `a document that is no array of records to its last byte has a fault`(
    document: (text: String, records: [String]),
    size: Int
  ) {
    #expect(split(document.text, .objects, size: size).map(\.0) == document.records)
  }

  @Test func `a fault knows its line`() {
    let records = split("\n[\n{}\n{},\n]\n\nx", .objects, size: 2)
    #expect(records.map(\.1) == [3, 4, 4, 5, 7])
    #expect(split("\n[\n{}\n", .objects, size: 2).map(\.1) == [3, 2])
  }

  @Test(arguments: [RecordSplitter.Form.lines, .objects], [0, 3 << 20])
  func `a record that is too large spoils no other`(form: RecordSplitter.Form, more: Int) {
    let large = "{\"a\":\"" + String(repeating: "}", count: Limits.frameBytes + more) + "\"}"
    let records = split("{}\n" + large + "\n{\"b\":1}", form, size: 1 << 20)
    #expect(
      records.map { $0.0.prefix(30) } == ["{}", "The record is too large.", "{\"b\":1}"]
    )
    #expect(records.map(\.1) == [1, 2, 3])
  }

  @Test func `bytes behind a line are part of it, unless they are white space`() {
    let records = split("{}\t \r\n{}\0\0", .lines, size: 3)
    #expect(records.map(\.0) == ["{}", "{}\0\0"])
  }

  @Test(arguments: [ImportFormat.json, .csv, .tsv])
  func `a file without a byte is no document, unless it may have no lines`(
    format: ImportFormat
  ) throws {
    #expect(try read("", InputForm(format: format)).count == 1)
    #expect(try read("", InputForm(format: .ndjson)).isEmpty)
  }

  static let packed: [([UInt8], String)] = [
    ([0x1F, 0x8B, 8, 0, 0], "gzip"), ([0x28, 0xB5, 0x2F, 0xFD, 4], "zstd"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xz"),
  ]

  @Test(arguments: packed)
  func `a packed file is named`(start: [UInt8], program: String) throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/records.csv"
    try Data(start).write(to: URL(filePath: path))
    let error = #expect(throws: DepotError.self) {
      try ImportSource.read(
        InputFile(path),
        form: InputForm(),
        object: { _ in },
        delimited: { _ in }
      )
    }
    #expect(error?.message.hasSuffix("is packed by \(program).") == true)
  }
}
