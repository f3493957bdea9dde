/// A page of the system's manual, in the language of man(7).
package struct ManualPage: Sendable {
  /// The page so far.
  package private(set) var text: String

  /// Begins a page.
  ///
  /// - Parameters:
  ///   - name: The name, such as `depotd`.
  ///   - section: The part of the manual that it belongs to, as in intro(1).
  ///   - source: The package and its version.
  ///   - summary: The meaning in a few words, which apropos(1) searches.
  package init(name: String, section: Int, source: String, summary: String) {
    text = """
      .TH \(name.uppercased()) \(section) "" "\(source)" ""
      .nh
      .SH NAME
      \(Self.escaped(name)) \\- \(Self.escaped(summary))

      """
  }

  /// Begins a section, whose title is in capitals.
  package mutating func section(_ title: String) {
    text += ".SH \(Self.escaped(title.uppercased()))\n"
  }

  /// Begins a part of a section.
  package mutating func subsection(_ title: String) { text += ".SS \(Self.escaped(title))\n" }

  /// Appends paragraphs, which empty lines divide; a line that begins with spaces stays as it is.
  package mutating func prose(_ paragraphs: String) {
    var isVerbatim = false
    for line in paragraphs.split(separator: "\n", omittingEmptySubsequences: false) {
      let isNext = line.hasPrefix(" ")
      if isNext != isVerbatim {
        text += isNext ? ".PP\n.nf\n.RS 4\n" : ".RE\n.fi\n.PP\n"
        isVerbatim = isNext
      }
      text += line.isEmpty ? ".PP\n" : Self.line(isNext ? line.drop { $0 == " " } : line)
    }
    if isVerbatim { text += ".RE\n.fi\n" }
  }

  /// Appends lines that are to be typed as they are.
  package mutating func commands(_ lines: [String]) {
    text += ".PP\n.nf\n.RS 4\n" + lines.map { Self.line($0[...]) }.joined() + ".RE\n.fi\n"
  }

  /// Appends a synopsis in bold letters.
  package mutating func synopsis(_ line: String) {
    text += ".PP\n.B " + Self.escaped(line) + "\n"
  }

  /// Appends a term and its meaning.
  package mutating func item(_ term: String, _ meaning: String) {
    text += ".TP\n.B \(Self.escaped(term))\n"
    let lines = meaning.split(separator: "\n").map { Self.line($0) }
    text += lines.isEmpty ? "\\&\n" : lines.joined()
  }

  private static func line(_ line: Substring) -> String {
    let isRequest = line.first == "." || line.first == "'"
    return (isRequest ? "\\&" : "") + escaped(String(line)) + "\n"
  }

  /// Returns a text with the characters that have a meaning of their own, or that would be shown as others,
  /// in troff's spelling.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "\"": result += "\\(dq"
      case "…": result += "..."
      default: result.append(character)
      }
    }
    return result
  }
}
