import DepotProtocol
import Testing

@testable import DepotCommands

@Suite struct SelectionTests {
  @Test func `keys to sort by have an order`() throws {
    #expect(
      try Selection.sortKeys("name, size:desc,$id:asc")
        == [SortKey("name"), SortKey("size", descending: true), SortKey("$id")]
    )
    #expect(
      try Selection.sortKeys("country.name:localized,title:desc:localized") == [
        SortKey("country.name", localized: true),
        SortKey("title", descending: true, localized: true),
      ]
    )
  }

  @Test(arguments: ["", "name:up", "a,,b", ":desc", "a:asc:desc", "a:desc:desc"])
  func `what is no key to sort by is refused`(text: String) {
    #expect(throws: DepotError.self) { try Selection.sortKeys(text) }
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
    let forgotten = try ArgumentParser.parse(["delete", "Package"])
    let error = #expect(throws: DepotError.self) {
      try Selection.changed(forgotten, entity: "Package", &none)
    }
    #expect(error?.hint == "For every row of Package: depot delete Package --all")
    let all = try ArgumentParser.parse(["delete", "Package", "--all"])
    #expect(try Selection.changed(all, entity: "Package", &none) == .predicate(.and([])))
  }
}
