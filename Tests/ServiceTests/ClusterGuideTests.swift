import Foundation
import Glibc
import TestSupport
import Testing

extension CommandTests {
  /// The guide to stores in PostgreSQL: its commands are run, and its tables hold what there is.
  @Suite(.enabled(if: TemporaryCluster.isAvailable), .serialized)
  struct ClusterGuideTests {
    private let guide: String

    init() throws {
      guide = try Self.text("Sources/depotd/depotd.docc/Clusters.md")
    }

    private static func text(_ path: String) throws -> String {
      try String(contentsOfFile: Programs.root + "/" + path, encoding: .utf8)
    }

    private static let serve = """
      depotd --socket "$DEPOT_SOCKET" --store "postgresql://app@/app?host=$PGHOST" &
      until depot --no-start ping; do sleep 0.05; done
      """

    /// Stand-ins for programs that would change this machine.
    private static let standIns = [
      "sudo": "[ \"$1\" = -u ] && shift 2; exec \"$@\"",
      "systemctl": """
      case $1 in
        stop) exec depot service stop ;;
        start) \(serve) ;;
        *) exit 1 ;;
      esac
      """,
    ]

    @Test func `every command of the guide works`() throws {
      let cluster = try TemporaryCluster()
      let folder = try TemporaryFolder()
      let tools = folder.path + "/tools"
      try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: true)
      for (name, text) in Self.standIns {
        let path = tools + "/" + name
        try "#!/bin/sh\n\(text)\n".write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      }
      let blocks = guide.components(separatedBy: "```sh\n").dropFirst()
        .compactMap { $0.components(separatedBy: "```").first }
      #expect(blocks.count >= 8)
      let script =
        "set -e\n"
        + blocks.joined()
        .replacing("/run/postgresql", with: cluster.path)
        // Databases for the stores that come later, and a service that answers.
        .replacing(
          /depotd --socket .*&\n/,
          with: "createdb -O app shared; createdb -O app moved\n\(Self.serve)\n"
        )
      let socket = folder.path + "/s"
      defer { StartedService.end(at: socket) }
      let outcome = try Program.run(
        ["bash", "-x", "-c", script],
        environment: [
          "PATH": "\(tools):\(Programs.folder):/usr/local/bin:/usr/bin:/bin",
          "PGHOST": cluster.path, "PGUSER": "depot", "PGDATABASE": "postgres",
          "DEPOT_SOCKET": socket, "XDG_CACHE_HOME": folder.path + "/cache",
          "DATA": folder.path + "/data", "BACKUPS": folder.path,
        ]
      )
      #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
      #expect(outcome.output.contains("is sound.\nIt is durable on one machine.\n"))
      for name in guide.matches(of: /`(depot_store_cluster[a-z_]+)`/).map({ $0.1 }) {
        #expect(outcome.output.contains("# HELP \(name) "), "\(name)")
      }
    }

    @Test func `the demonstration shows what the guide says, and leaves nothing behind`() throws {
      let folder = try TemporaryFolder()
      chmod(folder.path, 0o755)
      let outcome = try Program.run(
        [Programs.root + "/Sources/Examples/Cluster/cluster.sh", Programs.folder],
        environment: ["TMPDIR": folder.path]
      )
      #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
      let shown =
        guide.components(separatedBy: "$ make demo-cluster\n").last?
        .components(separatedBy: "```").first ?? ""
      // Without times.
      func plain(_ line: Substring) -> String {
        String(line.dropFirst(4)).replacing(/after [0-9]+ ms/, with: "")
      }
      let printed = Set(outcome.lines.map(plain))
      let lines = shown.split(separator: "\n").map(plain)
      #expect(lines.count > 10)
      for line in lines { #expect(printed.contains(line), "\(line)\n\(outcome.output)") }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func `every error of the guide is one that there is`() throws {
      let codes = try Self.text("proto-docs/errors.json")
      let sources = try ["Address", "Copy", "CommitTarget", "Session", "Tables"].map {
        try Self.text("Sources/DepotEngine/Cluster/Cluster\($0).swift")
      }.joined()
      let table =
        guide.components(separatedBy: "## Errors and remedies").last?
        .components(separatedBy: "\n## ").first ?? ""
      let rows = table.split(separator: "\n").filter { $0.hasPrefix("| `") }
      #expect(rows.count > 10)
      for row in rows {
        let first = row.split(separator: "|")[0]
        for code in first.matches(of: /`([a-z_.]+)`/) {
          #expect(codes.contains("\"\(code.1)\""), "\(code.1)")
        }
        for text in first.matches(of: /"([^"]+)"/) {
          #expect(sources.contains(text.1), "\(text.1)")
        }
      }
    }
  }
}
