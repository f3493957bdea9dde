/// A page of the system's manual, in the language of man(7).
package struct ManualPage: Sendable {
  /// The text of the page so far.
  package private(set) var text: String

  /// Starts a page.
  ///
  /// - Parameters:
  ///   - name: The name, such as `depotd`.
  ///   - section: The section of the manual, as in intro(1).
  ///   - source: The package and its version.
  ///   - summary: The purpose in a few words, which apropos(1) searches.
  package init(name: String, section: Int, source: String, summary: String) {
    text = """
      .TH \(name.uppercased()) \(section) "" "\(source)" ""
      .nh
      .SH NAME
      \(Self.escaped(name)) \\- \(Self.escaped(summary))

      """
  }

  /// Starts a section, whose title is in capitals.
  package mutating func section(_ title: String) {
    text += ".SH \(Self.escaped(title.uppercased()))\n"
  }

  /// Starts a subsection.
  package mutating func subsection(_ title: String) { text += ".SS \(Self.escaped(title))\n" }

  /// Appends paragraphs, separated by empty lines; a line that begins with spaces isn't changed.
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

  /// Appends lines that the reader can type literally.
  package mutating func commands(_ lines: [String]) {
    text += ".PP\n.nf\n.RS 4\n" + lines.map { Self.line($0[...]) }.joined() + ".RE\n.fi\n"
  }

  /// Appends a synopsis in bold.
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

  /// Returns a text with the characters escaped that troff would interpret or replace.
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
