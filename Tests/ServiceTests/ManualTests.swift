import DepotLinux
import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// The pages of the manual, as the system's own programs read them.
  @Suite struct ManualTests {
    /// Returns the pages by their names as files.
    private static func pages() throws -> [(name: String, text: String)] {
      let names = try Program.run([Programs.depot, "__manual"]).lines.map(String.init)
      return try names.map { name in
        (name, try Program.run([Programs.depot, "__manual", name]).output)
      } + [("depotd.8", try Program.run([Programs.daemon, "--print-manual"]).output)]
    }

    @Test func `each verb, option, and topic has its place`() throws {
      let pages = try Self.pages()
      #expect(
        pages.map(\.name) == ["depot.1", "depot-predicates.7", "depot-schema.7", "depotd.8"]
      )
      let text = pages[0].text
      for verb in ["fetch", "clients end", "service start", "import"] {
        #expect(text.contains("\n.SS \(verb)\n"), "\(verb)")
      }
      #expect(text.contains(#"\-w, \-\-where PREDICATE"#))
      #expect(!text.contains("__"))
      for page in pages {
        #expect(page.text.hasPrefix(".TH "), "\(page.name)")
        #expect(page.text.contains("\n.SH NAME\n"))
        #expect(page.text.contains("\n.SH SEE ALSO\n"))
      }
    }

    @Test(.enabled(if: Programs.isInstalled("groff"), "groff isn't installed"))
    func `groff formats every page without a warning`() throws {
      for page in try Self.pages() {
        let outcome = try Program.run(
          ["groff", "-man", "-Tutf8", "-ww", "-Wbreak", "-K", "utf8", "-rLL=100n"],
          input: page.text
        )
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty, "\(page.name): \(outcome.errors)")
      }
    }

    @Test(.enabled(if: Programs.isInstalled("groff"), "groff isn't installed"))
    func `what is to be typed is shown as it is typed`() throws {
      let page = try Program.run([Programs.depot, "__manual", "depot.1"]).output
      let outcome = try Program.run(
        ["groff", "-man", "-Tutf8", "-K", "utf8", "-P-cbou"],
        input: page
      )
      #expect(
        outcome.output.contains(
          "depot import Sale sales.csv --separator ';' --map 'Unit price=price' --map Remarks="
        ),
        "\(outcome.output)"
      )
    }
  }
}
