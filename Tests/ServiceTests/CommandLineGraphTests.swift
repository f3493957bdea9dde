import DepotProtocol
import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// The verbs about related rows, beside a real service.
  @Suite(.serialized) struct CommandLineGraphTests {
    private let daemon: TestDaemon

    static let schema = """
      {"entities":[
      {"name":"Section","attributes":[{"name":"name","type":"string","unique":true}],
       "relationships":[
       {"name":"packages","destination":"Package","toMany":true,"inverse":"section"}]},
      {"name":"Package","attributes":[{"name":"name","type":"string","unique":true},
       {"name":"size","type":"int64","optional":true},
       {"name":"home","type":"composite","optional":true,
        "properties":[{"name":"city","type":"string"}]}],
       "relationships":[
       {"name":"section","destination":"Section","inverse":"packages"},
       {"name":"depends","destination":"Package","toMany":true,"inverse":"dependents"},
       {"name":"dependents","destination":"Package","toMany":true,"inverse":"depends"}]}]}
      """

    init() throws {
      daemon = try TestDaemon(schema: Self.schema.filter { $0 != "\n" })
    }

    /// Returns the lines of tab-separated values, with commas between these.
    private func table(_ outcome: Outcome) -> [String] {
      outcome.output.split(whereSeparator: \.isNewline).map {
        String($0.replacing("\t", with: ","))
      }
    }

    private func depot(_ arguments: String..., input: String? = nil) throws -> Outcome {
      try daemon.depot(arguments, input: input)
    }

    /// Packages of which each depends on the next ones, so that most references lead forwards.
    private static func packages(_ count: Int) -> [String] {
      (0..<count).map { index in
        let next = [index + 1, index + 7].map { #""p\#($0 % count)""# }.joined(separator: ",")
        return
          #"{"name":"p\#(index)","size":\#(index),"section":"s\#(index % 3)","depends":[\#(next)]}"#
      }
    }

    private func importPackages(_ count: Int) throws {
      let sections = (0..<3).map { #"{"name":"s\#($0)"}"# }.joined(separator: "\n")
      #expect(try depot("import", "Section", "-", input: sections).status == 0)
      let file = try daemon.folder.write(
        Self.packages(count).joined(separator: "\n"),
        to: "packages.ndjson"
      )
      let outcome = try depot(
        "import",
        "Package",
        file,
        "--link",
        "section=Section.name",
        "--link",
        "depends=Package.name",
        "--batch",
        "64"
      )
      #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func `a record with more rows inside than a request takes is imported`() throws {
      let packages = (0...10_000).map { #"{"name":"p\#($0)"}"# }.joined(separator: ",")
      let file = try daemon.folder.write(
        #"{"name":"large","packages":[\#(packages)]}"#,
        to: "large.ndjson"
      )
      let outcome = try depot("import", "Section", file)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try depot("count", "Package").output == "10001\n")
    }

    @Test func `a change is refused if others were faster, and merged by a policy`() throws {
      #expect(try depot("insert", "Section", "name=a").status == 0)
      let first = try depot("update", "Section/1", "name=b", "--if-version", "1")
      #expect(first.output == #"{"updated":1,"version":2}"# + "\n")
      let second = try depot("update", "Section/1", "name=c", "--if-version", "1")
      #expect(second.status == 1)
      #expect(second.errors.contains("conflict.merge"))
      #expect(second.errors.contains("Section/1 was changed by others (read at version 1, now 2)"))
      #expect(second.errors.contains("name: stored \"b\" (by "))
      #expect(second.errors.contains("wanted \"c\""))
      let save = #"""
        {"update":[{"entity":"Section","columns":["$id","$version","name"],"rows":[[1,1,"c"]]}]}
        """#
      let merged = try depot("save", "-", "--policy", "mergeByPropertyObjectTrump", input: save)
      #expect(merged.output.contains(#""decision":"client""#))
      #expect(try depot("save", "-", "--policy", "best", input: save).status == 64)
    }

    @Test func `a graph is imported with references forwards and backwards`() throws {
      try importPackages(500)
      #expect(try depot("count", "Package").output == "500\n")
      let wrong = try depot("count", "Package", "--where", "depends.@count != 2 OR section == NULL")
      #expect(wrong.output == "0\n")
      let names = try depot(
        "fetch",
        "Package",
        "--where",
        "ANY dependents.name == 'p499'",
        "--sort",
        "name",
        "--select",
        "name,section.name",
        "-o",
        "tsv"
      )
      #expect(
        table(names) == ["$id,name,section.name", "Package/1,p0,s0", "Package/7,p6,s0"]
      )
    }

    @Test func `what can't be stored or linked is told with its line and reason`() throws {
      #expect(try depot("insert", "Section", "name=s").status == 0)
      let lines = [
        #"{"name":"a","section":"s","depends":["b","nowhere"]}"#, #"{"name":"b","section":"none"}"#,
        #"{"name":"c","section":"s","size":"x"}"#, #"{"name":"a","section":"s"}"#,
        #"{"name":"d","section":"s","depends":["a"]}"#,
      ]
      let rejects = daemon.folder.path + "/rejects"
      let file = try daemon.folder.write(lines.joined(separator: "\n"), to: "p.ndjson")
      let outcome = try depot("import", "Package", file, "--rejects", rejects)
      #expect(outcome.status == 65)
      #expect(outcome.errors.contains("2 inserted, 3 rejected"))
      let records = try String(contentsOfFile: rejects, encoding: .utf8).split(separator: "\n")
        .map { try JSONValue(parsing: $0.utf8) }
      let reasons = Dictionary(
        uniqueKeysWithValues: records.map {
          ($0["line"]?.int64 ?? 0, $0["error"]?["code"]?.string ?? "")
        }
      )
      #expect(
        reasons == [
          1: "notfound.object", 2: "notfound.object", 3: "request.type",
        ]
      )
      #expect(try depot("count", "Package").output == "2\n")
      let stopped = try depot("import", "Package", file)
      #expect(stopped.status != 0)
      #expect(stopped.errors.contains("at: line"), "\(stopped.errors)")
    }

    @Test(arguments: [1, 2, 3])
    func `an import that was killed goes on with the same result`(seed: Int) throws {
      for section in 0..<3 {
        #expect(try depot("insert", "Section", "name=s\(section)").status == 0)
      }
      let file = try daemon.folder.write(
        Self.packages(4000).joined(separator: "\n"),
        to: "packages.ndjson"
      )
      let command = [
        Programs.depot, "--socket", daemon.socket, "--no-start", "import", "Package", file,
        "--batch", "10", "--resume", daemon.folder.path + "/journal",
      ]
      let program = try Program(command)
      // It is killed somewhere in the middle, as soon as so many rows are there.
      let isBegun: Bool? = try poll {
        let count = Int(try depot("count", "Package").output.dropLast()) ?? 0
        return count >= seed * 100 ? true : nil
      }
      #expect(isBegun == true)
      program.process.kill()
      let killed = try program.wait()
      #expect(killed.status == 128 + SIGKILL)
      let again = try Program.run(command)
      #expect(again.status == 0, "\(again.errors)")
      #expect(again.errors.contains("4,000 rows: 4,000 inserted"), "\(again.errors)")
      #expect(try depot("count", "Package").output == "4000\n")
      let wrong = try depot("count", "Package", "--where", "depends.@count != 2")
      #expect(wrong.output == "0\n")
      let third = try Program.run(command)
      #expect(third.status == 0)
      #expect(try depot("count", "Package").output == "4000\n")
    }

    @Test(arguments: [1, 2, 3])
    func `an import of a whole store that was killed goes on with the same result`(
      part: Int
    )
      throws
    {
      // Nodes have no unique attribute, so the files refer to them by names of their own.
      let nodes = try TestDaemon(
        schema: #"{"entities":[{"name":"Node","attributes":[{"name":"label","type":"string"}],"#
          + #""relationships":[{"name":"next","destination":"Node","optional":true}]},"#
          + #"{"name":"Tag","attributes":[{"name":"n","type":"int64"}],"#
          + #""relationships":[{"name":"nodes","destination":"Node","toMany":true}]}]}"#
      )
      let rows = (0..<3000).map { ##"["#\##($0)","n\##($0)","#\##(($0 * 7 + 1) % 3000)"]"## }
      let tags = (0..<1000).map { "[\($0),[\($0 + 1),\($0 + 2)]]" }
      let save =
        #"{"insert":[{"entity":"Node","columns":["$id","label","next"],"rows":["#
        + rows.joined(separator: ",") + #"]},{"entity":"Tag","columns":["n","nodes"],"rows":["#
        + tags.joined(separator: ",") + "]}]}"
      #expect(try nodes.depot(["save", "-"], input: save).status == 0)
      let first = nodes.folder.path + "/first"
      let second = nodes.folder.path + "/second"
      #expect(try nodes.depot(["export", "--all", first]).status == 0)
      let other = try TestDaemon(schema: "")
      let command = [
        Programs.depot, "--socket", other.socket, "--no-start", "import", "--all", first,
        "--batch", "20", "--resume", other.folder.path + "/journal",
      ]
      let program = try Program(command)
      // It is killed among the rows, among the tags, or among the links that had to wait.
      let isBegun: Bool? = try poll {
        let entity = part == 1 ? "Node" : "Tag"
        let outcome = try other.depot(["count", entity])
        guard let count = Int(outcome.output.dropLast()) else { return nil }
        return count >= [1000, 300, 1000][part - 1] ? true : nil
      }
      #expect(isBegun == true)
      program.process.kill()
      _ = try program.wait()
      let again = try Program.run(command)
      #expect(again.status == 0, "\(again.errors)")
      #expect(again.errors.contains("4,000 rows: 4,000 inserted"), "\(again.errors)")
      #expect(try other.depot(["export", "--all", second]).status == 0)
      for name in ["Node.ndjson", "Tag.ndjson", "schema.json"] {
        let bytes = try Data(contentsOf: URL(filePath: "\(first)/\(name)"))
        #expect(try Data(contentsOf: URL(filePath: "\(second)/\(name)")) == bytes, "\(name)")
      }
    }

    @Test func `an import of all files takes no options of a single one`() throws {
      for option in [["--link", "a=B.c"], ["--rejects", "x"], ["--ignore-missing"]] {
        let outcome = try daemon.depot(["import", "--all", "folder"] + option)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("contradict"), "\(outcome.errors)")
      }
    }

    @Test func `a whole store that is exported and imported is the same`() throws {
      try importPackages(300)
      #expect(try depot("update", "Package", "--where", "size < 9", "home.city=Rome").status == 0)
      let first = daemon.folder.path + "/first"
      let second = daemon.folder.path + "/second"
      #expect(try depot("export", "--all", first).status == 0)
      let other = try TestDaemon(schema: "")
      let imported = try other.depot(["import", "--all", first])
      #expect(imported.status == 0, "\(imported.errors)")
      #expect(try other.depot(["export", "--all", second]).status == 0)
      let names = try FileManager.default.contentsOfDirectory(atPath: first).sorted()
      #expect(names == ["Package.ndjson", "Section.ndjson", "schema.json"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: second).sorted() == names)
      for name in names {
        let bytes = try Data(contentsOf: URL(filePath: "\(first)/\(name)"))
        #expect(try Data(contentsOf: URL(filePath: "\(second)/\(name)")) == bytes, "\(name)")
        #expect(!bytes.isEmpty)
      }
    }

    @Test(arguments: ["schema.json", "Package.ndjson", "letter.txt"])
    func `an export replaces an earlier one, but no files of other kinds`(name: String) throws {
      let folder = daemon.folder.path + "/backup"
      #expect(try depot("export", "--all", folder).status == 0)
      #expect(try depot("export", "--all", folder).status == 0)
      let other = daemon.folder.path + "/mine"
      try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
      try "mine".write(toFile: "\(other)/\(name)", atomically: true, encoding: .utf8)
      let outcome = try depot("export", "--all", other)
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains("files that aren't an earlier export"), "\(outcome.errors)")
      #expect(try String(contentsOfFile: "\(other)/\(name)", encoding: .utf8) == "mine")
      #expect(try FileManager.default.contentsOfDirectory(atPath: other) == [name])
    }

    @Test func `rows that are prefetched stand inside of the others`() throws {
      try importPackages(20)
      let outcome = try depot(
        "fetch",
        "Package",
        "--where",
        "name == 'p0'",
        "--prefetch",
        "section,depends.section",
        "--select",
        "name,section,depends",
        "-o",
        "ndjson"
      )
      let row = try JSONValue(parsing: outcome.output.utf8)
      #expect(row["section"]?["name"] == .string("s0"), "\(outcome.output)")
      let depends = row["depends"]?.array ?? []
      #expect(Set(depends.compactMap { $0["name"]?.string }) == ["p1", "p7"])
      #expect(depends.compactMap { $0["section"]?["name"]?.string } == ["s1", "s1"])
      #expect(try depot("fetch", "Package", "--prefetch", "section", "-o", "csv").status == 64)
    }

    @Test func `rows are grouped, told apart, divided, and continued`() throws {
      try importPackages(30)
      let groups = try depot(
        "aggregate",
        "Package",
        "--by",
        "section.name",
        "--value",
        "n=count",
        "--value",
        "sum(size)",
        "--having",
        "sum_size > 140",
        "--sort",
        "sum_size:desc",
        "-o",
        "tsv"
      )
      #expect(
        table(groups) == ["section.name,n,sum_size", "s2,10,155", "s1,10,145"],
        "\(groups.errors)"
      )
      let distinct = try depot(
        "fetch",
        "Package",
        "--select",
        "section.name",
        "--distinct",
        "-o",
        "tsv"
      )
      #expect(table(distinct) == ["section.name", "s0", "s1", "s2"])
      let sections = try depot(
        "fetch",
        "Package",
        "--select",
        "name",
        "--section-by",
        "section.name",
        "-o",
        "ndjson"
      )
      #expect(sections.lines.count == 31)
      #expect(sections.lines.last == #"{"$sections":[["s0",10],["s1",10],["s2",10]]}"#)
      let sorted = ["fetch", "Package", "--select", "size", "-o", "tsv", "--sort", "size:desc"]
      let after = try daemon.depot(sorted + ["--limit", "2", "--after", "[5, 6]"])
      #expect(table(after) == ["$id,size", "Package/5,4", "Package/4,3"])
      let expression = try daemon.depot([
        "fetch", "Package", "--select", "size", "-o", "tsv",
        "--sort", "abs(size - 20)", "--limit", "1",
      ])
      #expect(table(expression).last == "Package/21,20", "\(expression.errors)")
    }

    @Test func `whether there is a row is the exit status`() throws {
      try importPackages(3)
      let some = try depot("exists", "Package", "name == 'p2'")
      #expect(some.status == 0 && some.output == "true\n")
      let none = try depot("exists", "Package", "--where", "name == 'p3'")
      #expect(none.status == 1 && none.output == "false\n" && none.errors.isEmpty)
    }

    @Test func `changes of several entities are saved together or not at all`() throws {
      let save = ##"""
        {"insert":[{"entity":"Section","columns":["$id","name"],"rows":[["#s","new"]]},
        {"entity":"Package","columns":["$id","name","section","depends"],
        "rows":[["#a","a","#s",["#b"]],["#b","b","#s",[]]]}]}
        """##
      let outcome = try depot("save", "-", input: save)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let reply = try JSONValue(parsing: outcome.output.utf8)
      #expect(reply["inserted"] == .int64(3))
      #expect(reply["ids"]?.object?.keys.sorted() == ["#a", "#b", "#s"])
      let path = "ANY depends.section.name == 'new'"
      #expect(try depot("fetch", "Package", "-w", path, "--select", "name").lines.count == 1)
      let again = try depot("save", "-", input: save)
      #expect(again.status != 0)
      #expect(again.errors.contains("also: Package/1 has the same value"), "\(again.errors)")
      #expect(try depot("count", "Package").output == "2\n")
    }

    @Test func `a computed value is computed from each row`() throws {
      try importPackages(10)
      let outcome = try depot(
        "update",
        "Package",
        "--where",
        "size > 7",
        "--compute",
        "size=size * 10 + 1",
        "--return-ids"
      )
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output == #"{"ids":["Package/9","Package/10"],"updated":2}"# + "\n")
      let rows = try depot(
        "fetch",
        "Package",
        "--sort",
        "size:desc",
        "--limit",
        "2",
        "--select",
        "size"
      )
      #expect(rows.output.contains("91") && rows.output.contains("81"))
    }

    @Test func `standard input of an insert has related and nested rows`() throws {
      let lines = [
        #"{"name":"a","section":{"name":"s"},"depends":["b"],"home":{"city":"Rome"}}"#,
        #"{"name":"b","section":"s","depends":[{"name":"c","section":{"name":"s"}}]}"#,
      ]
      let outcome = try depot("insert", "Package", "-", input: lines.joined(separator: "\n"))
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.lines.count == 2)
      #expect(try depot("count", "Section").output == "1\n")
      #expect(try depot("count", "Package", "-w", "depends.@count == 1").output == "2\n")
      #expect(try depot("count", "Package", "-w", "home.city == 'Rome'").output == "1\n")
      let object = try depot("insert", "Package", "name=d", "section=1", #"home:={"city":"Oslo"}"#)
      #expect(object.status == 0, "\(object.errors)")
      #expect(try depot("count", "Package", "-w", "home != NULL").output == "2\n")
    }

    @Test func `an explanation tells the plan, and what a run has cost`() throws {
      try importPackages(50)
      let outcome = try depot(
        "explain",
        "Package",
        "--by",
        "section.name",
        "--value",
        "n=count",
        "--run",
        "-o",
        "table"
      )
      #expect(outcome.output.contains("Cost:   3 rows"), "\(outcome.output)\(outcome.errors)")
      #expect(outcome.output.contains("SELECT"))
      #expect(try depot("explain", "Package", "--count", "-w", "size == 1").output.contains("SCAN"))
    }

    @Test func `Ctrl-C ends the verb that runs, and the shell goes on`() throws {
      let script = """
        import os, pty, select, signal, sys, time
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ["TERM"] = "xterm"
            # The tests' threads block signals, and what they start inherits that.
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            os.execv(sys.argv[1], sys.argv[1:5])
        output = b""
        def wait(text):
            global output
            end = time.time() + 20
            while text not in output and time.time() < end:
                if select.select([terminal], [], [], 0.1)[0]:
                    output += os.read(terminal, 65536)
            if text not in output:
                sys.exit("no " + repr(text) + " in " + repr(output))
            output = output[output.index(text) + len(text):]
        wait(b"depot> ")
        os.write(terminal, ("import Section " + sys.argv[5] + "\\r").encode())
        fifo = os.open(sys.argv[5], os.O_WRONLY)
        os.write(fifo, b'{"name":"a"}\\n')
        # What was drawn until now is no answer.
        while select.select([terminal], [], [], 0.3)[0]:
            os.read(terminal, 65536)
        output = b""
        os.write(terminal, b"\\x03")
        wait(b"depot> ")
        os.write(terminal, b"count Section\\r")
        wait(b"0\\r\\n")
        os.write(terminal, b"exit\\r")
        os.waitpid(pid, 0)
        """
      let pipe = daemon.folder.path + "/pipe"
      #expect(mkfifo(pipe, 0o600) == 0)
      let outcome = try Program.python(
        script,
        [Programs.depot, "--socket", daemon.socket, "shell", pipe]
      )
      #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test func `lines of a shell that come from a pipe run one after the other`() throws {
      let lines = """
        insert Section name=s
        exists Section "name == 's'"
        fetch Nothing
        count Section
        """
      let outcome = try depot("shell", input: lines)
      #expect(outcome.status == 0)
      #expect(outcome.lines.suffix(2) == ["true", "1"])
      #expect(outcome.errors.contains("schema.unknown_entity"))
    }
  }
}
