import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// What each command says in a terminal of 80 columns, and in whose words.
  @Suite(.serialized) struct TerminalWidthTests {
    private let daemon: TestDaemon
    private var folder: String { daemon.folder.path }

    init() throws {
      daemon = try TestDaemon()
      let long = String(repeating: "long name ", count: 20)
      let text = String(repeating: "text ", count: 100)
      var rows = (1...3).map { #"{"name":"\#($0)","n":\#($0)}"# }
      rows.append(#"{"name":"\#(long)","n":4,"text":"\#(text)"}"#)
      let outcome = try daemon.depot(["import", "Item", "-"], input: rows.joined(separator: "\n"))
      #expect(outcome.status == 0, "\(outcome.errors)")
      _ = try daemon.folder.write(TestDaemon.schema, to: "schema.json")
      _ = try daemon.folder.write("id,name\n1,x\n", to: "some.csv")
      let mistakes = [#"[{"nmae":"Item"}]"#, #"[{"name":"Item","attributes":[{}]}]"#]
      for (number, text) in mistakes.enumerated() {
        _ = try daemon.folder.write(#"{"entities":\#(text)}"#, to: "bad\(number).json")
      }
    }

    /// The commands for people, those that fail among them; FOLDER stands for the folder of the files.
    private static let commands = #"""
      fetch Item
      fetch Item -o table
      get Item/4
      count Item
      exists Item
      aggregate Item --by n --value 'c=count()' --value 's=sum(n)'
      explain Item --where 'n > 3 AND text CONTAINS "x"' --sort text
      insert Item name=q1
      update Item/1 n=77
      update Item --all n=3 --chunk 2
      delete Item/2
      undo
      redo
      log
      log -o table
      history
      history --status
      blame Item/4
      show Item/4
      schema
      schema get
      schema apply FOLDER/schema.json --dry-run
      schema plan FOLDER/schema.json
      schema infer FOLDER/some.csv
      schema diagram
      stats
      clients
      container list
      space
      check
      compact
      backup FOLDER/b.sqlite
      doctor FOLDER
      import Item FOLDER/some.csv
      service status
      help
      help predicates
      help schema
      blob get Item/99 text
      fetch Nothing
      fetch Item --where 'nothing == 1'
      fetch Item --where 'n =='
      fetch Item --where 'n == 1 AND (name CONTAINS "a long text that goes on" OR n > 100000 OR'
      fetch Item --where 'n == $x'
      fetch Item --where 'n == $x' --bind y:=1
      fetch Item --where 'n == $x' --bind 'x:={"a":1}'
      fetch Item --sort nothing
      fetch Item --select nothing
      fetch Item --prefetch nothing
      fetch Item --section-by nothing
      fetch Item --after 3
      fetch Item --sort n --after '[1]'
      fetch Item --sort n --after '["a",1]'
      fetch Item --sort n --after '[1,2]' --distinct
      fetch Item --limit -1
      fetch Item --distinct
      count Item --where 'name > 3'
      count Item --where 'name MATCHES "("'
      get Item/99
      get Nothing/1
      insert Item nothing=1
      insert Item 'n:="x"' name=q
      insert Item name:=null
      insert Item
      insert Item name=b name=c
      insert Item name=1
      insert Item name=q n:=99999999999999999999
      insert Item '$id:=1' name=z
      update Item/1 nothing=1
      update Item/1 n=1 n=2
      update Item/99 n=1
      update Item n=1
      update Item/1 --compute n=name
      update Item/1 n=1 --compute 'n=n + 1'
      update Item/1 --compute 'n=n / 0'
      update Item --all
      update Item/1 name=3
      update Item --all n=1 --chunk 0
      update Item --all name=x
      delete Item/99
      delete Item
      delete Item --where x
      aggregate Item
      aggregate Item --value sum
      aggregate Item --value 'sum(name)'
      aggregate Item --value 'x=sum(nothing)'
      aggregate Item --value 'c=count()' --having 'x > 1'
      aggregate Item --by n --sort x
      log Nothing
      log --since x
      log --since 3f2b8c01-9d20c4e7a1b2-1042
      history --since x
      history --consumer nobody --forget
      blame Item/99
      show Item/99
      show Item/1 --at 3f2b8c01-9d20c4e7a1b2-1042
      undo x
      undo 3f2b8c01-9d20c4e7a1b2-1042
      undo --group none
      undo --group a --author b
      blob get Item/1 nothing
      blob get Item/1 n
      blob put Item/99 text /dev/null
      watch Nothing
      watch Item --where x
      container open x --file /a
      container open 'a b' --file a.store
      container close none
      --container none count Item
      import Nothing FOLDER/some.csv
      import Item FOLDER/schema.json
      export Nothing
      schema apply FOLDER/bad0.json
      schema apply FOLDER/bad1.json
      backup /nonexistent/x
      backup FOLDER/schema.json
      restore none
      clients end 99
      space --store none
      check --store none
      stats x
      nothing
      fetch
      """#

    /// What the help lists as commands.
    private func verbs() throws -> [String] {
      let help = try daemon.depot(["help", "verbs"]).output
      return help.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
        .compactMap { $0.split(separator: " ").first.map(String.init) }
        .filter { $0.first?.isLetter == true }
    }

    /// Runs commands in terminals, one after the other, and returns what each printed, without colours.
    private func outputs(_ commands: [String]) throws -> [(command: String, lines: [Substring])] {
      try stride(from: 0, to: commands.count, by: 12).flatMap { start in
        try outputs(together: Array(commands[start...].prefix(12)))
      }
    }

    private func outputs(
      together commands: [String]
    ) throws -> [(command: String, lines: [Substring])] {
      let separator = "===="
      let script =
        commands.map { command in
          let line = command.replacing("FOLDER", with: folder)
          return
            "echo '\(separator)'; \(Programs.depot) --socket \(daemon.socket) --no-start \(line)"
        }.joined(separator: "\n") + "\n"
      let path = try daemon.folder.write(script, to: "commands.sh")
      let result = try TerminalProgram.run(
        ["sh", path],
        environment: ["DEPOT_PAGER": "", "HOME": folder]
      )
      #expect(result.status != nil, "it takes too long")
      let text = result.output.replacing(#/\x{1B}\[[0-9;?]*[A-Za-z]/#, with: "")
      let parts = text.split(separator: separator + "\r\n", omittingEmptySubsequences: false)
      #expect(parts.count == commands.count + 1)
      return zip(commands, parts.dropFirst()).map { command, part in
        (command, part.split { $0 == "\r\n" || $0 == "\n" || $0 == "\r" })
      }
    }

    private var commands: [String] {
      Self.commands.split(separator: "\n").map(String.init)
    }

    @Test func `nothing for people is wider than 80 columns`() throws {
      let verbs = try verbs()
      #expect(verbs.count > 20)
      for (command, lines) in try outputs(commands + verbs.map { "\($0) --help" }) {
        for line in lines {
          #expect(line.count <= 80, "\(command): \(line)")
        }
      }
    }

    /// Words that only those know who write requests: operations, their arguments, and the envelope.
    private static var words: some RegexComponent {
      #/"(where|ids|set|after|of|values|by|compute|bind|entity|rows|columns|select|sort|limit|offset|token|author|group)"|/args|\b(args|frame|onConflict|returnIds|sectionBy|dryRun|deadlineMs|unpin)\b|\b(schema|blob|container|history|migration)\.(open|close|list|define|get|begin|commit|abort|status|forget|acknowledge|delete|row|read|write)\b/#
    }

    @Test func `no error speaks of requests, which users of the command line don't write`() throws {
      for (command, lines) in try outputs(commands) where !command.hasPrefix("help") {
        guard let first = lines.firstIndex(where: { $0.hasPrefix("error") }) else { continue }
        let report = lines[first...].joined(separator: " ")
        #expect(report.firstMatch(of: Self.words) == nil, "\(command): \(report)")
      }
    }
  }
}
