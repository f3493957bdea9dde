import DepotProtocol
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
    #expect(throws: DepotError.self) { try read(#"{"options":"c"}"#) }
    #expect(throws: DepotError.self) { try read(#"{"==":[1,2],"!=":[1,2]}"#) }
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
