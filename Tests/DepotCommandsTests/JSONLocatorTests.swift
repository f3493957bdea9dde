import DepotProtocol
import Testing

@testable import DepotCommands

@Suite struct JSONLocatorTests {
  private static let document = """
    {"meta": {"a/b": [1, {"items": "no"}], "text": "{\\"items\\": ["},
     "items": [
       {"n": 1, "inner": [{"x": 1}]},
       {"n": 2}
     ], "one": {"n": 3}, "none": 4, "more": {"list": [{"n": 5}]}}
    """

  /// Returns the records at a path of a document that comes in pieces of a size.
  private func records(
    _ path: [String],
    of text: String = document,
    piece size: Int
  ) throws -> [String] {
    var locator = JSONLocator(path)
    var splitter = RecordSplitter(.objects)
    var result: [String] = []
    func append(_ record: InputRecord) {
      let text = record.fault?.message ?? String(decoding: record.bytes, as: UTF8.self)
      result.append("\(record.line) \(text)")
    }
    let bytes = Array(text.utf8)
    let pieces = stride(from: 0, to: bytes.count, by: size).map {
      Array(bytes[$0..<min($0 + size, bytes.count)])
    }
    for piece in pieces + [[]] {
      try piece.withUnsafeBytes { piece in
        let part = try locator.receive(piece)
        splitter.begin(line: locator.firstLine)
        if piece.isEmpty || !part.isEmpty {
          splitter.receive(UnsafeRawBufferPointer(rebasing: piece[part]))
        }
        while let record = splitter.next() { append(record) }
        if let fault = locator.takeFault() { append(fault) }
      }
    }
    return result
  }

  @Test(arguments: [1, 2, 3, 7, 1000])
  func `the records at a path are found, however the document is cut`(size: Int) throws {
    #expect(
      try records(["items"], piece: size) == [
        #"3 {"n": 1, "inner": [{"x": 1}]}"#, #"4 {"n": 2}"#,
      ]
    )
    #expect(try records(["one"], piece: size) == [#"5 {"n": 3}"#])
    #expect(try records(["more", "list"], piece: size) == [#"5 {"n": 5}"#])
    #expect(try records(["meta", "a/b", "1"], piece: size) == [#"1 {"items": "no"}"#])
    #expect(try records([], of: #"[{"a":1}]"#, piece: size) == [#"1 {"a":1}"#])
  }

  @Test(arguments: [["nothing"], ["none"], ["items", "9"], ["meta", "text"]])
  func `a path without records is told with those that have some`(path: [String]) {
    let error = #expect(throws: DepotError.self) { try records(path, piece: 5) }
    #expect(error?.code == .usage)
    let all = path == ["nothing"] || path == ["items", "9"]
    let places = all ? "/items, /more/list" : path == ["none"] ? "/items" : nil
    if let places { #expect(error?.hint?.contains(places) == true, "\(error?.hint ?? "")") }
  }

  @Test func `the places of arrays of objects are known, also of a document that is cut`() {
    let bytes = Array(Self.document.utf8)
    #expect(JSONArrayPointers(in: bytes).pointers == ["/items", "/more/list"])
    #expect(JSONArrayPointers(in: bytes.prefix(100)).pointers == ["/items"])
    #expect(JSONArrayPointers(in: Array(#"{"a/b":{"~":[{}]}}"#.utf8)).pointers == ["/a~1b/~0"])
    #expect(JSONArrayPointers(in: Array(#"{"a":[1],"b":[[{}]],"c":{}}"#.utf8)).advice == nil)
  }

  static let faults: [(String, String)] = [
    (#"{"items":[{}]"#, "1 The document is cut off."),
    ("{\"items\":[{}],\n\"more\":[1,", "2 The document is cut off."),
    ("{\"items\":[{}]\n\"more\":1}", "2 The document isn't JSON from here on."),
    (#"{"items":[{}]} x"#, "1 The document isn't JSON from here on."),
    (#"{"items":[{}]]"#, "1 The document isn't JSON from here on."),
    (#"{"more":tru,"items":[{}]}"#, "1 The document isn't JSON from here on."),
    (#"{"items":[{}],}"#, "1 The document isn't JSON from here on."),
    (#"{"items":[{}"#, "1 The array is never closed."),
  ]

  @Test(arguments: faults, [1, 4, 1000])
  func `the document is valid around the part, or has a fault`(
    document: (text: String, fault: String),
    size: Int
  ) throws {
    let records = try records(["items"], of: document.text, piece: size)
    #expect(Set(records) == ["1 {}", document.fault])
  }

  @Test(arguments: [1, 3, 1000])
  func `every value may stand around the part`(size: Int) throws {
    let around = #"[1, -2.5e+7, true, false, null, "\"\\é", {}, [], {"a": {"b": [[]]}}]"#
    let text = #"{"a": \#(around), "items": [{}], "b": \#(around), "c": "x"}"# + " \n"
    #expect(try records(["items"], of: text, piece: size) == ["1 {}"])
  }
}
