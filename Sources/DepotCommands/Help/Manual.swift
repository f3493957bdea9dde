internal import DepotLinux
internal import DepotProtocol

/// The pages of the system's manual, made from the tables of verbs, options, and help topics.
enum Manual {
  /// The file names of the pages, with the sections as suffixes.
  static var names: [String] { ["depot.1"] + HelpTopic.all.map { "depot-\($0.name).7" } }

  /// Returns the page with a file name; `nil` if there is none.
  static func text(named name: String, of verbs: VerbTable) -> String? {
    if name == "depot.1" { return program(verbs) }
    return HelpTopic.all.first { name == "depot-\($0.name).7" }.map(text)
  }

  private static let source = "depot \(ProtocolVersion.software)"

  /// The page of the program: its verbs with their whole help.
  private static func program(_ verbs: VerbTable) -> String {
    var page = ManualPage(
      name: "depot",
      section: 1,
      source: source,
      summary: "the command line of an object store"
    )
    page.section("Synopsis")
    page.synopsis("depot [options] VERB ...")
    page.section("Description")
    page.prose(Help.notes)
    page.section("Options of every verb")
    for option in OptionSpec.global { page.item(option.spelling, option.help) }
    page.section("Verbs")
    for verb in verbs.visible {
      page.subsection(verb.name)
      page.synopsis(verb.usage)
      page.prose("\n\(verb.summary.prefix(1).uppercased())\(verb.summary.dropFirst()).")
      if !verb.details.isEmpty { page.prose("\n" + verb.details) }
      for option in verb.options { page.item(option.spelling, option.help) }
      page.commands(verb.examples)
    }
    page.section("Exit status")
    for (status, meaning) in statuses { page.item(status, meaning) }
    page.section("See also")
    let topics = HelpTopic.all.map { "depot-\($0.name)(7)" }
    page.prose((topics + ["depotd(8)"]).joined(separator: ", "))
    return page.text
  }

  /// The exit statuses with their meanings, by classes of errors.
  static let statuses = [
    ("0", "done"), ("1", "there is no such row, or a conflict with changes of others"),
    ("64", "wrong usage"), ("65", "a value or a schema that the store refuses, or no JSON"),
    ("66", "a file is missing"),
    ("69", "no service answers, or it can't at present"), ("70", "a defect of depot"),
    ("74", "the disk failed or has no room, or the store is damaged"),
    ("75", "a limit or a deadline; the same command may do later"),
    ("76", "the program and the service don't understand each other"), ("77", "not permitted"),
    ("130", "cancelled by Ctrl-C"), ("141", "nobody read the output"),
  ]

  private static func text(_ topic: HelpTopic) -> String {
    var page = ManualPage(
      name: "depot-\(topic.name)",
      section: 7,
      source: source,
      summary: topic.summary
    )
    page.section("Description")
    for part in topic.parts {
      switch part {
      case .heading(let text): page.subsection(text)
      case .prose(let text): page.prose("\n" + text)
      case .examples(let examples): for (term, meaning) in examples { page.item(term, meaning) }
      case .code(let text): page.commands(text.split(separator: "\n").map(String.init))
      case .commands(let lines): page.commands(lines)
      }
    }
    page.section("See also")
    page.prose("depot(1)")
    return page.text
  }
}
