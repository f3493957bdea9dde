import DepotProtocol
import Foundation
import TestSupport
import Testing

@testable import DepotClientCore
@testable import DepotCommands

@Suite struct ImporterTests {
  /// What an importer sends.
  private final class Recorder {
    var requests: [InsertRequest] = []
    var failure: DepotError?

    func send(_ request: InsertRequest) throws -> InsertResult {
      if let failure { throw failure }
      requests.append(request)
      var result = InsertResult()
      result.inserted = request.rows.count
      return result
    }

    var texts: [String] { requests.map { String(decoding: $0.rows.json, as: UTF8.self) } }
  }

  private let recorder = Recorder()

  private func importer(
    _ style: ImportStyle = ImportStyle(),
    _ change: (inout GraphImporter.Options) -> Void = { _ in }
  ) throws -> Importer {
    var options = GraphImporter.Options()
    change(&options)
    let schema = Schema(entities: [Fixture.package])
    let source = GraphSource(
      path: "-",
      entity: Fixture.package,
      schema: schema,
      rules: try LinkRules([], of: Fixture.package, schema),
      style: style,
      keepsInput: false
    )
    return Importer(source, options, send: recorder.send)
  }

  private func add(_ lines: [String], to importer: Importer) throws {
    for (index, line) in lines.enumerated() {
      let bytes = Array(line.utf8)[...]
      try importer.add(InputRecord(bytes: bytes, line: index + 1)) { bytes }
    }
    try importer.finish()
  }

  private func add(csv text: String, to importer: Importer) throws {
    try add(text, named: "rows.csv", to: importer)
  }

  private func add(_ text: String, named name: String, to importer: Importer) throws {
    let folder = try TemporaryFolder()
    try importer.add(InputFile(try folder.write(text, to: name)))
  }

  @Test func `members go to their columns, and absent ones are null`() throws {
    try add(
      [
        #"{"name":"a","size":1,"isFree":true}"#, #"{ "isFree" : false , "name":"b\n" }"#,
        #"{"$id":"Package/9","$version":3,"n\u0061me":"c","size":null}"#,
      ],
      to: importer()
    )
    #expect(recorder.texts == [#"[["a",1,true],["b\n",null,false],["c",null,null]]"#])
    #expect(recorder.requests[0].columns == ["name", "size", "isFree"])
  }

