import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// The commands of the README and of the manual, run as they stand there.
  @Suite struct DocumentedExamplesTests {
    /// A fenced block of a page.
    struct Block: Equatable {
      var section: String
      var language: String
      var text: String
    }

    /// Returns the fenced blocks of a page; a section has a heading of the first two levels.
    static func blocks(of text: String) -> [Block] {
      var blocks: [Block] = []
      var section = ""
      var isFenced = false
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        if isFenced {
          if line == "```" {
            isFenced = false
          } else {
            blocks[blocks.count - 1].text += line + "\n"
          }
        } else if line.hasPrefix("```") {
          isFenced = true
          blocks.append(Block(section: section, language: String(line.dropFirst(3)), text: ""))
        } else if line.hasPrefix("# ") || line.hasPrefix("## ") {
          section = String(line.drop { $0 == "#" || $0 == " " })
        }
      }
      return blocks
    }

    /// Returns the fenced blocks of a language in the section with this title.
    static func blocks(of language: String, in section: String, of text: String) -> [String] {
      blocks(of: text).filter { $0.section == section && $0.language == language }.map(\.text)
    }

    /// Returns the text of a page by its path in the repository, or by its name in the manual.
    ///
    /// - Throws: A `CocoaError` if there is none.
    static func page(_ name: String) throws -> String {
      let path = name.contains(".") ? name : "Sources/Manual/Depot.docc/\(name).md"
      return try String(contentsOfFile: Programs.root + "/" + path, encoding: .utf8)
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

    @Test(
      arguments: [
        ("README.md", "Command line"), ("CommandLine", nil), ("History", nil),
        ("LiveQueries", nil), ("Migration", nil), ("Moving", nil), ("Performance", nil),
        ("Protocol", nil), ("Service", nil), ("Testing", nil),
      ] as [(String, String?)]
    )
    func `the commands of a page work, and print what it shows`(
      name: String,
      section: String?
    ) throws {
      var page = PlayedPage(try Self.page(name), section: section)
      let outcome = try page.play()
      #expect(outcome.status == 0, "\(outcome.output)\n\(outcome.errors)")
      for command in page.commands {
        let (shown, printed) = (PlayedPage.plain(command.shown), PlayedPage.plain(command.printed))
        #expect(printed == shown, "\(command.text)\n\(command.printed)")
      }
    }
  }
}
