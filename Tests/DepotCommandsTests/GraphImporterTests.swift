import DepotProtocol
import Foundation
import TestSupport
import Testing

@testable import DepotCommands

@Suite struct GraphImporterTests {
  private let store = FakeGraphStore()

  /// Imports the lines of a file as the verb does, and again what waited.
  private func run(
    _ lines: [String],
    of entity: String = "Package",
    links: [String] = [],
    rejects: RejectsFile? = nil,
    _ importer: GraphImporter,
    skipping handled: Set<Int> = []
  ) throws {
    let schema = GraphFixture.schema
    let entity = try schema.entity(named: entity)
    let reader = try GraphReader(schema, try LinkRules(links, of: entity, schema))
    func records(_ wanted: (Int) -> Bool) throws -> [GraphRecord] {
      var records: [GraphRecord] = []
      for (index, line) in lines.enumerated() where wanted(index) {
        records.append(
          try reader.record(Array(line.utf8), of: entity, index: index, line: index + 1)
        )
      }
      return records
    }
    for record in try records({ !handled.contains($0) }) { try importer.add(record) }
    try importer.finishRows()
    let deferred = importer.deferred
    try importer.link(records { deferred[$0] != nil })
    try rejects?.finish()
  }

  private func importer(
    batch: Int = 1000,
    rejects: RejectsFile? = nil,
    _ change: (inout GraphImporter.Options) -> Void = { _ in }
  ) -> GraphImporter {
    var options = GraphImporter.Options()
    options.batch = batch
    change(&options)
    return GraphImporter(options, store, rejects: rejects)
  }

  static let packages = [
    #"{"name":"a","depends":["b","c"],"source":"c"}"#, #"{"name":"b","depends":["c","a"]}"#,
    #"{"name":"c","depends":[]}"#, #"{"name":"d","size":1,"depends":["d","a"]}"#,
  ]

  private func add(_ names: [String], to importer: GraphImporter) throws {
    let schema = GraphFixture.schema
    let entity = try schema.entity(named: "Package")
    let reader = try GraphReader(schema, try LinkRules([], of: entity, schema))
    for (index, name) in names.enumerated() {
      let line = Array(#"{"name":"\#(name)"}"#.utf8)
      try importer.add(try reader.record(line, of: entity, index: index, line: index + 1))
    }
  }

  @Test func `a batch is stored while the next is read, and is told if that fails`() throws {
    let importer = importer(batch: 2)
    try add(["a", "b", "c"], to: importer)
    #expect(store.rows.count == 2)
    #expect(importer.outcome.inserted == 0)
    let error = #expect(throws: DepotError.self) {
      try importer.refuse(DepotError(.type, "Wrong."), index: 3, line: 4, input: [])
    }
    #expect(error?.at == "line 4")
    #expect(importer.outcome.inserted == 2)
    try importer.finishRows()
    #expect(importer.outcome.inserted == 3)
  }

  @Test func `a batch of what can't be read again is told before more is read`() throws {
    let importer = importer(batch: 2) { $0.keepsDeferred = true }
    try add(["a", "b"], to: importer)
    #expect(importer.outcome.inserted == 2)
  }

