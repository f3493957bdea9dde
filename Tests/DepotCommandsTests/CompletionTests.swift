import DepotLinux
import DepotProtocol
import TestSupport
import Testing

@testable import DepotCommands

@Suite struct CompletionTests {
  static let cases: [([String], [String])] = [
    (["fe"], ["fetch"]), (["sc"], ["schema"]),
    (
      ["schema", ""],
      ["apply", "show", "infer", "diagram", "versions", "diff", "plan", "migrate"]
    ),
    (["-o", "c"], ["csv"]), (["-o", "e"], ["expanded"]), (["fetch", ""], ["Package"]),
    (["fetch", "--lim"], ["--limit"]),
    (["fetch", "Package", "--limit", "3", "--li"], []),
    (["fetch", "Package", "--sort", "s"], ["size"]),
    (["fetch", "Package", "--select", "name,i"], ["name,isFree"]),
    (["update", "Package/4", "na"], ["name="]), (["import", "Package", ""], [":files"]),
    (["import", "--on-conflict", "s"], ["skip"]), (["--socket", ""], [":files"]),
    (["fetch", "Package", "-w", "na"], ["name"]),
    (["fetch", "Package", "--where=si"], ["--where=size"]),
    (["fetch", "Package", "--limit=3", "--li"], []),
    (["completions", ""], ["bash", "zsh", "fish"]), (["fetch", "--", "-"], []), (["__"], []),
  ]

  @Test(arguments: cases)
  func `the table of verbs and the schema say what comes next`(
    words: [String],
    candidates: [String]
  ) {
    let completer = Completer(words, of: .depot) { _ in Schema(entities: [Fixture.package]) }
    #expect(completer.candidates == candidates)
  }

  private let schema = Schema(entities: [Fixture.package])

  /// A line as it is typed, and what is to be typed behind it.
  static let lines: [(String, [String])] = [
    ("depot fe", ["tch"]), ("X=1 depot fe", ["tch"]),
    ("depot fetch Package -w 'na", [":open", "me"]),
    ("depot fetch Package -w \"name == 'x' AND si", [":open", "ze"]),
    ("depot fetch Package -w \"$i", [":open", "d"]),
    ("depot fetch Package -w \"\\$i", [":open", "d"]),
    (
      "depot fetch Package -w \"",
      [":open", "name", "size", "isFree", "\\$id", "\\$version"]
        + ["NOT", "ANY", "ALL", "NONE"]
    ),
    ("depot fetch Package -w $i", [":open", "d"]), ("depot import Package /et", [":files"]),
    ("depot fetch Package --sort size:d", ["esc"]),
    ("depot fetch Package --select name,s", ["ize"]),
    ("depot fetch Package --where='si", [":open", "ze"]),
    ("depot fetch Package -w si\\ ==\\ 1\\ A", [":open", "ND"]),
    ("depot fetch Package -w name\\ =", [":open", "="]),
    ("depot fetch Package -w 'name ='", [":open", "="]),
  ]

  @Test(arguments: lines)
  func `a line goes on as its shell reads it`(line: String, endings: [String]) {
    #expect(CompleteVerb.endings(of: line, false, .depot) { _ in schema } == endings)
  }

  @Test func `the last word may be in an open quotation mark`() {
    let words = ["fetch", "Package", "-w", "'name == \"x\" AND si"]
    #expect(
      CompleteVerb.words(words, false, .depot) { _ in schema } == ["name == \"x\" AND size"]
    )
  }

  @Test func `verbs, options, entities, and paths say what they are`() {
    func described(_ words: [String]) -> [String] {
      CompleteVerb.words(words, true, .depot) { _ in schema }
    }
    #expect(described(["fet"]) == ["fetch\tshow rows"])
    #expect(described(["blo"]) == ["blob\tget, put"])
    #expect(described(["fetch", "--lim"]) == ["--limit\tat most N rows"])
    #expect(described(["fetch", "P"]) == ["Package\tname, size, isFree"])
    #expect(described(["fetch", "Package", "--sort", "si"]) == ["size\tint64?"])
    #expect(described(["help", "pred"]) == ["predicates\tthe language of --where"])
    #expect(
      CompleteVerb.endings(of: "depot fet", true, .depot) { _ in schema } == [
        "ch\tfetch\tshow rows"
      ]
    )
  }

  @Test func `without a service there are still verbs and options`() {
    #expect(Completer(["count", "-w"], of: .depot) { _ in nil }.candidates.isEmpty)
    #expect(Completer(["count", "--wh"], of: .depot) { _ in nil }.candidates == ["--where"])
    #expect(Completer(["count", ""], of: .depot) { _ in nil }.candidates.isEmpty)
  }

  @Test(arguments: [CompletionScript.bash, .zsh, .fish])
  func `the shell accepts its script`(script: CompletionScript) throws {
    let shell = "/bin/\(script.rawValue)"
    guard Process.isExecutable(shell) else { return }
    let folder = try TemporaryFolder()
    let path = folder.path + "/script"
    let file = try Descriptor.create(path: path)
    var text = script.text
    try text.withUTF8 { try file.write(UnsafeRawBufferPointer($0)) }
    let check = script == .fish ? ["--no-execute"] : ["-n"]
    #expect(try Program.run([shell] + check + [path]).status == 0)
  }
}
