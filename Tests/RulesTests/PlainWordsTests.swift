import Foundation
import Testing

/// The words of comments, which a stranger reads once.
@Suite struct PlainWordsTests {
  /// The most lines of comments with one of ``words``: lower me as soon as there are fewer.
  private static let limit = 0

  /// Words that hide the subject of a sentence or the noun that it is about.
  ///
  /// Name the subject instead: "Every program's copy updates" rather than "Whoever saves is told",
  /// "the identifier of the row" rather than "that of the row".
  private static let words = [
    "what", "whoever", "whatever", "whom", "that of", "those that", "is told", "hears", "goes on",
    "takes in", "of which", "in which",
  ]

  @Test func `comments have no more words than before that make a reader guess`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let sources = root.appending(path: "Sources")
    let paths = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String }
    var counts: [String: Int] = [:]
    for path in paths ?? [] where path.hasSuffix(".swift") {
      let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
      let count = Self.count(in: text)
      if count > 0 { counts[path] = count }
    }
    let total = counts.values.reduce(0, +)
    let worst = counts.sorted { $0.value > $1.value }.prefix(10).map { "\($0.value) in \($0.key)" }
    #expect(
      total <= Self.limit,
      """
      \(total) lines of comments have one of the words \(Self.words.joined(separator: ", ")); \
      \(Self.limit) are allowed (lower me if there are fewer). Most: \(worst.joined(separator: ", ")).
      """
    )
  }

  @Test(arguments: [
    ("let a = 1  // What it holds.", 1), ("/// The row,\n/// in which it is.", 1),
    ("let what = whoever", 0), ("/// Somewhat whatsoever.", 0), ("// That\n// of", 0),
    ("/// Those that stay,\n/// and that of which", 2),
  ])
  func `words are counted once in each line of a comment`(text: String, count: Int) {
    #expect(Self.count(in: text) == count)
  }

  /// Returns how many lines of a text have one of the words behind `//`.
  private static func count(in text: String) -> Int {
    text.split(separator: "\n").count { line in
      guard let start = line.firstRange(of: "//") else { return false }
      // Whole words only: each is enclosed by spaces here.
      let letters = line[start.upperBound...].lowercased().map { $0.isLetter ? $0 : " " }
      let comment = " " + String(letters).split(separator: " ").joined(separator: " ") + " "
      return words.contains { comment.contains(" \($0) ") }
    }
  }
}
