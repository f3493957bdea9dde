import DepotProtocol
import Foundation
import TestSupport
import Testing

@testable import DepotCommands

@Suite struct RecordSplitterTests {
  private func split(
    _ text: String,
    _ form: RecordSplitter.Form,
    size: Int
  ) throws -> [(String, Int)] {
    var splitter = RecordSplitter(form)
    var records: [(String, Int)] = []
    func take() throws {
      while let record = try splitter.next() {
        records.append((String(decoding: record.bytes, as: UTF8.self), record.line))
      }
    }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      Array(rest.prefix(size)).withUnsafeBytes { splitter.receive($0) }
      rest = rest.dropFirst(size)
      try take()
    }
    splitter.receive(UnsafeRawBufferPointer(start: nil, count: 0))
    try take()
    return records
  }

  @Test(arguments: 1...40)
  func `lines are records, empty ones are none`(size: Int) throws {
    let records = try split("{\"a\":1}\r\n\n  {\"b\":\"é\"}\n{\"c\"\nlast", .lines, size: size)
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
      object: { records.append(String(decoding: $0.bytes, as: UTF8.self)) },
      delimited: { records.append(String(decoding: $0.text, as: UTF8.self)) }
    )
    return records
  }

  @Test(arguments: [nil] + ImportFormat.allCases)
  func `a byte order mark before the first record is none of it`(format: ImportFormat?) throws {
    let mark = "\u{FEFF}"
    let form = InputForm(format: format)
    #expect(try read(mark + "{\"a\":1}\n", form) == ["{\"a\":1}"])
    #expect(try read(mark, form).isEmpty)
    #expect(try read("{}\n" + mark + "{}", form).last != "{}")
    #expect(try read(mark + "{}", InputForm(format: .json, path: [])) == ["{}"])
  }

  static let objects = [
    "[\n {\"a\":[1,{\"]\":\"}\\\"\"}]},\n\n{\n\"b\":2}\n]\n",
    "{\"a\":[1,{\"]\":\"}\\\"\"}]}\n  \n\n{\n\"b\":2}",
  ]

  @Test(arguments: objects, 1...40)
  func `objects may span lines, in an array or not`(text: String, size: Int) throws {
    let records = try split(text, .objects, size: size)
    #expect(records.map(\.0) == ["{\"a\":[1,{\"]\":\"}\\\"\"}]}", "{\n\"b\":2}"])
    #expect(records.map(\.1) == (text.hasPrefix("[") ? [2, 4] : [1, 4]))
  }

  @Test(arguments: 1...10)
  func `what isn't an object is a record that will be refused`(size: Int) throws {
    let records = try split("[1, \"a,b\" ,{},null]", .objects, size: size)
    #expect(records.map(\.0) == ["1", "\"a,b\"", "{}", "null"])
  }

  @Test func `an object that never ends is a record too`() throws {
    #expect(try split("[{\"a\":1", .objects, size: 3).map(\.0) == ["{\"a\":1"])
  }
}
