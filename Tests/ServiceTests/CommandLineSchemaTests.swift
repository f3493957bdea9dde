import DepotClient
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// The verbs of `depot` that change a store's schema.
  @Suite(.serialized) struct CommandLineSchemaTests {
    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon(schema: "")
      #expect(try apply("schema.json", "1.0.0", Self.items).status == 0)
      for arguments in [["Item", "name=a", "size=1"], ["Item", "name=b"], ["Note", "text=x"]] {
        #expect(try daemon.depot(["insert"] + arguments).status == 0)
      }
    }

    private static let items = """
      {"name":"Item","attributes":[{"name":"name","type":"string"},\
      {"name":"size","type":"int64","optional":true}]},\
      {"name":"Note","attributes":[{"name":"text","type":"string"}]}
      """

    /// Without notes, and with items that have another name and no size.
    private static let smaller = """
      {"name":"Item","attributes":[{"name":"title","type":"string","originalName":"name"}]}
      """

    private func write(_ name: String, _ version: String, _ entities: String) throws -> String {
      try daemon.folder.write(#"{"version":"\#(version)","entities":[\#(entities)]}"#, to: name)
    }

    private func apply(_ name: String, _ version: String, _ entities: String) throws -> Outcome {
      try daemon.depot(["schema", "apply", try write(name, version, entities)])
    }

    private func backups() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path)
        .filter { $0.contains(".backup-") }
    }

    private var schema: String {
      get throws { try daemon.depot(["schema", "show", "-o", "ndjson"]).output }
    }

    /// The command that removes what is stored.
    private var remove: String {
      get throws {
        let name = try daemon.storeName
        return Programs.keepStoresInCluster
          ? "psql '\(name)' -c 'DROP SCHEMA depot CASCADE'" : "rm \(name) \(name)-wal"
      }
    }

    @Test func `the versions that a store had are listed, shown, and compared`() throws {
      let more = #","optional":true},{"name":"more","type":"bool","optional":true}"#
      let wider = Self.items.replacing(#","optional":true}"#, with: more)
      let file = try write("wider.json", "1.1.0", wider)
      #expect(try daemon.depot(["schema", "migrate", file, "--author", "ada"]).status == 0)
      let list = try daemon.depot(["schema", "versions", "-o", "ndjson"]).output
      let versions = try list.split(separator: "\n").map { try JSONValue(parsing: $0.utf8) }
      #expect(versions.map { $0["version"]?.string } == ["1.1.0", "1.0.0"])
      #expect(versions.map { $0["author"]?.string } == ["ada", nil])
      let first = try daemon.depot(["schema", "versions", "1"]).output
      #expect(try Schema(parsing: first.utf8).version == SchemaVersion(1, 0, 0))
      let difference = try daemon.depot(["schema", "diff", "1", "2"])
      #expect(difference.output.contains("Item.more"), "\(difference)")
      let same = try daemon.depot(["schema", "diff", "2", "2", "-o", "table"])
      #expect(same.output == "The schemas are equal.\n")
      #expect(try daemon.depot(["schema", "versions", "7"]).status == 1)
      #expect(try daemon.depot(["schema", "diff", "1", "b"]).status == 64)
      // A backup has them too.
      let backup = daemon.folder.path + "/copy"
      #expect(try daemon.depot(["backup", backup]).status == 0)
      let check = try Program.run([Programs.daemon, "--check", "--store", backup])
      #expect(check.status == 0, "\(check.output)\(check.errors)")
    }

    @Test func `the versions of each store of a container are listed under its name`() throws {
      let holder = try daemon.connect()
      try holder.openContainer(ServiceTests.ContainerTests.shop)
      func versions(_ arguments: String...) throws -> [[String: JSONValue]] {
        let all = ["--container", "shop", "schema", "versions", "-o", "ndjson"] + arguments
        let outcome = try daemon.depot(all)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try outcome.lines.compactMap { try JSONValue(parsing: Array($0.utf8)).object }
      }
      #expect(try versions().map { $0["store"]?.string } == ["orders", "rest"])
      #expect(try versions("--store", "rest").map { $0["store"] } == [nil])
      let table = try daemon.depot(["--container", "shop", "schema", "versions", "-o", "table"])
      #expect(table.lines.first?.split(separator: " ").prefix(2) == ["store", "number"])
      // A number is that of one store.
      let one = try daemon.depot(["--container", "shop", "schema", "diff", "1", "1"])
      #expect(one.status == 64)
      #expect(one.errors.contains("orders, rest"), "\(one.errors)")
      let same = ["--container", "shop", "schema", "diff", "1", "1", "--store", "rest"]
      #expect(try daemon.depot(same).status == 0)
      try holder.closeContainer("shop")
    }

    @Test func `applying a newer version that would lose rows changes nothing`() throws {
      let (before, remove) = (try schema, try remove)
      for arguments in [[], ["--dry-run"]] {
        let file = try write("next.json", "2.0.0", Self.smaller)
        let outcome = try daemon.depot(["schema", "apply", file] + arguments)
        #expect(outcome.status == 65)
        #expect(outcome.output.isEmpty)
        #expect(
          outcome.errors == """
            error: schema.mismatch: \(file) does more than add to the store's schema.
              ! removed entity Note (1 row)
              ! removed attribute Item.size (2 rows)
                renamed attribute Item.name to title
              Steps marked ! lose data.
              hint: Nothing was changed. To see a migration: depot schema plan \(file)
                    To migrate: depot schema migrate \(file) --allow-loss
                    To begin afresh, without anything that is stored: depot service stop && \(remove)

            """
        )
      }
      #expect(try schema == before)
      #expect(try daemon.depot(["count", "Note"]).output == "1\n")
    }

    @Test func `applying adds, whatever the version is`() throws {
      let more = Self.items + #",{"name":"Tag","attributes":[{"name":"word","type":"string"}]}"#
      let same = try apply("same.json", "1.0.0", more)
      #expect(same.status == 0, "\(same.errors)")
      #expect(same.output.contains("added entity Tag"))
      let newer = try apply(
        "newer.json",
        "1.1.0",
        more.replacing(
          #""type":"string"},{"name":"size""#,
          with: #""type":"string"},{"name":"n","type":"int64","default":7},{"name":"size""#
        )
      )
      #expect(newer.status == 0, "\(newer.errors)")
      #expect(
        try daemon.depot(["fetch", "Item", "--select", "n", "-o", "csv"]).output == """
          $id,n\r
          Item/1,7\r
          Item/2,7\r

          """
      )
      #expect(try backups() == [])
    }

    @Test func `who edits a schema of the first hour is told how to go on, and it works`() throws {
      let outcome = try apply("schema.json", "1.0.0", Self.smaller)
      let file = daemon.folder.path + "/schema.json"
      #expect(outcome.status == 65)
      #expect(
        outcome.errors.contains(#"give \#(file) a version above 1.0.0, as in "version": "1.1.0""#)
      )
      #expect(outcome.errors.contains("depot schema migrate \(file) --allow-loss"))
      let must = Self.items.replacing(
        #","optional":true"#,
        with: #"},{"name":"must","type":"int64""#
      )
      let required = try apply("schema.json", "1.0.0", must)
      #expect(required.errors.contains("x attribute Item.must is new, but neither optional nor"))
      #expect(required.errors.contains("Make new attributes optional, or give them defaults."))
      // What the hint says about beginning afresh.
      let remove = try remove
      #expect(required.errors.contains("depot service stop && \(remove)\n"))
      #expect(try daemon.depot(["service", "stop"]).status == 0)
      #expect(try daemon.wait() == 0)
      #expect(try Program.run(["sh", "-c", remove]).status == 0)
      try daemon.start()
      #expect(try apply("schema.json", "1.0.0", Self.smaller).status == 0)
      #expect(try daemon.depot(["count", "Item"]).output == "0\n")
    }

    @Test func `a migration that loses data asks for it by name`() throws {
      let file = try write("next.json", "2.0.0", Self.smaller)
      for verb in [["plan"], ["migrate", "--dry-run"]] {
        let plan = try daemon.depot(["schema"] + verb + [file, "-o", "table"])
        #expect(plan.status == 0, "\(plan.errors)")
        #expect(plan.output.contains("! removed entity Note (1 row)\n"))
        #expect(plan.output.contains("  renamed attribute Item.name to title\n"))
        #expect(plan.output.contains("Steps marked ! lose data.\n"))
        #expect(plan.output.contains("only with --allow-loss."))
      }
      let refused = try daemon.depot(["schema", "migrate", file])
      #expect(refused.status == 65)
      #expect(refused.errors.contains("  ! removed attribute Item.size (2 rows)\n"))
      #expect(!refused.errors.contains("renamed"))
      #expect(refused.errors.contains("To lose it: depot schema migrate \(file) --allow-loss\n"))
      #expect(try backups() == [])
      #expect(try daemon.depot(["count", "Note"]).output == "1\n")
      let done = try daemon.depot(["schema", "migrate", file, "--allow-loss", "-o", "table"])
      #expect(done.status == 0, "\(done.errors)")
      #expect(done.output.contains("The backup is \(daemon.store).backup-1.0.0-1.\n"))
      #expect(try backups().count == 1)
      #expect(try daemon.depot(["fetch", "Item", "-o", "ids"]).output == "Item/1\nItem/2\n")
    }

    @Test func `a plan with rows in its way ends as the migration would`() throws {
      func schema(_ version: String, _ rule: String) -> String {
        """
        {"version":"\(version)","entities":[{"name":"T","attributes":[{"name":"a",\
        "type":"string"\(rule)}]}]}
        """
      }
      let first = try daemon.folder.write(schema("1.0.0", ""), to: "t1.json")
      let next = try daemon.folder.write(schema("2.0.0", #","unique":true"#), to: "t2.json")
      let depot = { try daemon.depot(["--container", "t"] + $0) }
      #expect(try depot(["container", "open", "t", "--schema", first]).status == 0)
      #expect(try depot(["insert", "T", "a=x"]).status == 0)
      #expect(try depot(["schema", "plan", next]).status == 0)
      #expect(try depot(["insert", "T", "a=x"]).status == 0)
      let plan = try depot(["schema", "plan", next, "-o", "table"])
      #expect(plan.output.contains("x T 1, 2 have the same a"), "\(plan)")
      #expect(plan.status == 65)
      #expect(try depot(["schema", "migrate", next]).status == 65)
    }

    @Test func `programs get the error of the protocol`() throws {
      let file = try write("next.json", "2.0.0", Self.smaller)
      let outcome = try daemon.depot(["schema", "migrate", file, "-o", "json"])
      let error = try JSONValue(parsing: outcome.errors.utf8)
      #expect(error["code"] == .string("schema.loss"))
      #expect(error["at"] == .string("/args/schema"))
      #expect(error["hint"]?.string?.contains(#""allow":"loss""#) == true)
      #expect(error["details"]?["steps"]?.array?.count == 2)
    }

    @Test func `a schema for a container or from an export only adds, too`() throws {
      let first = try write("first.json", "1.0.0", Self.items)
      let next = try write("next.json", "2.0.0", Self.smaller)
      let open = ["container", "open", "shop", "--schema"]
      #expect(try daemon.depot(open + [first]).status == 0)
      #expect(try daemon.depot(["--container", "shop", "insert", "Note", "text=x"]).status == 0)
      let refused = try daemon.depot(open + [next])
      #expect(refused.status == 65)
      #expect(refused.errors.contains("! removed entity Note (1 row)"))
      #expect(refused.errors.contains("For more than additions: depot schema migrate"))
      let conflict = try daemon.depot(["--container", "shop", "schema", "apply", next])
      #expect(
        conflict.errors.contains("depot --container shop schema migrate \(next) --allow-loss")
      )
      #expect(conflict.errors.contains("depot container close shop && rm "))
      let folder = daemon.folder.path + "/backup"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: next, toPath: folder + "/schema.json")
      #expect(try daemon.depot(["import", "--all", folder]).status == 65)
      #expect(try daemon.depot(["count", "Note"]).output == "1\n")
      #expect(try daemon.depot(["--container", "shop", "count", "Note"]).output == "1\n")
    }
  }
}
