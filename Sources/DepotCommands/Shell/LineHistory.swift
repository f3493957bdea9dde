/// The lines typed before, and the position in them.
struct LineHistory: Equatable {
  private(set) var lines: [String]
  /// The index of the line shown; the number of lines for the new line.
  private var position: Int
  /// The new line, while another is shown.
  private var draft = ""

  private static let limit = 1000

  init(_ lines: [String] = []) {
    self.lines = lines.suffix(Self.limit)
    position = self.lines.count
  }

  /// Adds a line, unless it is blank or equal to the last one.
  mutating func add(_ line: String) {
    if line.contains(where: { !$0.isWhitespace }), line != lines.last { lines.append(line) }
    if lines.count > Self.limit { lines.removeFirst() }
    leave()
  }

  /// Returns to the new line.
  mutating func leave() {
    position = lines.count
    draft = ""
  }

  /// Returns the line before the one shown, or `nil` if there is none.
  mutating func earlier(than current: String) -> String? {
    guard position > 0 else { return nil }
    if position == lines.count { draft = current }
    position -= 1
    return lines[position]
  }

  /// Returns the line after the one shown, or `nil` if there is none.
  mutating func later() -> String? {
    guard position < lines.count else { return nil }
    position += 1
    return position == lines.count ? draft : lines[position]
  }

  /// Returns the last line with `words`, searching backwards from the one shown.
  mutating func find(_ words: String, skipsCurrent: Bool) -> String? {
    let end = min(lines.count, skipsCurrent ? position : position + 1)
    guard let found = lines[..<end].lastIndex(where: { $0.contains(words) }) else { return nil }
    position = found
    return lines[found]
  }
}

extension LineHistory {
  /// Reads the lines written by ``text``.
  init(text: String) {
    self.init(
      text.split(separator: "\n").map { line in
        // Two backslashes stand for one, which doesn't begin a line break.
        line.split(separator: "\\\\", omittingEmptySubsequences: false)
          .map { $0.replacing("\\n", with: "\n") }.joined(separator: "\\")
      }
    )
  }

  /// Returns a line in the form of the history's file.
  static func encoded(_ line: String) -> String {
    line.replacing("\\", with: "\\\\").replacing("\n", with: "\\n") + "\n"
  }
}