  @Test func `a replacement names only what the record names`() throws {
    try add(
      [#"{"name":"a"}"#, #"{"name":"b"}"#, #"{"size":1,"name":"c"}"#],
      to: importer { $0.onConflict = .replace }
    )
    #expect(recorder.texts == [#"[["a"],["b"]]"#, #"[["c",1]]"#])
    #expect(recorder.requests.map(\.columns) == [["name"], ["name", "size"]])
  }

  @Test func `a batch is sent when it is full`() throws {
    let importer = try importer { $0.rows = 2 }
    try add((1...5).map { #"{"name":"\#($0)"}"# }, to: importer)
    #expect(recorder.requests.map(\.rows.count) == [2, 2, 1])
    #expect(importer.outcome.inserted == 5)
  }

  @Test func `a batch is read while the one before it is stored`() throws {
    var events: [String] = []
    let schema = Schema(entities: [Fixture.package])
    func importer(failing: Int) throws -> Importer {
      var options = GraphImporter.Options()
      options.rows = 1
      let source = GraphSource(
        path: "-",
        entity: Fixture.package,
        schema: schema,
        rules: try LinkRules([], of: Fixture.package, schema),
        style: ImportStyle(),
        keepsInput: false
      )
      var (begun, finished) = (0, 0)
      return Importer(
        source,
        options,
        begin: { _ in
          begun += 1
          events.append("begin \(begun)")
        },
        finish: {
          finished += 1
          events.append("finish \(finished)")
          if finished == failing { throw DepotError(.unique, "Taken.").at("/args/rows/0/0") }
          // As the service answers what comes behind it.
          if failing > 0, finished > failing { throw DepotError(.cancelled, "Not begun.") }
          var result = InsertResult()
          result.inserted = 1
          return result
        }
      )
    }
    let whole = try importer(failing: 0)
    try add(csv: "name\na\nb\n", to: whole)
    #expect(events == ["begin 1", "begin 2", "finish 1", "finish 2"])
    #expect(whole.outcome.inserted == 2)
    events = []
    let error = #expect(throws: DepotError.self) {
      try add(csv: "name\na\nb\nc\nd\n", to: importer(failing: 2))
    }
    #expect(events == ["begin 1", "begin 2", "finish 1", "begin 3", "finish 2", "finish 3"])
    #expect(error?.at == "line 3, name")
    #expect(error?.message == "Taken. 1 row before it was stored.")
    events = []
    let bad = #expect(throws: DepotError.self) {
      try add(csv: "name\na\n\"b\"x\n", to: importer(failing: 1))
    }
    #expect(bad?.at == "line 2, name")
  }

  @Test func `mapped members are rows at once, as others are`() throws {
    var style = ImportStyle()
    style.map = try RecordMap(["Name=name", "in.size=size", "no="])
    try add(
      #"{"Name":"a","in":{"size":1},"no":[]}"#,
      named: "rows.ndjson",
      to: importer(style)
    )
    style.map = try RecordMap(["Name=name"])
    try add(csv: "Name,size\nb,2\n", to: importer(style))
    #expect(recorder.texts == [#"[["a",1,null]]"#, #"[["b",2]]"#])
    let entity = Fixture.package
    #expect(!GraphImport.isNeeded(entity, Schema(entities: [entity])))
  }

  static let mistakes: [(String, String, String?)] = [
    (#"{"nmae":"x"}"#, "schema.unknown_attribute", "Did you mean \"name\"?"),
    (#"{"name":"x""#, "protocol.json", nil), ("[1]", "request.type", nil),
    (#"{"name":["x"]}"#, "request.type", nil),
    (#"{"name":"x","name":"y"}"#, "request.duplicate_key", nil),
  ]

  @Test(arguments: mistakes)
  func `a bad record ends the import and its line is named`(
    record: String,
    code: String,
    hint: String?
  ) throws {
    let importer = try importer { $0.rows = 1 }
    let error = #expect(throws: DepotError.self) {
      try add([#"{"name":"ok"}"#, record, #"{"name":"never"}"#], to: importer)
    }
    #expect(error?.code.rawValue == code)
    #expect(error?.at == "line 2")
    #expect(error?.message.hasSuffix("1 row before it was stored.") == true)
    if let hint { #expect(error?.hint == hint) }
    #expect(recorder.requests.count == 1)
  }

  @Test func `the service's error is about a line too`() {
    recorder.failure = DepotError(.unique, "Taken.").at("/args/rows/1/0")
    let error = #expect(throws: DepotError.self) {
      try add([#"{"name":"a"}"#, #"{"name":"b"}"#], to: importer())
    }
    #expect(error?.at == "line 2, name")
    #expect(error?.message == "Taken. Nothing was stored.")
  }

  @Test func `an error of the service in an earlier line comes first`() {
    recorder.failure = DepotError(.unique, "Taken.").at("/args/rows/0")
    let error = #expect(throws: DepotError.self) {
      try add([#"{"name":"a"}"#, "no JSON"], to: importer())
    }
    #expect(error?.at == "line 1")
  }

  /// Returns the error of an import in batches of one row, of which each gets an outcome.
  private func failure(_ outcomes: [DepotError?]) throws -> DepotError? {
    var options = GraphImporter.Options()
    options.rows = 1
    let schema = Schema(entities: [Fixture.package])
    let source = GraphSource(
      path: "-",
      entity: Fixture.package,
      schema: schema,
      rules: try LinkRules([], of: Fixture.package, schema),
      style: ImportStyle(),
      keepsInput: false
    )
    var rest = outcomes[...]
    let importer = Importer(
      source,
      options,
      begin: { _ in },
      finish: {
        if let error = rest.removeFirst() { throw error }
        var result = InsertResult()
        result.inserted = 1
        return result
      }
    )
    return #expect(throws: DepotError.self) { try add(csv: "name\na\nb\nc\nd\n", to: importer) }
  }

  @Test func `a reason of the next batch is told beside the one of the batch that failed`() throws {
    let taken = DepotError(.unique, "Taken.").at("/args/rows/0/0")
    let late = DepotError(.type, "No text.").at("/args/rows/0/0")
    let both = try failure([nil, taken, late])
    #expect(both?.at == "line 3, name")
    #expect(both?.message == "Taken. 1 row before it was stored. Behind it, in line 4: No text.")
    let alone = try failure([nil, taken, DepotError(.cancelled, "Not begun.")])
    #expect(alone?.message == "Taken. 1 row before it was stored.")
    #expect(try failure([nil, taken, taken])?.message == alone?.message)
  }

  @Test func `whether nothing was changed is a fact of the import, not of its last batch`() throws {
    let full = DepotError(.full, "There is no room.").hint("Free some room.")
    let first = try #require(try failure([full, DepotError(.cancelled, "Not begun.")]))
    #expect(first.effect == .none)
    #expect(ErrorReport.text(first).contains("hint: Nothing was changed. Free some room."))
    let second = try #require(try failure([nil, full, DepotError(.cancelled, "Not begun.")]))
    #expect(second.effect == .partial)
    #expect(ErrorReport.text(second).contains("hint: Free some room."))
    #expect(second.message == "There is no room. 1 row before it was stored.")
  }

  @Test func `unknown members can be left out`() throws {
    try add([#"{"name":"a","other":[1]}"#], to: importer(ImportStyle(ignoresUnknown: true)))
    #expect(recorder.texts == [#"[["a",null,null]]"#])
  }

  @Test func `CSV is read by the types of the attributes`() throws {
    try add(csv: "size,name,$id\n1,\"a\"\"\",Package/1\n,,\n-3,\\N,x\n", to: importer())
    #expect(recorder.requests[0].columns == ["size", "name"])
    #expect(recorder.texts == [#"[[1,"a\""],[null,""],[-3,"\\N"]]"#])
  }

  @Test func `a text of one's choice is null unless it is quoted`() throws {
    try add(csv: "name,size\nNA,NA\n\"NA\",1\n", to: importer(ImportStyle(nullText: "NA")))
    #expect(recorder.texts == [#"[[null,null],["NA",1]]"#])
  }

  @Test(arguments: ["name,size\na,b\n", "name,size\na\n", "nmae\na\n", "name,name\na,a\n"])
  func `a bad row of CSV is refused`(text: String) {
    #expect(throws: DepotError.self) { try add(csv: text, to: importer()) }
    #expect(recorder.requests.isEmpty)
  }
}
