import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// The examples of the README, run as they stand there.
  @Suite struct DocumentedExamplesTests {
    /// Returns the fenced blocks of a language in the section with this title.
    static func blocks(of language: String, in section: String, of text: String) -> [String] {
      var blocks: [String] = []
      var isInSection = false
      var fence: String?
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        if let open = fence {
          if line == "```" {
            fence = nil
          } else if isInSection, open == language {
            blocks[blocks.count - 1] += line + "\n"
          }
        } else if line.hasPrefix("```") {
          fence = String(line.dropFirst(3))
          if isInSection, fence == language { blocks.append("") }
        } else if line.hasPrefix("#") {
          let level = line.prefix { $0 == "#" }.count
          if level <= 2 { isInSection = line.drop { $0 == "#" || $0 == " " } == section }
        }
      }
      return blocks
    }

    @Test func `blocks are found by their section and language`() {
      let text = """
        # Title
        ```sh
        no
        ```
        ## First steps
        ```sh
        one
        # two
        ```
        ### More
        ```console
        no
        ```
        ```sh
        three
        ```
        ## Else
        ```sh
        no
        ```
        """
      let blocks = Self.blocks(of: "sh", in: "First steps", of: text)
      #expect(blocks == ["one\n# two\n", "three\n"])
    }

    private static let readme = Programs.root + "/README.md"

    @Test(.enabled(if: FileManager.default.fileExists(atPath: readme), "there is no README"))
    func `the README's first steps work`() throws {
      let text = try String(contentsOfFile: Self.readme, encoding: .utf8)
      let blocks = Self.blocks(of: "sh", in: "First steps", of: text)
      #expect(!blocks.isEmpty)
      let folder = try TemporaryFolder()
      let environment = [
        "PATH": Programs.folder + ":/usr/local/bin:/usr/bin:/bin",
        "DEPOT_SOCKET": folder.path + "/s",
        "XDG_DATA_HOME": folder.path + "/data",
      ]
      defer { StartedService.end(at: folder.path + "/s") }
      let script = "set -e\ncd \(folder.path)\n" + blocks.joined(separator: "\n")
      let outcome = try Program.run(["bash", "-c", script], environment: environment)
      #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
    }
  }
}
