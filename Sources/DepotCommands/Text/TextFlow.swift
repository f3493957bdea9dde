/// Breaks text into lines that are no wider than a terminal.
///
/// Lines end between words. A word wider than a line gets a line of its own, uncut, so that it can
/// still be copied.
enum TextFlow {
  /// The margin left of a table's rows.
  private static let margin = 2
  private static let gap = 2
  /// The least room for the second column of a table; with less it goes below the first.
  private static let narrowest = 20
  /// The widest first column; a wider name has its second column below it.
  private static let widestName = 34

  /// Returns the lines of one paragraph.
  static func lines(_ text: some StringProtocol, width: Int) -> [String] {
    var lines: [String] = []
    var room = 0
    for word in text.split(whereSeparator: \.isWhitespace) {
      let columns = TextWidth.columns(String(word))
      if let last = lines.last, columns + 1 <= room {
        lines[lines.count - 1] = last + " " + word
        room -= columns + 1
      } else {
        lines.append(String(word))
        room = width - columns
      }
    }
    return lines
  }

  /// Wraps one line of text for a width, with `indentation` spaces before each new line.
  ///
  /// A text that fits, or without a width, stays unchanged.
  static func wrapped(_ text: String, width: Int?, indentation: Int) -> String {
    guard let width, TextWidth.columns(text) > width - indentation else { return text }
    let indent = String(repeating: " ", count: indentation)
    return lines(text, width: max(narrowest, width - indentation)).joined(separator: "\n" + indent)
  }

  /// Returns paragraphs with new line breaks; blank lines stay between them.
  ///
  /// A line that begins with spaces is an item of a list: it stays a line, and its overflow goes
  /// below the text after its name.
  static func paragraphs(_ text: String, width: Int) -> String {
    var result = ""
    var words = ""
    func endParagraph() {
      for line in lines(words, width: width) { result += line + "\n" }
      words = ""
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty {
        endParagraph()
        result += "\n"
      } else if line.first == " " {
        endParagraph()
        result += item(line, width: width)
      } else {
        words += line + " "
      }
    }
    endParagraph()
    return result
  }

  /// Returns an item of a list, with several spaces between its name and text.
  private static func item(_ line: Substring, width: Int) -> String {
    let start = line.prefix { $0 == " " }.count
    let name = line.dropFirst(start).prefix { $0 != " " }
    let spaces = line.dropFirst(start + name.count).prefix { $0 == " " }.count
    let isNamed = spaces > 1
    let rest = line.dropFirst(start + (isNamed ? name.count + spaces : 0))
    let column = start + (isNamed ? name.count + spaces : 0)
    guard width - column >= narrowest || !isNamed else {
      let indentation = String(repeating: " ", count: start + margin)
      return line.prefix(start) + name + "\n"
        + lines(rest, width: width - start - margin).map { indentation + $0 + "\n" }.joined()
    }
    let indentation = String(repeating: " ", count: column)
    let joined = lines(rest, width: width - column).joined(separator: "\n" + indentation)
    return line.prefix(column) + joined + "\n"
  }

  /// Returns a table of names and their meanings.
  ///
  /// The second column is as far to the right as the names need it; where that leaves too little room
  /// it is below the first.
  static func table(_ rows: [(String, String)], width: Int) -> String {
    let names = rows.map { TextWidth.columns($0.0) }.filter { $0 <= widestName }.max() ?? 0
    var column = margin + names + gap
    let isStacked = width - column < narrowest
    if isStacked { column = margin * 4 }
    return rows.map { name, text in
      let indentation = String(repeating: " ", count: column)
      let lines = lines(text, width: width - column)
      let joined = lines.joined(separator: "\n" + indentation) + "\n"
      let columns = TextWidth.columns(name)
      let start = String(repeating: " ", count: margin) + name
      if isStacked || columns > names { return start + "\n" + indentation + joined }
      return start + String(repeating: " ", count: names + gap - columns) + joined
    }.joined()
  }

  /// Returns a command line broken into lines that a shell reads as one.
  ///
  /// An option stays with its value, and a redirection with its file, as far as they can be
  /// recognized.
  static func command(_ text: String, width: Int) -> String {
    // Text with line breaks keeps them.
    if text.contains("\n") { return text + "\n" }
    var parts: [String] = []
    var isOpen = false
    for word in text.parts(at: " ") where !word.isEmpty {
      let isSign = ["|", ">", "<"].contains(word)
      if isOpen, !isSign, word.first != "-", let last = parts.last {
        parts[parts.count - 1] = last + " " + word
        isOpen = false
      } else {
        parts.append(word)
        isOpen = word.first == "-" && word != "-" || isSign
      }
    }
    var lines: [String] = []
    for (index, part) in parts.enumerated() {
      let columns = TextWidth.columns(part)
      // Every line but the last needs room for a backslash.
      let room = width - (index == parts.count - 1 ? 0 : 2)
      if let last = lines.last, TextWidth.columns(last) + 1 + columns <= room {
        lines[lines.count - 1] = last + " " + part
      } else {
        lines.append((lines.isEmpty ? "" : "  ") + part)
      }
    }
    return lines.joined(separator: " \\\n") + "\n"
  }
}

extension String {
  /// The text with spaces before each of its lines that has any text.
  func indented(by count: Int) -> String {
    let indentation = String(repeating: " ", count: count)
    return split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty ? "" : indentation + $0 }.joined(separator: "\n")
  }
}
