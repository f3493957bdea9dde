import DepotProtocol
import Testing

@testable import DepotCommands

@Suite struct ArgumentParserTests {
  @Test func `options may stand before and after the verb`() throws {
    let invocation = try ArgumentParser.parse(
      ["--socket", "/run/x", "-ocsv", "fetch", "Package", "--limit=3", "-w", "-size > 1"],
      of: .depot
    )
    #expect(invocation.verb?.name == "fetch")
    #expect(invocation.operands == ["Package"])
    #expect(
      invocation.options
        == ["socket": "/run/x", "output": "csv", "limit": "3", "where": "-size > 1"]
    )
  }

  @Test func `a verb may have two words`() throws {
    let invocation = try ArgumentParser.parse(["schema", "-q", "apply", "-", "-n"], of: .depot)
    #expect(invocation.verb?.name == "schema apply")
    #expect(invocation.operands == ["-"])
    #expect(invocation.options == ["quiet": "", "dry-run": ""])
  }

  @Test func `two dashes end the options`() throws {
    let invocation = try ArgumentParser.parse(["get", "--", "--limit", "-x"], of: .depot)
    #expect(invocation.operands == ["--limit", "-x"])
    #expect(invocation.options.isEmpty)
  }

  @Test func `an empty text stays where it means something`() throws {
    let words = try ArgumentParser.parse(["__complete", "--", ""], of: .depot)
    #expect(words.operands == [""])
    let null = try ArgumentParser.parse(["fetch", "Package", "--null", ""], of: .depot)
    #expect(null.options["null"] == "")
  }

  @Test func `help needs no operands`() throws {
    #expect(try ArgumentParser.parse(["import", "--help"], of: .depot).verb?.name == "import")
    #expect(try ArgumentParser.parse(["schema"], of: .depot).incompleteVerb == ["schema"])
  }

  @Test func `the other spelling of completions works`() throws {
    for arguments in [
      ["--generate-completion-script", "zsh"], ["--generate-completion-script=zsh"],
    ] {
      let invocation = try ArgumentParser.parse(arguments, of: .depot)
      #expect(invocation.verb?.name == "completions")
      #expect(invocation.operands == ["zsh"])
    }
  }

  static let mistakes: [([String], String, String?)] = [
    (["fetsh", "Package"], "There is no verb \"fetsh\".", "Did you mean \"fetch\"?"),
    (
      ["schema", "aply", "x"], "There is no verb \"schema aply\".", "Did you mean \"schema apply\"?"
    ),
    (["qqqqqq"], "There is no verb \"qqqqqq\".", "See: depot --help"),
    (
      ["fetch", "Package", "--limt", "3"], "depot fetch has no option \"--limt\".",
      "Did you mean \"--limit\"?"
    ),
    (
      ["--limit", "3", "fetch", "Package"], "There is no option \"--limit\".",
      "It goes behind the verb, as in: depot fetch --limit"
    ),
    (["fetch", "Package", "-z"], "depot fetch has no option \"-z\".", "See: depot fetch --help"),
    (["fetch", "Package", "--limit"], "--limit needs N.", nil),
    (["fetch", "Package", "--versions=yes"], "--versions takes no value.", nil),
    (["fetch", "Package", "-w", "a", "--where", "b"], "--where is there twice.", nil),
    (["fetch"], "depot fetch needs ENTITY.", "See: depot fetch --help"),
    (
      ["export", "--all", ""],
      "depot export needs ENTITY | --all DIR | --sqlite FILE, not an empty text.",
      "Is a variable unset?"
    ),
    (
      ["import", "--all", ""],
      "depot import needs ENTITY FILE|- | --all DIR | --apple FILE, not an empty text.",
      "Is a variable unset?"
    ),
    (["backup", ""], "depot backup needs FILE|-, not an empty text.", "Is a variable unset?"),
    (
      ["restore", "b", "--data", ""], "--data needs DIR, not an empty text.",
      "Is a variable unset?"
    ),
    (
      ["service", "start", "--data="], "--data needs DIR, not an empty text.",
      "Is a variable unset?"
    ),
    (
      ["ping", "Trip"], "\"Trip\" is one argument too many for depot ping.",
      "Usage: depot ping"
    ),
  ]

  @Test(arguments: mistakes)
  func `a mistake is named, with what was perhaps meant`(
    arguments: [String],
    message: String,
    hint: String?
  ) {
    let error = #expect(throws: DepotError.self) { try ArgumentParser.parse(arguments, of: .depot) }
    #expect(error?.message == message)
    #expect(error?.hint == hint)
    #expect(error?.code.exitStatus == 64)
  }

  @Test func `a number or a word that an option can't take is refused`() throws {
    let invocation = try ArgumentParser.parse(
      ["fetch", "P", "--limit", "-3", "-o", "cvs"],
      of: .depot
    )
    #expect(throws: DepotError.self) { try invocation.number(.limit) }
    let error = #expect(throws: DepotError.self) {
      try invocation.choice(.output, OutputFormat.self)
    }
    #expect(error?.hint == "Did you mean \"csv\"?")
  }

  @Test(arguments: VerbTable.depot.all.map(\.name))
  func `every verb has help, examples, and options of different names`(name: String) throws {
    let verb = try #require(VerbTable.depot.all.first { $0.name == name })
    let names = verb.allOptions.map(\.name)
    let letters = verb.allOptions.compactMap(\.short)
    #expect(Set(names).count == names.count)
    #expect(Set(letters).count == letters.count)
    #expect(!verb.examples.isEmpty)
    #expect(Help(of: .depot, width: 100).text(of: verb).contains(verb.examples[0].prefix(20)))
  }
}
