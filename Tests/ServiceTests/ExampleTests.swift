import DepotClient
import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// The example programs, each run as the manual shows it.
  @Suite struct ExampleTests {
    struct Example: CustomTestStringConvertible, Sendable {
      var name: String
      var output: String
      var testDescription: String { name }
    }

    static let all: [Example] = {
      let page = (try? DocumentedExamplesTests.page("Examples")) ?? ""
      return DocumentedExamplesTests.blocks(of: "console", in: "Examples", of: page).map {
        block in
        let lines = block.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        let name = lines[0].dropFirst(2).split(separator: "/").last.map(String.init) ?? ""
        return Example(name: name, output: lines.count > 1 ? String(lines[1]) : "")
      }
    }()

    @Test func `the manual shows all five`() {
      #expect(
        Self.all.map(\.name) == [
          "example-users", "example-repository", "example-trips", "example-to-do",
          "example-library",
        ]
      )
    }

    @Test(arguments: all)
    func `an example prints what the manual says with the engine inside`(example: Example) throws {
      try run(example, ["DEPOT_EMBEDDED": "1"])
    }

    @Test(arguments: all)
    func `an example prints what the manual says with a service`(example: Example) throws {
      try run(example, ["DEPOT_DAEMON": Programs.daemon, "DEPOT_EMBEDDED": "0"])
    }

    @Test(.enabled(if: TemporaryCluster.isAvailable))
    func `the library's processes may have services of two hosts`() throws {
      let cluster = try TemporaryCluster()
      let folder = try TemporaryFolder()
      let services = try (0..<2).map { number in
        try TestDaemon(["--cache", folder.path + "/\(number)"], schema: "")
      }
      let library = try #require(Self.all.last)
      let outcome = try Program.run(
        [
          Programs.folder + "/" + library.name,
          "postgresql://depot@/postgres?host=\(cluster.path)",
        ],
        environment: [
          "DEPOT_EMBEDDED": nil, "DEPOT_SOCKET": services[0].socket,
          "ELSEWHERE": services[1].socket,
        ]
      )
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output == library.output)
      for service in services {
        #expect(try service.connect().containers().count == 2)
      }
    }

    private func run(_ example: Example, _ more: [String: String]) throws {
      let folder = try TemporaryFolder()
      let environment = StartedService.environment(in: folder.path).merging([
        "PATH": "/usr/local/bin:/usr/bin:/bin", "TMPDIR": folder.path,
      ]) { $1 }.merging(more) { $1 }
      defer { StartedService.end(at: StartedService.socket(in: folder.path)) }
      let outcome = try Program.run(
        [Programs.folder + "/" + example.name],
        environment: environment
      )
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output == example.output)
    }
  }
}
