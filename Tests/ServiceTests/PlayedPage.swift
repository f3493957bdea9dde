import Foundation
import TestSupport

/// A page of the documentation whose commands are run from its beginning to its end.
///
/// Blocks of `sh` are a script. Blocks of `console` have commands behind `$ ` and what they print at a
/// terminal.
struct PlayedPage {
  /// A command with the output that the page shows and what it printed.
  struct Command {
    var text: String
    var shown: String
    var printed = ""
  }

  /// The commands of the page whose output it shows, in their order.
  private(set) var commands: [Command] = []
  private var script = "set -e\n"

  /// The folder of a user that pages show in the place of the test's folder.
  private static let home = "/home/ann"

  /// - Parameters:
  ///   - text: The page.
  ///   - section: The section to which the commands belong; `nil` for all of the page.
  init(_ text: String, section: String? = nil) {
    for block in CommandTests.DocumentedExamplesTests.blocks(of: text)
    where section == nil || block.section == section {
      switch block.language {
      case "sh": script += "echo @@\nunset -f depot\n" + block.text
      case "console": add(block.text)
      default: break
      }
    }
  }

  /// Adds the commands of a block; the output is that of a terminal unless a command says otherwise.
  private mutating func add(_ block: String) {
    script += """
      depot() { case " $* " in *" -o "*) command depot "$@" ;; *) command depot -o table "$@" ;; esac; }

      """
    var lines = block.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    while let line = lines.popFirst() {
      guard line.hasPrefix("$ ") else {
        commands[commands.count - 1].shown += line + "\n"
        continue
      }
      var text = String(line.dropFirst(2))
      while text.hasSuffix("\\"), let next = lines.popFirst() { text += "\n" + next }
      script += "echo @@\(commands.count)\n{ \(text)\n} 2>&1 || true\n"
      commands.append(Command(text: text, shown: ""))
    }
  }

  /// Runs the commands in a folder of their own, with a service at `$PWD/s` if they start one.
  ///
  /// - Returns: The outcome of the script.
  /// - Throws: An error if the script can't be run.
  mutating func play() throws -> Outcome {
    let folder = try TemporaryFolder()
    let tools = folder.path + "/.tools"
    try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
    let path = try folder.write(Self.sqlite3, to: ".tools/sqlite3")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    defer { StartedService.end(at: folder.path + "/s") }
    let outcome = try Program.run(
      ["bash", "-c", "cd '\(folder.path)'\n" + script],
      environment: [
        "PATH": "\(tools):\(Programs.folder):/usr/local/bin:/usr/bin:/bin", "HOME": folder.path,
        "DEPOT_SOCKET": folder.path + "/s", "XDG_DATA_HOME": folder.path + "/data",
        "COLUMNS": "100",
      ]
    )
    let output = outcome.output.replacing(folder.path, with: Self.home)
    for part in ("\n" + output).components(separatedBy: "\n@@") {
      let lines = part.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      guard lines.count == 2, let number = Int(lines[0]) else { continue }
      commands[number].printed = String(lines[1]) + (part.hasSuffix("\n") ? "" : "\n")
    }
    return outcome
  }

  /// Returns a text without tokens, dates, durations, numbers of processes, and spaces at the ends of lines.
  static func plain(_ text: String) -> [String] {
    text.replacing(/[0-9a-f]{8}-[0-9a-f]{12}-([0-9]+)/) { "TOKEN-\($0.1)" }
      .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z */, with: "DATE ")
      .replacing(/[0-9.]+ (ms|s)\b/, with: "TIME")
      .replacing(/depot\/[0-9]+/, with: "depot/N")
      .split(separator: "\n").map { line in
        String(line.reversed().drop { $0 == " " }.reversed())
      }
  }

  /// A program that does what the pages need of SQLite's shell, which machines with tests may lack.
  private static let sqlite3 = """
    #!/usr/bin/env python3
    import json, sqlite3, sys
    words = sys.argv[1:]
    isJSON = words[0] == "-json"
    path, sql = words[isJSON:]
    database = sqlite3.connect(path)
    database.row_factory = sqlite3.Row
    if isJSON:
        print(json.dumps([dict(row) for row in database.execute(sql)]))
    else:
        database.executescript(sql)

    """
}
