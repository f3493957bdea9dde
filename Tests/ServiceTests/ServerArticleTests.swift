import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// The programs of the article for servers, and those of the pages of the client, its protocol, and the
  /// manual, each checked by the compiler as it stands there.
  @Suite struct ServerArticleTests {
    /// The Swift blocks of pages, each a file of its own.
    private static let blocks = [
      "SwiftData/SwiftData.docc/Servers.md", "DepotClient/DepotClient.docc/DepotClient.md",
      "DepotProtocol/DepotProtocol.docc/DepotProtocol.md",
      "Manual/Depot.docc/LiveQueries.md", "Manual/Depot.docc/History.md",
      "Manual/Depot.docc/Testing.md",
    ].flatMap { page -> [String] in
      let path = Programs.root + "/Sources/" + page
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      return text.components(separatedBy: "```swift\n").dropFirst()
        .compactMap { $0.components(separatedBy: "\n```").first }
        .filter { !$0.hasPrefix("// swift-tools-version") }
    }

    @Test func `every program compiles`() throws {
      #expect(Self.blocks.count == 13)
      let folder = try TemporaryFolder()
      for (name, source) in ServerStandIns.modules {
        let path = try folder.write(source, to: name + ".swift")
        try compile([
          "-emit-module", "-parse-as-library", "-module-name", name, path, "-I", folder.path, "-o",
          "\(folder.path)/\(name).swiftmodule",
        ])
      }
      for (number, block) in Self.blocks.enumerated() {
        // A block that needs what its page has said shows no imports.
        let imports =
          block.hasPrefix("import") ? "" : "import DepotClient\nimport ServiceLifecycle\n"
        let path = try folder.write(imports + block, to: "program\(number).swift")
        let form = block.contains("@main") ? ["-parse-as-library"] : []
        try compile(
          ["-typecheck", path, "-I", folder.path] + form + Programs.pluginOptions
            + Programs.moduleOptions
        )
      }
    }

    private func compile(_ options: [String]) throws {
      let outcome = try Program.run(["swiftc", "-swift-version", "6", "-gnone"] + options)
      #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }
  }
}
