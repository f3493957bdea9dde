import DepotProtocol
import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// The operations guide: its commands are run, and its tables hold what they must.
  @Suite(.serialized) struct OperationsGuideTests {
    private let guide: String

    init() throws {
      guide = try String(
        contentsOfFile: Programs.root + "/Sources/depotd/depotd.docc/Operations.md",
        encoding: .utf8
      )
    }

    /// Stand-ins for programs that would change this machine: each checks what it is given.
    private static let standIns = [
      "sudo": "[ \"$1\" = -u ] && [ \"$2\" = depot ] && shift 2; exec \"$@\"",
      "make": "exec /usr/bin/make -n -C '\(Programs.root)' \"$@\"",
      "apt":
        "[ \"$1\" = install ] && shift && for file; do case $file in ./.build/deb/*.deb) ;; *) exit 1;; esac; done",
      "usermod": "[ \"$1 $2 $#\" = '-aG depot 3' ]",
      "systemctl": """
      folder='\(Programs.root)/Sources/depotd/Packaging/debian'
      user=; verb=
      for word; do
        case $word in
          --user) user=.user ;;
          --now) ;;
          depotd-metrics.*) [ -e "$folder/depotd.$word" ] || exit 1 ;;
          depotd.*) [ -e "$folder/depotd$user.${word#depotd.}" ] || exit 1 ;;
          *) verb=$word ;;
        esac
      done
      case $verb in
        stop) exec depot service stop ;;
        start) exec depot service start --data "$DATA" ;;
        enable|edit|reload) ;;
        *) exit 1 ;;
      esac
      """,
    ]

    @Test func `every command of the guide works`() throws {
      let daemon = try TestDaemon(
        schema: #"{"entities":[{"name":"Note","attributes":[{"name":"number","type":"int64"}]}]}"#
      )
      defer { StartedService.end(at: daemon.socket) }
      let tools = daemon.folder.path + "/tools"
      try FileManager.default.createDirectory(
        atPath: tools,
        withIntermediateDirectories: true
      )
      for (name, text) in Self.standIns {
        let path = tools + "/" + name
        try "#!/bin/sh\n\(text)\n".write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      }
      _ = try daemon.folder.write(#"{"number":1}"#, to: "notes.ndjson")
      // The service has its store where --data puts it.
      #expect(try daemon.terminate() == 0)
      let data = daemon.folder.path + "/data"
      try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
      for suffix in ["", "-wal", ".state"]
      where FileManager.default.fileExists(atPath: daemon.store + suffix) {
        try FileManager.default.moveItem(
          atPath: daemon.store + suffix,
          toPath: data + "/depot.sqlite" + suffix
        )
      }
      let service = try TestProcess(
        [Programs.daemon, "--socket", daemon.socket, "--data", data],
        errors: .file(daemon.folder.path + "/log")
      )
      try expectSoon("no service") { (try? RawConnection(daemon.socket)) != nil }
      let blocks = guide.components(separatedBy: "```sh\n").dropFirst()
        .compactMap { $0.components(separatedBy: "```").first }
      #expect(blocks.count >= 9)
      let script =
        "set -e\ncd '\(daemon.folder.path)'\n"
        + blocks.joined()
        .replacing("/run/depot/depot.sock", with: daemon.socket)
        // What comes next shall meet the new service; the test waits for the old one only at the end.
        .replacing(
          "\"$DATA\" &\n",
          with:
            "\"$DATA\" &\nwhile [ \"$(cut -d' ' -f3 /proc/\(service.identifier)/stat)\" != Z ]; "
            + "do kill -0 $!; sleep 0.05; done\n"
        )
      let outcome = try Program.run(
        ["bash", "-x", "-c", script],
        environment: [
          "MAKEFLAGS": nil, "MAKELEVEL": nil,
          "PATH": "\(tools):\(Programs.folder):/usr/local/bin:/usr/bin:/bin",
          "DATA": data, "STORE": data + "/depot.sqlite",
          "FOLDER": daemon.folder.path + "/exported", "BACKUPS": daemon.folder.path,
        ]
      )
      #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
      #expect(service.wait(within: patience) == 0, "the takeover didn't end it")
    }

    @Test func `every exit status of depot and depotd, and every error of the disk, is explained`()
      throws
    {
      let sections = guide.components(separatedBy: "\nExit statuses of ")
      try #require(sections.count == 3)
      for (command, section) in [
        ([Programs.depot, "__manual", "depot.1"], sections[1]),
        ([Programs.daemon, "--print-manual"], sections[2]),
      ] {
        let manual = try Program.run(command).output
        let list = manual.components(separatedBy: ".SH EXIT STATUS\n").last?
          .components(separatedBy: "\n.SH ").first
        let statuses = (list ?? "").matches(of: /\.B ([0-9]+)\n/).map { $0.1 }
        #expect(statuses.count > 6)
        for status in statuses where status != "0" && status != "141" {
          #expect(section.contains("\n| \(status) | "), "\(command[0]) \(status)")
        }
      }
      let errors = try String(
        contentsOfFile: Programs.root + "/proto-docs/errors.json",
        encoding: .utf8
      )
      let codes = Set(errors.matches(of: /"(storage\.[a-z_]+)"/).map { $0.1 })
      #expect(codes.count >= 4)
      for code in codes { #expect(guide.contains("\n| `\(code)` | "), "\(code)") }
    }

    @Test func `every setting and metric that the guide names is there`() throws {
      let daemon = try TestDaemon()
      try daemon.connect().fill(1)
      let metrics = try daemon.depot(["stats", "--prometheus"]).output
      for name in guide.matches(of: /`(depot_[a-z_]+)`/).map({ $0.1 }) {
        #expect(metrics.contains("# HELP \(name) "), "\(name)")
      }
      let help = try Program.run([Programs.daemon, "--help"]).output
      let table = guide.components(separatedBy: "## Limits and sizes").last ?? ""
      for line in table.split(separator: "\n").prefix(9) where line.hasPrefix("| `") {
        for name in line.split(separator: "|")[0].matches(of: /`([a-z-]+)`/).map({ $0.1 }) {
          #expect(help.contains("\n  --\(name) "), "\(name)")
        }
      }
    }
  }
}
