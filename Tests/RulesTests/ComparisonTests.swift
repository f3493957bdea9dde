import Foundation
import Testing

/// The page that compares Depot with SwiftData on Apple's systems names a test in every row.
@Suite struct ComparisonTests {
  private let page: String
  private let tests: Set<String>

  init() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    page = try String(
      contentsOf: root.appending(path: "Sources/SwiftData/SwiftData.docc/Comparison.md"),
      encoding: .utf8
    )
    let folder = root.appending(path: "Tests")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    tests = try (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
      .reduce(into: []) {
        $0.formUnion(Self.tests(in: try String(contentsOf: $1, encoding: .utf8)))
      }
  }

  @Test func `each row names tests that exist`() {
    let rows = Self.rows(of: page)
    #expect(rows.count > 80)
    for row in rows {
      #expect(row.cells.count == 4, "not four cells: \(row.cells)")
      let named = Self.codeSpans(of: row.cells.last ?? "")
      #expect(!named.isEmpty, "no test: \(row.cells)")
      for name in named {
        let isThere = tests.contains(name)
        #expect(isThere, "there is no test \"\(name)\"")
      }
    }
  }

  @Test func `each section has a table`() {
    let rows = Self.rows(of: page)
    let sections = page.split(separator: "\n").filter { $0.hasPrefix("### ") }
      .map { String($0.dropFirst(4)) }
    #expect(sections.count > 10)
    #expect(Set(rows.map(\.section)) == Set(sections))
  }

  @Test func `tests are found by their suites and sentences`() {
    let source = """
      @Suite(.serialized)
      struct `Two words` {
        @Test func `it is so`() {}
        @Test(arguments: [1])
        func `it is so for all`(number: Int) {}
      }
      @MainActor @Suite struct Plain {
        @Test func `this too`() throws {}
        func helper() {}
      }
      extension Plain { @Test func `from afar`() {} }
      """
    #expect(
      Self.tests(in: source) == [
        "Two words: it is so", "Two words: it is so for all", "Plain: this too", "Plain: from afar",
      ]
    )
  }

  // MARK: - Reading

  private struct Row {
    var section: String
    var cells: [String]
  }

  /// Returns the rows of all tables, without those that are headings.
  private static func rows(of page: String) -> [Row] {
    var rows: [Row] = []
    var section = ""
    for line in page.split(separator: "\n") {
      if line.hasPrefix("### ") { section = String(line.dropFirst(4)) }
      guard line.hasPrefix("|") else { continue }
      if line.hasPrefix("|--") {
        rows.removeLast()
      } else {
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        rows.append(Row(section: section, cells: cells))
      }
    }
    return rows
  }

  /// Returns what stands between backticks.
  private static func codeSpans(of text: String) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }

  /// Returns the tests of a source file, each as "Suite: sentence".
  private static func tests(in source: String) -> Set<String> {
    var found: Set<String> = []
    var suite = ""
    var isSuite = false
    for line in source.split(separator: "\n") {
      if line.contains("@Suite") { isSuite = true }
      let type = ["struct ", "class ", "extension "].lazy.compactMap { word in
        line.firstRange(of: word).map { line[$0.upperBound...] }
      }.first
      if let type, isSuite || line.hasPrefix("extension ") {
        suite =
          type.hasPrefix("`")
          ? String(type.dropFirst().prefix { $0 != "`" })
          : String(type.prefix { $0.isLetter || $0.isNumber })
        isSuite = false
      }
      if let start = line.firstRange(of: "func `") {
        found.insert("\(suite): \(line[start.upperBound...].prefix { $0 != "`" })")
      }
    }
    return found
  }
}
