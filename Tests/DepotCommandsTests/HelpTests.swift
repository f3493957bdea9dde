import DepotProtocol
import Testing

@testable import DepotCommands

@Suite struct HelpTests {
  static let widths = [40, 80, 100]

  /// All help texts of a width, without the examples and what else has lines of its own.
  private static func texts(_ width: Int) -> [String] {
    let help = Help(of: .depot, width: width)
    let groups = Set(VerbTable.depot.visible.filter { $0.words.count > 1 }.map { [$0.words[0]] })
    return [help.full] + HelpList.allCases.map(help.text) + VerbTable.depot.all.map(help.text)
      + groups.map(help.text) + HelpTopic.all.map(help.text)
  }

  @Test(arguments: widths)
  func `no line is wider than the terminal, except what is to be copied`(width: Int) {
    let code = HelpTopic.all.flatMap(\.parts).flatMap { part -> [Substring] in
      if case .code(let text) = part { return text.split(separator: "\n") }
      if case .examples(let examples) = part { return examples.map { $0.0[...] } }
      return []
    }
    for text in Self.texts(width) {
      var isExample = false
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        let isContinued = isExample
        let isFirst = line.hasPrefix("  depot ") || line.hasPrefix("  echo ")
        isExample = isFirst || isContinued && line.first == " "
        if isExample || isContinued || code.contains(where: { line.hasSuffix($0) }) { continue }
        let words = line.split(separator: " ")
        #expect(TextWidth.columns(String(line)) <= width || words.count == 1, "\(line)")
      }
    }
  }

  @Test(arguments: widths, VerbTable.depot.all.map(\.name))
  func `a shell reads an example as it was written`(width: Int, name: String) throws {
    let verb = try #require(VerbTable.depot.all.first { $0.name == name })
    for example in verb.examples {
      let text = TextFlow.command(example, width: width)
      #expect(CommandWords(text).commands == CommandWords(example).commands)
    }
  }

  @Test func `a long example is continued behind an option and its value`() {
    #expect(
      TextFlow.command("depot fetch Trip --where \"a == 'b c'\" --sort name -q > x.csv", width: 36)
        == """
        depot fetch Trip \\
          --where "a == 'b c'" --sort name \\
          -q > x.csv

        """
    )
  }

  @Test func `what an option means stays in its column`() throws {
    let verb = try #require(VerbTable.depot.all.first { $0.name == "save" })
    #expect(
      Help(of: .depot, width: 60).text(of: verb).contains(
        """
              --key KEY        an idempotency key: the same key is
                               never applied twice

        """
      )
    )
    #expect(
      Help(of: .depot, width: 40).text(of: verb).contains(
        """
              --key KEY
                an idempotency key: the same key
                is never applied twice

        """
      )
    )
  }

  @Test func `paragraphs are filled, and lists stay lists`() {
    let text = "one two\nthree four\n\nfive\n  name   what it is for\nsix"
    #expect(
      TextFlow.paragraphs(text, width: 14)
        == "one two three\nfour\n\nfive\n  name\n    what it is\n    for\nsix\n"
    )
    #expect(
      TextFlow.paragraphs("  name   what it is for whom", width: 30)
        == "  name   what it is for whom\n"
    )
    #expect(
      TextFlow.paragraphs("  name   what it is for whomever", width: 30)
        == "  name   what it is for\n         whomever\n"
    )
  }

  @Test func `the help fits one screen, and leaves a line for the next command`() {
    let lines = Help(of: .depot, width: 80).full.split(
      separator: "\n",
      omittingEmptySubsequences: false
    )
    // A line feed is behind the last line.
    #expect(lines.count - 1 <= 23)
  }

  @Test func `each verb is in the group of its purpose`() throws {
    let full = Help(of: .depot, width: 100).full
    let help = Help(of: .depot, width: 100).text(of: HelpList.verbs)
    for verb in VerbTable.depot.visible {
      #expect(VerbTable.depot.groups.count { $0.verbs.contains { $0.name == verb.name } } == 1)
      #expect(full.contains(try #require(verb.words.last)), "\(verb.name)")
      #expect(help.contains("\n  \(verb.name) "), "\(verb.name)")
    }
    #expect(
      VerbTable.depot.groups.first { $0.name == "Schema" }?.names.hasPrefix("schema apply | show")
        == true
    )
  }

  @Test func `the options of every verb have a text of their own`() {
    let text = Help(of: .depot, width: 80).text(of: HelpList.options)
    for option in OptionSpec.global { #expect(text.contains("--\(option.name)"), "\(option.name)") }
    #expect(text.contains("Ctrl-C"))
  }

  @Test func `topics are listed and completed`() {
    let topics =
      HelpTopic.all.map { ($0.name, $0.summary) }
      + HelpList.allCases.map { ($0.rawValue, $0.summary) }
    for (name, summary) in topics {
      #expect(Help(of: .depot, width: 80).full.contains("  help \(name)"))
      #expect(Help(of: .depot, width: 80).full.contains(summary))
    }
    #expect(Completer(["help", "ve"], of: .depot) { _ in nil }.candidates.contains("verbs"))
    #expect(Completer(["help", "pr"], of: .depot) { _ in nil }.candidates == ["predicates"])
    #expect(Completer(["help", "sc"], of: .depot) { _ in nil }.candidates == ["schema"])
    #expect(Completer(["help", "schema", "a"], of: .depot) { _ in nil }.candidates == ["apply"])
  }

  @Test func `the help of a topic fits two screens`() {
    for topic in HelpTopic.all {
      #expect(Help(of: .depot, width: 80).text(of: topic).split(separator: "\n").count <= 72)
    }
  }

  @Test func `the types of attributes are all there`() throws {
    let text = Help(of: .depot, width: 80).text(of: .schema)
    let words = Set(text.split { " ;,\n".contains($0) })
    let types = AttributeType.allCases.map(\.rawValue) + NumberWidth.allCases.map(\.rawValue)
    for type in types { #expect(words.contains(type[...]), "\(type)") }
  }
}
