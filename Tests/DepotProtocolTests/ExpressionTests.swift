import DepotProtocol
import Foundation
import TestSupport
import Testing

@Suite struct ExpressionTests {
  private func read(_ json: String) throws -> QueryExpression {
    try QueryExpression(JSONDocument(Array(json.utf8)).root)
  }

  @Test func `every tree is read as it is written`() throws {
    var generator = SeededGenerator(seed: 10)
    for _ in 0..<5000 {
      // A string by itself would be a predicate in the format language.
      let json = QueryExpression.not(generator.expression(depth: 5)).json
      let again = try read(json).json
      if again != json { Issue.record("\(json) became \(again)") }
    }
  }

  @Test func `a whole number beyond an int64 keeps all of its digits`() throws {
    let greatest = QueryExpression.value(.decimal(Decimal(UInt64.max)))
    #expect(try read("18446744073709551615") == greatest)
    #expect(
      try read(#"{"value":[1,18446744073709551615],"list":true}"#)
        == .value(.list([.int64(1), .decimal(Decimal(UInt64.max))]))
    )
    #expect(try read("-9223372036854775808") == .value(.int64(.min)))
    #expect(try read("1e19") == .value(.double(1e19)))
    let tooLong = String(repeating: "9", count: 60)
    #expect(try read(tooLong) == .value(.double(1e60)))
  }

  static let golden = [
    #"{"attribute":"a"}"#, #"{"now":true}"#, "1", "1.0", "-0.0", "true", "null",
    #"{"==":[{"attribute":"a"},"x"],"options":"cd"}"#, #"{"!=":[1,2]}"#, #"{"<=":[1,2]}"#,
    #"{"contains":["a","b"]}"#, #"{"begins":["a","b"],"options":"c"}"#,
    #"{"ends":["a","b"],"options":"d"}"#,
    #"{"like":["a","b"]}"#, #"{"matches":["a","b"]}"#, #"{"between":[1,0,2]}"#,
    #"{"in":[1,[1,2]],"options":"c"}"#,
    #"{"and":[true,{"or":[]},{"not":false}]}"#,
    #"{"+":[1,{"-":[2,{"*":[3,{"/":[4,{"negate":5}]}]}]}]}"#,
    #"{"value":"2026-01-01T00:00:00Z","type":"date"}"#, #"{"value":"NaN","type":"double"}"#,
    #"{"value":{"referenceSeconds":1.25e-10},"type":"date"}"#, #"{"value":"1.5","type":"decimal"}"#,
    #"{"value":{"a":[1]},"type":"json"}"#, #"{"value":"x","type":"json"}"#,
    #"{"value":[],"list":true}"#, #"{"value":[1,"x",null,1.5],"list":true}"#,
    #"{"value":["1.5",null],"type":"decimal","list":true}"#,
    #"{"value":[1,{"value":"NaN","type":"double"}],"list":true}"#,
    #"{"in":[1,{"value":["1.5",null],"type":"decimal","list":true}]}"#,
    #"{"in":[1,[{"attribute":"a"},{"value":"1.5","type":"decimal"}]],"options":"dnl"}"#,
    #"{"attribute":"a.b.$id"}"#, #"{"variable":"SELF"}"#,
    #"{"member":[{"variable":"SELF"},"a.b"]}"#, #"{"%":[1,{"**":[2,3]}]}"#,
    #"{"search":"x y"}"#, #"{"search":"x","in":["a","b.c"]}"#,
    #"{"is":{"variable":"SELF"},"entity":"Trip"}"#, #"{"as":{"attribute":"a"},"entity":"Trip"}"#,
    #"{"convert":1,"type":"string"}"#, #"{"if":[true,1,2]}"#, #"{"coalesce":[null,1]}"#,
    #"{"uppercase":["x"]}"#, #"{"random":[]}"#, #"{"json":[{"attribute":"a"},"k"]}"#,
    #"{"any":[{"attribute":"a"},{"==":[{"variable":"x"},1]}],"variable":"x"}"#,
    ##"{"all":[{"attribute":"a"},{"member":[{"variable":"#1"},"b"]}],"variable":"#1"}"##,
    #"{"none":[{"attribute":"a"},true],"variable":"x"}"#,
    #"{"filter":[{"attribute":"a"},{"variable":"x"}],"variable":"x"}"#,
    #"{"countDistinct":{"attribute":"a"}}"#, #"{"stddev":{"value":[1],"list":true}}"#,
    #"{"has":[{"attribute":"a"},1]}"#, #"{"element":[{"attribute":"a"},-1]}"#,
    #"{"slice":[{"attribute":"a"},0,2]}"#,
  ]

  @Test(arguments: golden)
  func `the JSON form of every node is pinned`(json: String) throws {
    #expect(try read(json).json == json)
  }

