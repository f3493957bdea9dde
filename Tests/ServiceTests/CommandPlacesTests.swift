import DepotClientCore
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// Files and terminals that the command line reads and writes.
  @Suite(.serialized) struct CommandPlacesTests {
    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon()
      #expect(try daemon.depot(["insert", "Item", "name=a", "n=1"]).status == 0)
    }

    private func typed(_ line: String, in folder: String? = nil) throws -> Outcome {
      try Program.run(
        ["sh", "-c", "cd \(folder ?? daemon.folder.path) && \(line)"],
        environment: [
          "DEPOT_SOCKET": daemon.socket, "DEPOT_NO_START": "1", "TMPDIR": daemon.folder.path,
          "PATH": URL(filePath: Programs.depot).deletingLastPathComponent().path + ":/usr/bin:/bin",
        ]
      )
    }

    @Test func `bad records go to the standard output if that is wanted`() throws {
      let path = try daemon.folder.write(#"{"name":"b"}"# + "\n{}\n[]\n", to: "rows.ndjson")
      let outcome = try daemon.depot(["import", "Item", path, "--rejects", "-"])
      #expect(outcome.status == 65)
      #expect(outcome.lines.map { $0.prefix(10) } == [#"{"line":3,"#, #"{"line":2,"#])
      #expect(!FileManager.default.fileExists(atPath: daemon.folder.path + "/-"))
    }

    @Test func `a backup goes through pipes to where it is restored`() throws {
      let data = daemon.folder.path + "/data"
      let outcome = try typed("depot backup - | gzip | gzip -d | depot restore - --data \(data)")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let check = try Program.run([Programs.daemon, "--check", "--data", data])
      #expect(check.status == 0, "\(check.errors) \(check.output)")
      let names = try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path)
      #expect(!names.contains { $0.hasPrefix("depot-") }, "\(names)")
    }

    @Test func `a file is opened by the bytes of its name`() throws {
      let name = "$(printf 'caf\\351 \\360\\237\\230\\200.ndjson')"
      let made = try typed("echo '{\"name\":\"b\"}' > \"\(name)\"")
      #expect(made.status == 0, "\(made.errors)")
      let inferred = try typed("depot schema infer \"\(name)\"")
      #expect(inferred.status == 0, "\(inferred.errors)")
      let imported = try typed("depot import Item \"\(name)\" --rejects=\"$(printf '\\377')\"")
      #expect(imported.status == 0, "\(imported.errors)")
      #expect(try typed("test -f \"$(printf '\\377')\"").status == 0)
      let missing = try typed("depot import Item \"$(printf 'n\\377')\"")
      #expect(missing.errors.contains("The file n? can't be opened"), "\(missing.errors)")
      for line in ["backup", "restore", "restore x --data", "doctor", "count", "import --apple"] {
        let refused = try typed("depot \(line) \"$(printf '\\377')\"")
        #expect(refused.status == 64 && refused.errors.contains("isn't UTF-8"))
        #expect(!refused.errors.contains("< FILE"), "\(refused.errors)")
      }
      let extra = try typed("depot ping \"$(printf 'n\\377')\"")
      #expect(extra.status == 64 && extra.errors.contains("\"n?\""), "\(extra.errors)")
    }

    @Test func `depotd isn't sent to files in a folder whose name isn't UTF-8`() throws {
      let folder = daemon.folder.path + "/\"$(printf 'caf\\351')\""
      #expect(try typed("mkdir \(folder)").status == 0)
      for line in ["backup b.sqlite", "restore b.sqlite --data d", "doctor", "doctor ."] {
        let refused = try typed("depot \(line)", in: folder)
        #expect(refused.status == 64, "\(line): \(refused.errors)")
        #expect(refused.errors.contains("current folder isn't UTF-8"), "\(refused.errors)")
      }
      let path = daemon.folder.path + "/whole.sqlite"
      let whole = try typed("depot backup \(path) && depot export --all rows", in: folder)
      #expect(whole.status == 0, "\(whole.errors)")
      let names = try typed("ls", in: folder)
      #expect(names.lines == ["rows"])
    }

    @Test(arguments: [57, 60, 63])
    func `a value that is too deep is refused in its line, before it is sent`(depth: Int) throws {
      let value = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      let schema = #"{"entities":[{"name":"T","attributes":[{"name":"j","type":"json"}]}]}"#
      let file = try daemon.folder.write(schema, to: "t.json")
      let opened = try daemon.depot(["container", "open", "t", "--memory", "--schema", file])
      #expect(opened.status == 0)
      let table = try daemon.folder.write("j\n[]\n\"\(value)\"\n", to: "rows.csv")
      let lines = try daemon.folder.write("{\"j\":[]}\n{\"j\":\(value)}\n", to: "rows.ndjson")
      for path in [table, lines] {
        for options in [[], ["--resume", daemon.folder.path + "/journal"]] {
          let command = ["--container", "t", "import", "T", path] + options
          let outcome = try daemon.depot(command)
          try? FileManager.default.removeItem(atPath: daemon.folder.path + "/journal")
          #expect(outcome.errors.contains("nested deeper than 56"), "\(outcome.errors)")
          #expect(outcome.errors.contains("at: line "), "\(outcome.errors)")
          #expect(!outcome.errors.contains("Nobody knows"), "\(outcome.errors)")
        }
      }
      let inserted = try daemon.depot(["--container", "t", "insert", "T", "j:=\(value)"])
      #expect(inserted.errors.contains("nested deeper than 56"), "\(inserted.errors)")
    }

    @Test func `output on a full disk is an error of its own`() throws {
      for line in ["export Item", #"call count '{"entity":"Item"}'"#] {
        let outcome = try typed("depot \(line) > /dev/full")
        #expect(outcome.status == 74)
        #expect(outcome.errors.contains("storage.full"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("is stored"), "\(outcome.errors)")
      }
      let stored = [
        ("insert Item name=b", "2"), ("update Item/1 text=b", "2"), ("delete Item/1", "1"),
        ("undo", "2"),
      ]
      for (line, count) in stored {
        let change = try typed("depot \(line) > /dev/full")
        #expect(change.status == 74)
        #expect(change.errors.contains("The change is stored."), "\(line): \(change.errors)")
        #expect(!change.errors.contains("Nothing was changed"), "\(line): \(change.errors)")
        #expect(try typed("depot count Item").output == count + "\n", "\(line)")
      }
      let path = try daemon.folder.write("{}\n", to: "rows.ndjson")
      let rejects = try daemon.depot(["import", "Item", path, "--rejects", "/dev/full"])
      #expect(rejects.errors.contains("storage.full"), "\(rejects.errors)")
    }

    @Test(arguments: [
      "import Item -", "insert Item -", "import Item - --format csv", "schema apply -",
    ])
    func `a standard input that is closed can't be read`(line: String) throws {
      for others in ["", " >&-", " >&- 2>&-"] {
        let outcome = try typed("depot \(line) <&-\(others)")
        #expect(outcome.status == 74, "\(others): \(outcome.errors)")
        let hasErrors = !others.contains("2>&-")
        #expect(outcome.errors.contains("standard input can't be read") == hasErrors)
      }
      let unread = try typed("depot insert Item name=unread >&-")
      #expect(unread.errors.contains("The change is stored."), "\(unread.errors)")
    }

    @Test(arguments: [
      "import Item rows.ndjson --resume -", "export --all -", "import --all -",
      "import --apple - --infer",
    ])
    func `the standard output is neither a journal nor a folder`(line: String) throws {
      _ = try daemon.folder.write("{}\n", to: "rows.ndjson")
      let outcome = try typed("depot \(line)")
      #expect(outcome.status == 64, "\(outcome.errors)")
      #expect(!FileManager.default.fileExists(atPath: daemon.folder.path + "/-"))
    }

    @Test func `plain tables go to the standard output`() throws {
      let outcome = try typed("depot export --sqlite - | head -c 15")
      #expect(outcome.output == "SQLite format 3", "\(outcome.errors)")
    }

    @Test(arguments: ["backup -", "export --sqlite -"])
    func `bytes aren't written to a terminal`(line: String) throws {
      let words = line.split(separator: " ").map(String.init)
      let command = [Programs.depot, "--socket", daemon.socket, "--no-start"] + words
      let result = try TerminalProgram.run(command)
      #expect(result.status == 64)
      #expect(result.output.contains("depot \(line) > "))
    }

    @Test(arguments: [["container", "list"], ["clients"]])
    func `a list has a record in each line of a pipe`(words: [String]) throws {
      let other = try daemon.connect()
      defer { withExtendedLifetime(other) {} }
      #expect(try daemon.depot(["container", "open", "c", "--memory"]).status == 0)
      let lines = try daemon.depot(words).lines
      #expect(lines.count == (words == ["clients"] ? 1 : 2))
      for line in lines { #expect(try JSONValue(parsing: Array(line.utf8)).object != nil) }
      let array = try daemon.depot(words + ["-o", "json"]).output
      #expect(try JSONValue(parsing: Array(array.utf8)).array?.count == lines.count)
    }

    @Test func `files that killed programs have left are named and removed, and no others`() throws
    {
      let folder = daemon.folder.path + "/places"
      try FileSystem.createPrivateFolder(folder)
      #expect(try typed("depot backup whole.sqlite", in: folder).status == 0)
      // As a backup that was killed, an import that was killed, and one that still runs.
      for name in ["killed", "running"] {
        try FileSystem.createPrivateFolder(daemon.folder.path + "/depot-import-\(name)")
        _ = try daemon.folder.write("", to: "depot-import-\(name)/lock")
      }
      let running = try Descriptor.open(
        file: daemon.folder.path + "/depot-import-running/lock",
        isWritable: true
      )
      try running.lock(0..<1, exclusively: true)
      let copy = try typed("cp whole.sqlite killed.sqlite.part && touch film.part", in: folder)
      #expect(copy.status == 0)
      let journal = #"{"source":"0123456789abcdef","stores":["other"]}"# + "\n"
      try Data(journal.utf8).write(to: URL(filePath: folder + "/other.journal"))
      let rows = try daemon.folder.write(#"{"name":"b"}"#, to: "rows.ndjson")
      let own = try typed("depot import Item \(rows) --resume own.journal", in: folder)
      #expect(own.status == 0, "\(own.errors)")
      let wrong = try typed("depot import Item \(rows) --resume other.journal", in: folder)
      #expect(wrong.errors.contains("an import into another store"), "\(wrong.errors)")

      // As exports that were killed, and that still run, and a file that another program downloads.
      let drafts = try typed(
        """
        mkdir killed running && touch killed/Item.ndjson.part killed/schema.json.part \
          running/Item.ndjson.part running/schema.json.part news.ndjson.part
        """,
        in: folder
      )
      #expect(drafts.status == 0, "\(drafts.errors)")
      let export = try Descriptor.open(file: folder + "/running/schema.json.part", isWritable: true)
      try export.lock(0..<1, exclusively: true)
      let second = try typed("depot export --all running", in: folder)
      #expect(second.status == 69 && second.errors.contains("Another export"), "\(second.errors)")

      let names = [
        daemon.folder.path + "/depot-import-killed", folder + "/killed.sqlite.part",
        folder + "/other.journal", folder + "/killed/Item.ndjson.part",
        folder + "/killed/schema.json.part",
      ]
      func told(_ outcome: Outcome) throws -> [String?] {
        try outcome.lines.map { try JSONValue(parsing: Array($0.utf8))["path"]?.string }
      }
      let found = try typed("depot doctor", in: folder)
      #expect(try told(found) == names, "\(found.errors)")
      #expect(found.errors.contains("--clean"))
      #expect(try told(typed("depot doctor --clean", in: folder)) == names)
      #expect(try typed("depot doctor", in: folder).output.isEmpty)
      let rest = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      #expect(
        rest == [
          "film.part", "killed", "news.ndjson.part", "own.journal", "running", "whole.sqlite",
        ]
      )
      #expect(try typed("ls killed", in: folder).output.isEmpty)
      withExtendedLifetime((running, export)) {}
    }

    @Test func `the folder of a backup of several stores is left only if its program was killed`()
      throws
    {
      let connection = try daemon.connect()
      _ = try connection.openContainer(ServiceTests.ContainerTests.shop)
      let target = daemon.folder.path + "/many"
      let arguments = ["--socket", daemon.socket, "--container", "shop", "backup", target]
      let backup = try TestProcess(
        [Programs.depot] + arguments + ["--rate", "1K"],
        output: .nothing
      )
      try expectSoon { FileSystem.size(of: target + ".part/orders.sqlite.part") ?? 0 > 0 }
      func told() throws -> [String] {
        let outcome = try daemon.depot(["doctor", daemon.folder.path])
        return try outcome.lines.compactMap {
          try JSONValue(parsing: Array($0.utf8))["path"]?.string
        }
      }
      #expect(try told().isEmpty)
      let second = try daemon.depot(Array(arguments.dropFirst(2)))
      #expect(second.status == 69 && second.errors.contains("Another backup"), "\(second.errors)")
      backup.kill()
      #expect(try told() == [target + ".part"])
      // A folder of the same name that no backup has made.
      try FileSystem.createPrivateFolder(daemon.folder.path + "/film.part")
      #expect(try daemon.depot(["doctor", daemon.folder.path, "--clean"]).status == 0)
      #expect(FileSystem.size(of: target + ".part") == nil)
      #expect(FileSystem.size(of: target + ".part.lock") == nil)
      #expect(FileSystem.size(of: daemon.folder.path + "/film.part") != nil)
      #expect(try daemon.depot(Array(arguments.dropFirst(2))).status == 0)
      #expect(FileSystem.size(of: target + ".part.lock") == nil)
    }

    @Test(
      arguments: [40, 80],
      [
        ["fetch", "Item", "--where", "aVeryLongName.thatLeads.nowhere == 1 AND name LIKE 'x'"],
        ["insert", "Item", "name=a"], ["update", "Item", "--where", "n == 1", "zz=1"],
        ["schema", "apply", "nowhere/at/all.json"], ["backup", "nowhere/at/all.sqlite"],
        ["delete", "Item"], ["log"], ["explain", "Item", "--where", "n == 1"],
      ]
    )
    func `a line is no wider than its terminal`(columns: Int, arguments: [String]) throws {
      // A plan names what SQLite does, each step in a line.
      let columns = arguments[0] == "explain" ? 80 : columns
      let result = try TerminalProgram.run(
        [Programs.depot, "--socket", daemon.socket, "--no-start"] + arguments,
        environment: ["DEPOT_PAGER": "", "TERM": "xterm"],
        columns: columns
      )
      var text = result.output.replacingOccurrences(of: "\r", with: "")
      while let start = text.firstRange(of: "\u{1B}[") {
        let end = text[start.upperBound...].firstIndex { $0.isLetter } ?? start.upperBound
        text.removeSubrange(start.lowerBound...end)
      }
      for line in text.split(separator: "\n") {
        #expect(line.count <= columns || !line.dropFirst(8).contains(" "), "\(line)")
      }
    }

    @Test func `what is done again is told within 80 columns`() throws {
      for line in ["undo", "redo"] {
        let result = try TerminalProgram.run(
          [Programs.depot, "--socket", daemon.socket, "--no-start", line],
          environment: ["TERM": "xterm"],
          columns: 80
        )
        #expect(result.status == 0, "\(result.output)")
        let lines = result.output.replacingOccurrences(of: "\r", with: "").split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 } && !lines.isEmpty, "\(lines)")
      }
    }

    @Test(arguments: ["NaN", "-Infinity", "None", "undefined"])
    func `a word that JSON doesn't have is called by its name`(word: String) throws {
      for name in ["rows.ndjson", "rows.json"] {
        let path = try daemon.folder.write(#"{"name":"x","n":\#(word)}"# + "\n", to: name)
        for command in [["import", "Item", path], ["schema", "infer", path]] {
          let outcome = try daemon.depot(command)
          #expect(outcome.status == 65)
          #expect(outcome.errors.contains("JSON has no \(word)"), "\(outcome.errors)")
        }
      }
    }
  }
}
