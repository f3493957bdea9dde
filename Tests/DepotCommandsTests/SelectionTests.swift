import DepotProtocol
import Testing

@testable import DepotCommands

@Suite struct SelectionTests {
  @Test func `keys to sort by have an order`() throws {
    var bindings = try Bindings(Invocation())
    #expect(
      try Selection.sortKeys("name, size:desc,$id:asc", &bindings)
        == [SortKey("name"), SortKey("size", descending: true), SortKey("$id")]
    )
    #expect(
      try Selection.sortKeys("country.name:localized,title:desc:localized", &bindings) == [
        SortKey("country.name", localized: true),
        SortKey("title", descending: true, localized: true),
      ]
    )
    #expect(
      try Selection.sortKeys("rank():desc,size * 2,TERNARY(a == 'x,y', 1, 2):asc", &bindings).map {
        [String(describing: $0.expression).prefix(4) == "attr", $0.isDescending]
      } == [[false, true], [false, false], [false, false]]
    )
  }

  @Test func `rows are sorted by aggregates as predicates write them`() throws {
    var bindings = try Bindings(Invocation())
    #expect(
      try Selection.sortKeys("cities.@count:desc,cities.@max.population,tags[0]", &bindings) == [
        SortKey(.aggregate(.count, .attribute("cities")), descending: true),
        SortKey(try bindings.expression("cities.@max.population")),
        SortKey(try bindings.expression("tags[0]")),
      ]
    )
  }

  @Test(arguments: ["", "name:up", "a,,b", ":desc", "a:asc:desc", "a:desc:desc"])
  func `what is no key to sort by is refused`(text: String) {
    #expect(throws: DepotError.self) {
      var bindings = try Bindings(Invocation())
      return try Selection.sortKeys(text, &bindings)
    }
  }

  @Test func `identifiers are read`() throws {
    let (entity, list) = try Selection.identifiers(["Package/42", "Package/-1"])
    #expect(entity == "Package")
    #expect(list == [42, -1])
  }

  @Test(arguments: [["42"], ["Package/"], ["/42"], ["Package/x"], ["Package/1", "Trip/2"]])
  func `what is no identifier is refused`(words: [String]) {
    #expect(throws: DepotError.self) { try Selection.identifiers(words) }
  }

  @Test func `all rows change only when asked for by name`() throws {
    var none = try Bindings(Invocation())
    let forgotten = try ArgumentParser.parse(["delete", "Package"], of: .depot)
    let error = #expect(throws: DepotError.self) {
      try Selection.changed(["Package"], forgotten, &none)
    }
    #expect(
      error?.hint == "Add --where PREDICATE, or for every row: depot delete Package --all"
    )
    let update = try ArgumentParser.parse(
      [
        "update", "Package", "size:=1", "name=it's a", "--compute", "n=n * 2",
      ],
      of: .depot
    )
    let other = #expect(throws: DepotError.self) {
      try Selection.changed(["Package"], update, &none)
    }
    #expect(
      other?.hint?.hasSuffix(
        #"depot update Package --all size:=1 'name=it'\''s a' --compute 'n=n * 2'"#
      ) == true
    )
    let all = try ArgumentParser.parse(["delete", "Package", "--all"], of: .depot)
    #expect(try Selection.changed(["Package"], all, &none).rows == .predicate(.and([])))
  }
}
