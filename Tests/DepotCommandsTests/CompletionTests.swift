import DepotLinux
import DepotProtocol
import TestSupport
import Testing

@testable import DepotCommands

@Suite struct CompletionTests {
  static let cases: [([String], [String])] = [
    (["fe"], ["fetch"]), (["sc"], ["schema"]),
    (["schema", ""], ["apply", "show", "diagram", "diff", "plan", "migrate"]),
    (["-o", "c"], ["csv"]), (["fetch", ""], ["Package"]), (["fetch", "--lim"], ["--limit"]),
    (["fetch", "Package", "--limit", "3", "--li"], []),
    (["fetch", "Package", "--sort", "s"], ["size"]),
    (["fetch", "Package", "--select", "name,i"], ["name,isFree"]),
    (["update", "Package/4", "na"], ["name="]), (["import", "Package", ""], [":files"]),
    (["import", "--on-conflict", "s"], ["skip"]), (["--socket", ""], [":files"]),
    (["completions", ""], ["bash", "zsh", "fish"]), (["fetch", "--", "-"], []), (["__"], []),
  ]

  @Test(arguments: cases)
  func `the table of verbs and the schema say what comes next`(
    words: [String],
    candidates: [String]
  ) {
    let completer = Completer(words) { _ in Schema(entities: [Fixture.package]) }
    #expect(completer.candidates == candidates)
  }

  @Test func `without a service there are still verbs and options`() {
    #expect(Completer(["count", "-w"]) { _ in nil }.candidates.isEmpty)
    #expect(Completer(["count", "--wh"]) { _ in nil }.candidates == ["--where"])
    #expect(Completer(["count", ""]) { _ in nil }.candidates.isEmpty)
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
