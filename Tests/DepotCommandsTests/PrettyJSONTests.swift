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

  @Test(arguments: ["1", "\"a\"", "[]", "{}", "[1]", "{\"a\":{}}", "[[],[{}],\"]\"]"])
  func `the value stays the same`(json: String) throws {
    let pretty = PrettyJSON.text(of: json)
    #expect(try JSONValue(parsing: Array(pretty.utf8)) == JSONValue(parsing: Array(json.utf8)))
  }
}