  @Test func `the members of an operation have no order`() throws {
    #expect(
      try read(#"{"type":"date","value":"2026-01-01T00:00:00Z"}"#)
        == read(#"{"value":"2026-01-01T00:00:00Z","type":"date"}"#)
    )
    #expect(
      try read(#"{"options":"c","==":["a","b"]}"#) == read(#"{"==":["a","b"],"options":"c"}"#)
    )
    #expect(
      try read(#"{"in":["a"],"search":"x"}"#) == read(#"{"search":"x","in":["a"]}"#)
    )
    #expect(
      try read(#"{"variable":"x","any":[{"attribute":"a"},{"variable":"x"}]}"#)
        == .quantified(.any, .attribute("a"), "x", .variable("x"))
    )
    #expect(throws: DepotError.self) { try read(#"{"options":"c"}"#) }
    #expect(throws: DepotError.self) { try read(#"{"==":[1,2],"!=":[1,2]}"#) }
  }

  static let malformed: [(String, String)] = [
    (#"{"attribute":"a b"}"#, "/attribute"), (#"{"attribute":""}"#, "/attribute"),
    (#"{"attribute":"a..b"}"#, "/attribute"), (#"{"attribute":"$id.a"}"#, "/attribute"),
    (#"{"variable":"x"}"#, "/variable"), (#"{"now":false}"#, "/now"),
    (#"{"member":[1]}"#, "/member"), (#"{"is":1}"#, ""), (#"{"is":1,"entity":"a b"}"#, "/entity"),
    (#"{"convert":1}"#, ""), (#"{"convert":1,"type":"json"}"#, "/type"),
    (#"{"value":1,"type":"composite"}"#, "/type"), (#"{"coalesce":[]}"#, "/coalesce"),
    (#"{"if":[1,2]}"#, "/if"), (#"{"uppercase":[1,2]}"#, "/uppercase"),
    (#"{"any":[{"attribute":"a"},true]}"#, ""),
    (#"{"any":[1,true],"variable":"x"}"#, "/any/0"), (#"{"count":"x"}"#, "/count"),
    (#"{"has":[1,2]}"#, "/has/0"), (#"{"slice":[{"attribute":"a"},2,1]}"#, "/slice"),
    (#"{"slice":[{"attribute":"a"},-1,1]}"#, "/slice"),
    (#"{"any":[{"attribute":"a"},true],"variable":"id"}"#, "/variable"),
    (##"{"any":[{"attribute":"a"},true],"variable":"#x"}"##, "/variable"),
    (#"{"any":[{"variable":"x"},true],"variable":"x"}"#, "/any/0/variable"),
    (#"{"in":[1,{"attribute":"a"}]}"#, "/in/1"), (#"{"in":[1]}"#, "/in"),
    (#"{"value":[{"value":[],"list":true}],"list":true}"#, "/value/0"),
    (#"{"search":"x","in":["a b"]}"#, "/in/0"), (#"{"==":[1,2],"options":"cz"}"#, "/options"),
  ]

  @Test(arguments: malformed)
  func `what isn't an expression is refused at its place`(json: String, pointer: String) throws {
    let error = try #require(throws: DepotError.self) { try read(json) }
    #expect(error.code == .predicate)
    #expect(error.at == pointer)
  }

  @Test func `the constants of lists aren't nodes but have a limit of their own`() throws {
    func list(_ count: Int) -> String {
      "[" + Array(repeating: "7", count: count).joined(separator: ",") + "]"
    }
    let limit = Limits.listElements
    for json in [
      "{\"in\":[1,\(list(limit))]}", "{\"in\":[1,{\"value\":\(list(limit)),\"list\":true}]}",
      "{\"value\":\(list(limit)),\"type\":\"int64\",\"list\":true}",
    ] { _ = try read(json) }
    for json in [
      "{\"in\":[1,\(list(limit + 1))]}",
      "{\"in\":[1,{\"value\":\(list(limit + 1)),\"list\":true}]}",
      "{\"or\":[{\"in\":[1,\(list(limit))]},{\"in\":[1,\(list(1))]}]}",
    ] {
      let error = try #require(throws: DepotError.self) { try read(json) }
      #expect(error.code == .predicateTooLarge)
    }
  }

  @Test func `a misspelt operator brings the nearest one`() throws {
    let error = try #require(throws: DepotError.self) { try read(#"{"contians":["a","b"]}"#) }
    #expect(error.hint == "Did you mean \"contains\"?")
  }

  @Test func `a text and its tree mean the same`() throws {
    #expect(
      try read(#""a CONTAINS[c] 'x'""#)
        == read(#"{"contains":[{"attribute":"a"},"x"],"options":"c"}"#)
    )
  }

  @Test func `nodes and levels are limited`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "{\"not\":", count: depth - 1) + "true"
        + String(repeating: "}", count: depth - 1)
    }
    func wide(_ count: Int) -> String {
      "{\"or\":[" + Array(repeating: "true", count: count - 1).joined(separator: ",") + "]}"
    }
    _ = try read(nested(Limits.predicateDepth))
    _ = try read(wide(Limits.predicateNodes))
    for json in [nested(Limits.predicateDepth + 1), wide(Limits.predicateNodes + 1)] {
      let error = try #require(throws: DepotError.self) { try read(json) }
      #expect(error.code == .predicateTooLarge)
    }
  }
}
