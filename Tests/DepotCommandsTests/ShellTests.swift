import DepotProtocol
import Testing

@testable import DepotCommands

@Suite struct ShellTests {
  static let lines: [(String, [[String]])] = [
    ("fetch Trip --limit 3", [["fetch", "Trip", "--limit", "3"]]),
    (#"count Trip -w "a == 'b c'" -q"#, [["count", "Trip", "-w", "a == 'b c'", "-q"]]),
    (#"a 'b\c"d' "e\"f\\g\h" i\ j"#, [["a", #"b\c"d"#, #"e"f\g\h"#, "i j"]]),
    ("a '' b''c", [["a", "", "bc"]]), ("  \n# a comment\na # b\nc#d", [["a"], ["c#d"]]),
    ("a \\\n b 'c\nd'\ne", [["a", "b", "c\nd"], ["e"]]), ("", []),
  ]

  @Test(arguments: lines)
  func `a line is divided as shells do`(line: String, commands: [[String]]) {
    #expect(CommandWords(line).commands == commands)
    #expect(!CommandWords(line).isIncomplete)
  }

  @Test(arguments: ["a 'b", "a \"b\\\"", "a \\"])
  func `a line may be incomplete`(line: String) {
    #expect(CommandWords(line).isIncomplete)
  }

  /// What stands before the cursor, what Tab types, and what it offers.
  static let completions: [(String, String, [String])] = [
    ("fe", "tch ", []), ("schema dia", "gram ", []), ("depot fe", "tch ", []),
    ("ex", "", ["exists", "export", "explain", "exit"]),
    ("fetch ", "", ["Trip", "Cruise", "Country", "Person"]), ("fetch Cr", "uise ", []),
    ("fetch Trip --sort na", "me ", []), ("fetch Trip --sort name,nig", "hts ", []),
    ("fetch Trip --sort name:d", "esc ", []), ("fetch Cruise --select na", "me ", []),
    ("fetch Trip --select country.co", "de ", []), ("fetch Trip --select country", ".", []),
    ("fetch Trip --select home.", "city ", []),
    ("fetch Trip -w \"nam", "e", []), ("fetch Trip -w \"name ", "", predicateOperators),
    ("fetch Trip -w \"name == 'x' A", "ND", []), ("fetch Trip -w \"country.tr", "ips", []),
    ("fetch Trip -w \"country.trips.@c", "ount", []), ("fetch Trip -w \"name beg", "inswith", []),
    ("fetch Trip -w \"SELF IS Cr", "uise", []), ("fetch Trip -w \"name == 'na", "", []),
    ("fetch Trip -w \"nights > 3", "", []), ("update Trip/3 nig", "hts=", []),
    ("import Trip da", "ta/", []), ("import Trip data/a", "\\ b.csv ", []),
    ("import Trip 'data/a", " b.csv' ", []), ("nothing x", "", []),
  ]

  private static let predicateOperators = [
    "==", "!=", "<", "<=", ">", ">=", "BEGINSWITH", "CONTAINS", "ENDSWITH", "LIKE", "MATCHES", "IN",
    "BETWEEN", "IS", "AND", "OR",
  ]

  @Test(arguments: completions)
  func `Tab completes from the schema`(head: String, insertion: String, choices: [String]) {
    let completion = ShellCompletion(
      head,
      of: .depot,
      schema: { _ in DiagramTests.schema },
      files: { $0 == "." ? ["data/", ".hidden", "other"] : ["a b.csv", "x"] }
    )
    #expect(completion.insertion == insertion)
    #expect(completion.choices == choices)
  }

  @Test func `choices stand in columns`() {
    let completion = ShellCompletion("fetch ", of: .depot) { _ in DiagramTests.schema }
    #expect(completion.text(width: 20) == "Trip     Country\nCruise   Person\n")
    #expect(completion.text(width: 5) == "Trip\nCruise\nCountry\nPerson\n")
  }

  @Test func `commands come in pieces`() {
    var lines = ShellLines()
    #expect(lines.receive(Array("count A\nfetch 'a".utf8)) == ["count A\n"])
    #expect(lines.receive(Array("\nb'\nx".utf8)) == ["fetch 'a\nb'\n"])
    #expect(lines.receive([]) == ["x\n"])
    #expect(lines.receive([]).isEmpty)
  }
}
