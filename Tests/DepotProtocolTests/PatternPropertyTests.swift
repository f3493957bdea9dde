import TestSupport
import Testing

@testable import DepotProtocol

/// Random patterns against the standard library's regular expressions, which backtrack.
@Suite struct PatternPropertyTests {
  private struct Generator {
    var random: SeededGenerator

    mutating func pick<Element>(_ choices: [Element]) -> Element {
      choices[Int.random(in: 0..<choices.count, using: &random)]
    }

    mutating func pattern(_ depth: Int) -> String {
      let branches = (0..<pick([1, 1, 1, 2, 3])).map { _ in
        (0..<pick([0, 1, 2, 2, 3])).map { _ in part(depth) }.joined()
      }
      return branches.joined(separator: "|")
    }

    private mutating func part(_ depth: Int) -> String {
      let assertions = ["^", "$", #"\A"#, #"\z"#, #"\Z"#]
      if Int.random(in: 0..<12, using: &random) == 0 { return pick(assertions) }
      let atom = atom(depth)
      // The standard library ends a repetition at the first part that is empty.
      if (try? TextPattern(atom).matches("")) != false { return atom + pick(["", "?"]) }
      return atom + pick(["", "", "", "*", "+", "?", "*?", "{2}", "{1,2}", "{0,3}", "{2,}"])
    }

    private mutating func atom(_ depth: Int) -> String {
      if depth > 0, Bool.random(using: &random) {
        return pick([
          "(", "(?:", "(?i:", "(?s:", "(?m:", "(?<g\(Int.random(in: 0..<1 << 30, using: &random))>",
        ])
          + pattern(depth - 1) + ")"
      }
      return pick([
        "a", "b", "c", "A", "1", "-", ".", #"\d"#, #"\w"#, #"\W"#, #"\s"#, #"\S"#, "[ab]", "[^a]",
        "[a-c]",
        "[a-c&&[^b]]", #"[\d_]"#, "[[:alpha:]]", "[[:upper:]]", #"\n"#, #"\x61"#, #"\."#,
        #"\p{Lu}"#,
        #"\p{N}"#, "[a-z--[b]]", "[A-C]",
      ])
    }

    mutating func text() -> String {
      (0..<Int.random(in: 0...6, using: &random))
        .map { _ in pick(["a", "a", "b", "b", "c", "A", "B", "1", "-", "_", " ", "\n", "."]) }
        .joined()
    }
  }

  @Test(arguments: seeds(8))
  func `random patterns match what the standard library's do`(seed: UInt64) throws {
    var generator = Generator(random: SeededGenerator(seed: seed))
    for _ in 0..<400 {
      let pattern = generator.pattern(2)
      let ours = try TextPattern(pattern)
      let theirs = try Regex(pattern)
      for _ in 0..<12 {
        let text = generator.text()
        let expected = try theirs.wholeMatch(in: text) != nil
        #expect(
          ours.matches(text) == expected,
          "\(pattern.debugDescription) \(text.debugDescription)"
        )
      }
    }
  }
}
