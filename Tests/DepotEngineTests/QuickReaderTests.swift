import DepotEngine
import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@Suite struct QuickReaderTests {
  private let fixture: ReaderFixture
  private let reader: QuickReader

  init() throws {
    let schema = Schema(entities: [
      ScalarEntity.entity,
      Entity(
        name: "Package",
        attributes: [
          Attribute(name: "name", type: .string, isUnique: true),
          Attribute(name: "size", type: .int64, isOptional: true),
          Attribute(name: "section", type: .string, isOptional: true, isIndexed: true),
        ]
      ),
    ])
    fixture = try ReaderFixture(schema)
    try fixture.insert(
      (1...20_000).map { .init([.string("p\($0)"), .int64($0 % 100), .string("s\($0 % 1000)")]) },
      into: "Package"
    )
    try fixture.insert([Self.thing, Array(repeating: .null, count: 9)], into: "Thing")
    reader = try QuickReader(path: fixture.path, budget: 10_000_000_000)
  }

  private static let thing: [Value] = [
    .string("a\"\u{0}é"), .int64(.min), .double(.nan), .bool(true),
    .date(Date(timeIntervalSinceReferenceDate: .nan)),
    .uuid(UUID(uuid: (0xAB, 0xCD, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 255))),
    .data(Data([251, 255, 0, 1])), .decimal(Decimal(string: "-12.50") ?? 0),
    .url(URL(filePath: "/x")),
  ]

  @Test func `get answers with columns, rows, and values of every type`() throws {
    let request = GetRequest(entity: "Thing", identifiers: [1, 2])
    let ok = try #require(try fixture.quick(.get(request), reader)?.first?["ok"])
    #expect(ok["columns"]?.array?.count == 11)
    let row = try #require(ok["rows"]?.array?.first?.array)
    #expect(row[0].int64 == 1)
    #expect(row[2].string == "a\"\u{0}é")
    #expect(row[3].int64 == .min)
    #expect(row[4].string == "NaN")
    #expect(row[5].bool == true)
    #expect(row[6]["referenceSeconds"]?.string == "NaN")
    #expect(row[7].string == "abcd0001-0203-0405-0607-08090a0b0cff")
    #expect(row[8].string == "+/8AAQ==")
    #expect(row[9].string == "-12.5")
    #expect(row[10].string == "file:///x")
    #expect(ok["rows"]?.array?.last?.array?.dropFirst(2).allSatisfy { $0 == .null } == true)
  }

  @Test func `a missing identifier is an error unless some may be missing`() throws {
    let error = #expect(throws: DepotError.self) {
      try fixture.quick(.get(GetRequest(entity: "Thing", identifiers: [1, 9])), reader)
    }
    #expect(error?.code == .objectNotFound)
    #expect(error?.details?["missing"]?.array == [.int64(9)])
    let partial = GetRequest(entity: "Thing", identifiers: [1, 9], allowsMissing: true)
    let ok = try fixture.quick(.get(partial), reader)?.first?["ok"]
    #expect(ok?["rows"]?.array?.count == 1)
    #expect(ok?["missing"]?.array == [.int64(9)])
  }

  @Test func `a short fetch is answered in one go, sorted and cut`() throws {
    let request = FetchRequest(
      entity: "Package",
      predicate: .comparison(.equal, .attribute("section"), .value(.string("s7"))),
      sort: [SortKey("size", descending: true), SortKey("name", descending: true)],
      limit: 2,
      offset: 1,
      select: ["name"]
    )
    let frames = try #require(try fixture.quick(.fetch(request), reader))
    #expect(frames.count == 2)
    #expect(frames[0]["columns"]?.array == ["$id", "$version", "name"].map(JSONValue.string))
    #expect(frames[0]["next"]?.array?.map { $0.array?.last?.string } == ["p8007", "p7007"])
    #expect(frames[1]["ok"]?["rows"]?.int64 == 2)
  }

  @Test func `no rows still name the columns`() throws {
    var request = FetchRequest(entity: "Thing", predicate: .value(.bool(false)))
    let frames = try #require(try fixture.quick(.fetch(request), reader))
    #expect(frames.count == 2)
    #expect(frames[0]["next"]?.array == [])
    request.namesColumns = false
    #expect(try fixture.quick(.fetch(request), reader)?.count == 1)
  }

  @Test func `long reads are handed back with nothing appended`() throws {
    let scan = QueryExpression.text(
      .contains,
      .attribute("name"),
      .value(.string("zzz")),
      options: .caseInsensitive
    )
    let reader = try QuickReader(path: fixture.path)
    let count = CountRequest(entity: "Package", predicate: scan)
    #expect(try fixture.quick(.count(count), reader) == nil)
    #expect(try fixture.quick(.fetch(FetchRequest(entity: "Package")), reader) == nil)
    let slow = QueryExpression.text(.matches, .attribute("name"), .value(.string("x")))
    let fetch = FetchRequest(entity: "Thing", predicate: .not(.and([slow.onThing, slow.onThing])))
    #expect(try fixture.quick(.fetch(fetch), reader) == nil)
    let few = FetchRequest(entity: "Package", limit: 3, batch: 2)
    #expect(try fixture.quick(.fetch(few), reader) == nil)
  }

  @Test func `a read goes on beyond its budget while it is alone and nobody waits`() throws {
    final class Loop {
      var isAwaited = false
      var questions = 0
    }
    let loop = Loop()
    let reader = try QuickReader(path: fixture.path, budget: 0, patience: 60_000_000_000) {
      loop.questions += 1
      return loop.isAwaited
    }
    func isQuick(_ size: Int64, isAlone: Bool) throws -> Bool {
      let scan = QueryExpression.comparison(.equal, .attribute("size"), .value(.int64(size)))
      var writer = JSONWriter()
      return try reader.perform(
        .count(CountRequest(entity: "Package", predicate: scan)),
        catalog: fixture.catalog,
        control: CallControl(),
        reply: ReplyWriter(id: 1, framing: .lines, int64: .number),
        isAlone: isAlone,
        into: &writer
      )
    }
    #expect(try isQuick(1, isAlone: true))
    #expect(loop.questions > 0)
    // What is long among others is still tried when it is alone.
    #expect(try !isQuick(1, isAlone: false))
    #expect(try isQuick(1, isAlone: true))
    // What others had to wait for isn't tried again soon.
    loop.isAwaited = true
    #expect(try !isQuick(1, isAlone: true))
    loop.isAwaited = false
    #expect(try !isQuick(1, isAlone: true))
    // It gets another try, for it may have been long only because its pages had to be read.
    #expect(try isQuick(1, isAlone: true))
  }

  @Test func `a read leaves no snapshot open`() throws {
    let request = Operation.count(CountRequest(entity: "Thing"))
    #expect(try fixture.quick(request, reader)?.first?["ok"]?["count"]?.int64 == 2)
    try fixture.writer.execute("DELETE FROM e_Thing WHERE id = 2")
    #expect(try fixture.quick(request, reader)?.first?["ok"]?["count"]?.int64 == 1)
    var busy: Int64 = 1
    try fixture.writer.statement("PRAGMA wal_checkpoint(TRUNCATE)").run { busy = $0.integer(0) }
    #expect(busy == 0)
  }

  @Test func `the reads of a batch share a snapshot, and its end gives it back`() throws {
    let count = Operation.count(CountRequest(entity: "Thing"))
    let get = Operation.get(GetRequest(entity: "Thing", identifiers: [1, 2]))
    reader.beginBatch()
    for _ in 0..<2 { #expect(try fixture.quick(count, reader)?.first?["ok"]?["count"]?.int64 == 2) }
    try fixture.writer.execute("DELETE FROM e_Thing")
    #expect(try fixture.quick(get, reader)?.first?["ok"]?["rows"]?.array?.count == 2)
    #expect(try fixture.quick(count, reader)?.first?["ok"]?["count"]?.int64 == 2)
    reader.endBatch()
    #expect(try fixture.quick(count, reader)?.first?["ok"]?["count"]?.int64 == 0)
    var busy: Int64 = 1
    try fixture.writer.statement("PRAGMA wal_checkpoint(TRUNCATE)").run { busy = $0.integer(0) }
    #expect(busy == 0)
  }

  @Test func `a used up budget doesn't keep a batch from beginning or ending`() throws {
    let hasty = try QuickReader(path: fixture.path, budget: 0)
    let scan = Operation.count(
      CountRequest(
        entity: "Package",
        predicate: .comparison(.equal, .attribute("size"), .value(.int64(1)))
      )
    )
    let get = Operation.get(GetRequest(entity: "Thing", identifiers: [2], allowsMissing: true))
    for rows in [1, 0] {
      hasty.beginBatch()
      #expect(try fixture.quick(scan, hasty) == nil)
      #expect(try fixture.quick(get, hasty)?.first?["ok"]?["rows"]?.array?.count == rows)
      try fixture.writer.execute("DELETE FROM e_Thing WHERE id = 2")
      hasty.endBatch()
    }
  }

  @Test func `a used up budget doesn't keep a get from being prepared`() throws {
    let hasty = try QuickReader(path: fixture.path, budget: 0)
    for number in 0..<100 { try fixture.writer.execute("CREATE TABLE extra\(number)(id INTEGER)") }
    // The first finds that the tables have changed, and may give up while it reads anew what they
    // are; then that is left to the preparation of the second.
    _ = try fixture.quick(.get(GetRequest(entity: "Thing", identifiers: [2])), hasty)
    let get = Operation.get(GetRequest(entity: "Package", identifiers: [2]))
    #expect(try fixture.quick(get, hasty)?.first?["ok"]?["rows"]?.array?.count == 1)
  }

  @Test func `a row with a value that its type can't have is named`() throws {
    try fixture.writer.execute("UPDATE e_Thing SET a_uuid = x'07' WHERE id = 1")
    try fixture.writer.execute("UPDATE e_Package SET a_name = CAST(x'61ff' AS TEXT) WHERE id = 6")
    let corrupt = #expect(throws: DepotError.self) {
      try fixture.quick(.get(GetRequest(entity: "Thing", identifiers: [1])), reader)
    }
    #expect(corrupt?.code == .corrupt)
    #expect(corrupt?.message.contains("Thing/1 is damaged. Its uuid") == true)
    let invalid = #expect(throws: DepotError.self) {
      try fixture.quick(.get(GetRequest(entity: "Package", identifiers: [6])), reader)
    }
    #expect(invalid?.code == .invalidText)
    #expect(invalid?.message.contains("name of Package/6") == true)
  }

  @Test func `explain tells the plan and advises`() throws {
    let request = FetchRequest(
      entity: "Package",
      predicate: .comparison(.greater, .attribute("size"), .value(.int64(9)))
    )
    let ok = try #require(
      try fixture.quick(.explain(ExplainRequest(request)), reader)?.first?["ok"]
    )
    #expect(ok["fullScan"]?.bool == true)
    #expect(ok["advice"]?.string?.contains("size") == true)
    #expect(ok["predicate"]?[">"]?.array?.count == 2)
    let served = FetchRequest(
      entity: "Package",
      predicate: .comparison(.equal, .attribute("section"), .value(.string("x")))
    )
    let good = try #require(
      try fixture.quick(.explain(ExplainRequest(served)), reader)?.first?["ok"]
    )
    #expect(good["fullScan"]?.bool == false)
    #expect(good["uses"]?.array == [.string("i_Package_section")])
    #expect(good["advice"] == nil)
  }

  @Test func `integers become strings for clients that ask for it`() throws {
    let request = GetRequest(entity: "Package", identifiers: [3], namesColumns: false)
    let answer = try #require(try reader.answer(.get(request), fixture.catalog, int64: .string))
    #expect(
      String(decoding: answer, as: UTF8.self)
        == "{\"id\":1,\"ok\":{\"rows\":[[\"3\",\"1\",\"p3\",\"3\",\"s3\"]]}}\n"
    )
  }
}

extension QueryExpression {
  /// The same test of an attribute that the other entity has.
  fileprivate var onThing: QueryExpression {
    guard case .text(let test, _, let pattern, let options) = self else { return self }
    return .text(test, .attribute("string"), pattern, options: options)
  }
}
