import DepotProtocol
import FoundationEssentials
import Testing

@testable import DepotCommands

@Suite struct RequestTests {
  private func parse(_ line: String) throws -> Invocation {
    try ArgumentParser.parse(CommandWords(line).commands[0], of: .depot)
  }

  @Test func `a fetch says all that a request can`() throws {
    let request = try FetchVerb.request(
      parse(
        """
        fetch Trip -w 'price > $least AND name IN $names' --bind least:=3 --bind 'names:=["a","b"]' \
        --sort country.name:desc --limit 5 --offset 2 --select name,country.name --distinct \
        --no-subentities --subentity-columns --prefetch country,tags.owner --prefetch guide \
        --after '["x",null,42]' --section-by country.name
        """
      )
    )
    #expect(
      request
        == FetchRequest(
          entity: "Trip",
          predicate: .and([
            .comparison(.greater, .attribute("price"), .value(.int64(3))),
            .in(.attribute("name"), [.value(.string("a")), .value(.string("b"))]),
          ]),
          includesSubentities: false,
          sort: [SortKey("country.name", descending: true)],
          limit: 5,
          offset: 2,
          after: [.string("x"), .null, .int64(42)],
          select: ["name", "country.name"],
          includesSubentityColumns: true,
          isDistinct: true,
          prefetch: ["country", "tags.owner", "guide"],
          sectionBy: "country.name"
        )
    )
  }

  @Test(arguments: ["42", "Trip/42", "[42]"])
  func `the place of a row may be its identifier`(text: String) throws {
    #expect(try Selection.place(text) == [.int64(42)])
  }

  @Test(arguments: ["x", "[]", #"["x"]"#, #"{"a":1}"#, "[{},1]"])
  func `what is no place is refused`(text: String) {
    #expect(throws: DepotError.self) { try Selection.place(text) }
  }

  @Test func `groups are by paths and aggregates, which get names`() throws {
    let request = try AggregateVerb.request(parse("aggregate Trip --by a.b,tags.@count"))
    #expect(
      request.keys == [
        .init(name: "a.b", expression: .attribute("a.b")),
        .init(name: "tags_count", expression: .aggregate(.count, .attribute("tags"))),
      ]
    )
  }

  @Test func `a predicate may be an operand`() throws {
    let request = try Selection.count(parse("exists Trip 'price == $p' --bind p=x"))
    #expect(
      request.predicate == .comparison(.equal, .attribute("price"), .value(.string("x")))
    )
    #expect(throws: DepotError.self) {
      try Selection.count(parse("count Trip 'price == 1' -w 'price == 2'"))
    }
  }

  @Test(arguments: [
    "count Trip -w 'a == $b'", "count Trip --bind a=1", "count Trip -w 'a == $b' --bind b",
    "count Trip -w 'a == $b' --bind b:={}", "count Trip -w 'a == $b' --bind b=1 --bind b=2",
  ])
  func `bindings must fit`(line: String) {
    #expect(throws: DepotError.self) { try Selection.count(parse(line)) }
  }

  @Test func `an aggregate has groups and values`() throws {
    let request = try AggregateVerb.request(
      parse(
        """
        aggregate Package --by section,maintainer.name --by 'big=size > 10' --value n=count \
        --value 'total=sum(size * 2)' --value 'countdistinct(home.name)' --having 'n > 1' --sort n:desc \
        --limit 3 --offset 1
        """
      )
    )
    #expect(request.keys.map(\.name) == ["section", "maintainer.name", "big"])
    #expect(request.keys[1].expression == .attribute("maintainer.name"))
    #expect(
      request.keys[2].expression
        == .comparison(.greater, .attribute("size"), .value(.int64(10)))
    )
    #expect(
      request.values == [
        .init(name: "n", .count),
        .init(
          name: "total",
          .sum,
          of: .arithmetic(.multiply, .attribute("size"), .value(.int64(2)))
        ),
        .init(name: "countDistinct_home_name", .countDistinct, of: .attribute("home.name")),
      ]
    )
    #expect(
      request.having == .comparison(.greater, .attribute("n"), .value(.int64(1)))
    )
    #expect(request.sort == [SortKey("n", descending: true)])
    #expect(request.limit == 3 && request.offset == 1)
    #expect(
      try AggregateVerb.request(parse("aggregate P")).values == [.init(name: "count", .count)]
    )
  }

  @Test(arguments: ["sum", "n=sum()", "n=sume(size)", "n=sum(size"])
  func `what is no aggregate is refused`(value: String) {
    #expect(throws: DepotError.self) {
      try AggregateVerb.request(parse("aggregate P --value '\(value)'"))
    }
  }

  @Test func `the functions are named to who names none of them`() throws {
    let error = #expect(throws: DepotError.self) {
      try AggregateVerb.request(parse("aggregate P --value 'n=foo(size)'"))
    }
    #expect(error?.hint?.contains("median") == true)
  }

  @Test func `a computation has a path and an expression`() throws {
    var bindings = try Bindings(Invocation())
    let computation = try UpdateVerb.computation("home.price = price * 2", &bindings)
    #expect(
      computation
        == .init(
          "home.price",
          .arithmetic(.multiply, .attribute("price"), .value(.int64(2)))
        )
    )
    #expect(throws: DepotError.self) { try UpdateVerb.computation("price", &bindings) }
  }

  @Test func `a save is read from a file, whose errors name the place`() throws {
    let text = ##"{"insert":[{"entity":"City","columns":["$id","name"],"rows":[["#c","Rome"]]}]}"##
    guard case .save(let request) = try SaveVerb.operation(Array(text.utf8), "f") else {
      Issue.record("no save")
      return
    }
    #expect(request.inserts.map(\.entity) == ["City"])
    let wrong = #"{"insert":[{"entity":"City","columns":[],"rows":1}]}"#
    let error = #expect(throws: DepotError.self) {
      try SaveVerb.operation(Array(wrong.utf8), "f.json")
    }
    #expect(error?.at == "f.json: /insert/0/rows")
    #expect(throws: DepotError.self) { try SaveVerb.operation(Array("{},{}".utf8), "f") }
    let empty = #expect(throws: DepotError.self) { try SaveVerb.operation([], "f") }
    #expect(empty?.message.contains("at byte 0") == true)
  }
}