  @Test(arguments: [1, 2, 3, 100])
  func `rows may refer to what comes later`(batch: Int) throws {
    try run(Self.packages, importer(batch: batch))
    #expect(
      store.dependencies == ["a": ["b", "c"], "b": ["c", "a"], "c": [], "d": ["d", "a"]]
    )
    let rows = store.rows.values
    let source = rows.first { $0.values["name"] == .string("a") }?.values["source"]?.int64
    #expect(source.flatMap { store.rows[$0]?.values["name"] } == .string("c"))
  }

  @Test(arguments: [1, 2, 100])
  func `a row waits for what it can't be without`(batch: Int) throws {
    let lines = [
      #"{"label":"leaf","parent":"middle"}"#, #"{"label":"middle","parent":"root"}"#,
      #"{"label":"root","parent":"root"}"#,
    ]
    try run(lines, of: "Node", importer(batch: batch))
    #expect(store.rows.count == 3)
    for (label, parent) in [("leaf", "middle"), ("middle", "root"), ("root", "root")] {
      let row = store.rows.values.first { $0.values["label"] == .string(label) }
      let identifier = row?.values["parent"]?.int64
      #expect(identifier.flatMap { store.rows[$0]?.values["label"] } == .string(parent))
    }
  }

  @Test func `a row that is there is found`() throws {
    store.rows[7] = .init(entity: "Package", values: ["name": .string("libc")])
    try run([#"{"name":"x","depends":["libc"]}"#], importer())
    #expect(store.dependencies["x"] == ["libc"])
    #expect(store.saves == 1)
  }

  @Test(arguments: [1, 100])
  func `rows inside of rows are stored once for each key`(batch: Int) throws {
    let lines = [
      #"{"name":"a","maintainer":{"email":"m@x","name":"M"}}"#,
      #"{"name":"b","maintainer":{"email":"m@x"}}"#, #"{"name":"c","maintainer":"m@x"}"#,
      #"{"name":"d","depends":[{"name":"e","maintainer":{"email":"n@x"}},"a"]}"#,
    ]
    try run(lines, importer(batch: batch))
    let emails = store.rows.values.filter { $0.entity == "Maintainer" }
      .compactMap { $0.values["email"]?.string }.sorted()
    #expect(emails == ["m@x", "n@x"])
    #expect(store.dependencies["d"] == ["e", "a"])
    let maintainers = store.rows.values.filter { $0.values["maintainer"] != nil }
    #expect(maintainers.count == 4)
  }

  @Test(arguments: [1, 100])
  func `what stands inside of a row that is there already is left out with it`(batch: Int) throws {
    let lines = [
      #"{"name":"a","maintainer":"m@x","depends":[{"name":"b","maintainer":{"email":"m@x"}}]}"#,
      #"{"name":"c","maintainer":"m@x","depends":[{"name":"b","maintainer":{"email":"o@x"}}]}"#,
    ]
    try run(lines, importer(batch: batch))
    let emails = store.rows.values.filter { $0.entity == "Maintainer" }
      .compactMap { $0.values["email"]?.string }
    #expect(emails == ["m@x"])
    #expect(store.dependencies == ["a": ["b"], "b": [], "c": ["b"]])
  }

  @Test func `a batch ends when it is large`() throws {
    let text = String(repeating: "x", count: Importer.batchBytes / 2)
    let lines = (0..<5).map { #"{"name":"\#($0)\#(text)"}"# }
    try run(lines, importer())
    #expect(store.rows.count == 5)
    #expect(store.saves == 3)
  }

  @Test func `numbers are identifiers unless a key is named`() throws {
    store.rows[7] = .init(entity: "Package", values: ["name": .string("libc")])
    try run([#"{"name":"x","depends":[7]}"#], importer())
    #expect(store.dependencies["x"] == ["libc"])
    #expect(throws: DepotError.self) {
      try run([#"{"name":"y","depends":[7]}"#], links: ["depends=Package.name"], importer())
    }
  }

  @Test func `what leads nowhere is told with its line, and the rest is linked`() throws {
    let folder = try TemporaryFolder()
    let rejects = try RejectsFile(path: folder.path + "/r", source: "/dev/null")
    let lines = [#"{"name":"a","depends":["b","zz"]}"#, #"{"name":"b"}"#]
    let importer = importer(rejects: rejects)
    try run(lines, rejects: rejects, importer)
    #expect(store.dependencies == ["a": ["b"], "b": []])
    #expect(importer.outcome == .init(inserted: 2, unlinked: 1))
    #expect(importer.outcome.rows == 2)
    let text = try String(contentsOfFile: folder.path + "/r", encoding: .utf8)
    let reject = try JSONValue(parsing: text.dropLast().utf8)
    #expect(reject["line"] == .int64(1))
    let message = reject["error"]?["message"]?.string ?? ""
    #expect(message.hasPrefix(#"There is no Package whose name is "zz"."#))
    #expect(message.hasSuffix("The record is stored without this link, as Package/1."))
  }

  @Test func `a record whose link is known to lead nowhere isn't stored`() throws {
    let folder = try TemporaryFolder()
    let rejects = try RejectsFile(path: folder.path + "/r", source: "/dev/null")
    let key = try NaturalKey("Package.name", GraphFixture.schema)
    let importer = importer(rejects: rejects) { $0.missing = [key: [.string("zz")]] }
    try run([#"{"name":"a","depends":["b","zz"]}"#, #"{"name":"b"}"#], rejects: rejects, importer)
    #expect(store.dependencies == ["b": []])
    #expect(importer.outcome == .init(inserted: 1, rejected: 1))
  }

  @Test func `what leads nowhere ends the import without rejects, or is left out`() throws {
    let lines = [#"{"name":"a","depends":["zz"]}"#]
    let error = #expect(throws: DepotError.self) { try run(lines, importer()) }
    #expect(error?.at == "line 1, depends")
    store.rows = [:]
    try run(lines, importer { $0.ignoresMissing = true })
    #expect(store.dependencies == ["a": []])
  }

  @Test func `a bad row among many is found`() throws {
    let folder = try TemporaryFolder()
    let rejects = try RejectsFile(path: folder.path + "/r", source: "/dev/null")
    let lines = (0..<50).map { #"{"name":"\#($0 == 33 ? 7 : $0)","depends":["0"]}"# }
    let importer = importer(rejects: rejects)
    try run(lines, rejects: rejects, importer)
    #expect(store.dependencies.count == 49)
    #expect(importer.outcome.rejected == 1)
    store.rows = [:]
    let error = #expect(throws: DepotError.self) { try run(lines, self.importer()) }
    #expect(error?.at == "line 34")
  }

  @Test(arguments: seeds(60))
  func `an interrupted import goes on where it was`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let count = Int.random(in: 1...30, using: &generator)
    var expected: [String: [String]] = [:]
    let lines = (0..<count).map { index in
      let depends = (0..<Int.random(in: 0...4, using: &generator))
        .map { _ in "p\(Int.random(in: 0..<count, using: &generator))" }
      expected["p\(index)"] = depends
      return #"{"name":"p\#(index)","depends":\#(depends),"maintainer":{"email":"m\#(index % 3)"}}"#
    }
    let folder = try TemporaryFolder()
    let path = folder.path + "/journal"
    let batch = Int.random(in: 1...10, using: &generator)
    store.failures = (0..<12).map { _ in
      [nil, nil, .before, .after].randomElement(using: &generator) ?? nil
    }
    var isDone = false
    var attempts = 0
    while !isDone {
      attempts += 1
      try #require(attempts < 30)
      do {
        try attempt(lines, path, batch)
        isDone = true
      } catch let error as DepotError {
        #expect(error.code == .disconnected)
      }
    }
    #expect(store.dependencies == expected)
    #expect(store.rows.values.filter { $0.entity == "Maintainer" }.count == min(count, 3))
    // Once more changes nothing.
    store.failures = []
    let rows = store.rows
    try attempt(lines, path, batch)
    #expect(store.rows == rows)
  }

  private func attempt(_ lines: [String], _ path: String, _ batch: Int) throws {
    let (journal, history) = try ImportJournal.open(path: path, source: "s")
    let state = history?.files[""]
    var options = GraphImporter.Options()
    options.batch = batch
    options.keyPrefix = "k"
    let importer = GraphImporter(options, store, journal: journal)
    if let state { try importer.resume(state) }
    let handled = (state?.handled ?? []).union(state?.pending?.records ?? [])
    try run(lines, importer, skipping: handled)
  }

  @Test func `a journal may be cut in its last line, but is no other file`() throws {
    let whole = Array("{\"source\":\"s\"}\n{\"reject\":3}\n{\"end\":[1,".utf8)
    let state = try #require(try ImportJournal.read(whole, path: "j").files[""])
    #expect(state.handled == [3])
    #expect(state.outcome.rejected == 1)
    for text in ["", "x", "{\"a\":1}\n", "x\n{\"source\":\"s\"}\n"] {
      #expect(throws: DepotError.self) { try ImportJournal.read(Array(text.utf8), path: "j") }
    }
  }
}

@Suite struct ImportJournalTests {
  @Test func `a journal whose last line was cut is continued behind it`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/journal"
    try Data("{\"source\":\"s\"}\n{\"reject\":3}\n{\"reje".utf8).write(to: URL(filePath: path))
    try ImportJournal.open(path: path, source: "s").0.reject(4)
    let (journal, history) = try ImportJournal.open(path: path, source: "s")
    #expect(history?.files[""]?.handled == [3, 4])
    try journal.enter("B")
    try journal.reject(5)
    #expect(try ImportJournal.open(path: path, source: "s").1?.files["B"]?.handled == [5])
    let error = #expect(throws: DepotError.self) {
      try ImportJournal.open(path: path, source: "t")
    }
    #expect(error?.code == .usage)
  }
}

@Suite struct LinkRulesTests {
  @Test(arguments: [
    "depends", "depends=name", "depnds=Package.name", "depends=Pakage.name", "depends=Package.nme",
    "depends=Maintainer.email", "depends=Package.tags", "size=Package.name", "=Package.name",
  ])
  func `a rule must fit the schema`(text: String) throws {
    let schema = GraphFixture.schema
    #expect(throws: DepotError.self) {
      try LinkRules([text], of: schema.entity(named: "Package"), schema)
    }
  }

  @Test func `a misspelled relationship has a proposal`() throws {
    let schema = GraphFixture.schema
    let error = #expect(throws: DepotError.self) {
      try LinkRules(["depnds=Package.name"], of: schema.entity(named: "Package"), schema)
    }
    #expect(error?.hint == "Did you mean \"depends\"?")
  }

  static let cells: [(String, String)] = [
    ("name,depends\na,b; c ;;d\n", #"{"name":"a","depends":["b","c","d"]}"#),
    ("name,depends,source\na,,\n", #"{"name":"a","depends":[],"source":null}"#),
    ("name,tags,$id,size\na,x;y,9,\n", #"{"name":"a","tags":["x","y"],"size":null}"#),
    ("name,tags\na,\"[\"\"x;y\"\"]\"\n", #"{"name":"a","tags":["x;y"]}"#),
  ]

  @Test(arguments: cells)
  func `CSV has lists`(text: String, json: String) throws {
    let schema = GraphFixture.schema
    let entity = try schema.entity(named: "Package")
    var reader = DelimitedReader(delimiter: UInt8(ascii: ","))
    Array(text.utf8).withUnsafeBytes { reader.receive($0) }
    let rows = [reader.next(), reader.next()]
    let header = try #require(rows[0])
    let record = try #require(rows[1])
    let objects = try DelimitedObjects(
      DelimitedNames(header, InputForm()),
      of: entity,
      schema,
      LinkRules([], of: entity, schema),
      ImportStyle()
    )
    #expect(String(decoding: try objects.object(record), as: UTF8.self) == json)
  }
}
