import DepotProtocol
import Testing

@testable import DepotCommands

@Suite struct PrettyJSONTests {
  @Test func `short containers stay in one line and long ones don't`() {
    let json =
      #"{"a":[1,2],"b":{"c":"x: y, \"z\"","d":[]},"e":"\#(String(repeating: "x", count: 80))"}"#
    #expect(
      PrettyJSON.text(of: json) == """
        {
          "a": [1, 2],
          "b": {
            "c": "x: y, \\"z\\"",
            "d": []
          },
          "e": "\(String(repeating: "x", count: 80))"
        }
        """
    )
  }

  @Test(arguments: 1...60)
  func `no line with a short container is wider than a terminal`(count: Int) throws {
    let word = String(repeating: "x", count: count)
    let member = #"{"\#(word)":["a","b"],"y":{"z":[{"\#(word)":1},2,{"z":"\#(word)"}]}}"#
    let pretty = PrettyJSON.text(of: "{\"a\":[\(member),\(member)]}")
    #expect(pretty.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(pretty)")
  }

  @Test(arguments: ["1", "\"a\"", "[]", "{}", "[1]", "{\"a\":{}}", "[[],[{}],\"]\"]"])
  func `the value stays the same`(json: String) throws {
    let pretty = PrettyJSON.text(of: json)
    #expect(try JSONValue(parsing: Array(pretty.utf8)) == JSONValue(parsing: Array(json.utf8)))
  }
}
