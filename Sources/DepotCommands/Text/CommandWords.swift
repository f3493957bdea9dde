/// The words of a line in the shell.
///
/// Spaces separate words. Text in single quotation marks is literal. In double ones a backslash
/// escapes a quotation mark, `\`, `$`, or `` ` ``, and outside of quotation marks any character.
/// `#` at the beginning of a word starts a comment.
struct CommandWords: Equatable {
  /// The commands of the text, one on each line.
  private(set) var commands: [[String]] = []
  /// The quotation mark that is still open at the end of the text.
  private(set) var openQuote: Character?
  /// The words of the last command, and an empty word if the text ends between words.
  private(set) var current: [String] = []
  private(set) var endsInBackslash = false

  init(_ text: String) {
    var words: [String] = []
    var word: String?
    var isComment = false
    func endCommand(_ commands: inout [[String]]) {
      if let word { words.append(word) }
      word = nil
      if !words.isEmpty { commands.append(words) }
      words = []
      isComment = false
    }
    for character in text {
      if isComment, character != "\n" { continue }
      if endsInBackslash {
        endsInBackslash = false
        if character == "\n", openQuote == nil { continue }
        let isPlain = openQuote == "\"" && !"\"\\$`".contains(character)
        word = (word ?? "") + (isPlain ? "\\" : "") + String(character)
        continue
      }
      switch character {
      case "\\" where openQuote != "'": endsInBackslash = true
      case openQuote: openQuote = nil
      case "'" where openQuote == nil, "\"" where openQuote == nil:
        openQuote = character
        word = word ?? ""
      case "\n" where openQuote == nil: endCommand(&commands)
      case _ where openQuote == nil && character.isWhitespace:
        if let complete = word { words.append(complete) }
        word = nil
      case "#" where openQuote == nil && word == nil: isComment = true
      default: word = (word ?? "") + String(character)
      }
    }
    current = isComment ? [] : words + [word ?? ""]
    endCommand(&commands)
  }

  /// Whether the text ends within a word.
  var isIncomplete: Bool { openQuote != nil || endsInBackslash }

  /// Returns a word quoted for any shell.
  static func quoted(_ word: String) -> String {
    let isPlain = word.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber) || "_-+=:,./@%".contains($0)
    }
    guard !isPlain || word.isEmpty else { return word }
    let parts = word.split(separator: "'", omittingEmptySubsequences: false)
    return "'" + parts.joined(separator: "'\\''") + "'"
  }

  /// Returns the rest of a word as it must be typed after this text.
  ///
  /// In another shell more characters have a meaning and are escaped.
  func typed(_ rest: some StringProtocol, isForOtherShell: Bool = false) -> String {
    var result = ""
    for character in rest {
      if openQuote == "'", character == "'" {
        result += "'\\''"
        continue
      }
      let needsBackslash =
        switch openQuote {
        case nil where isForOtherShell:
          character.isASCII && !character.isLetter && !character.isNumber
            && !"_./,:=@%+-".contains(character)
        case nil: character.isWhitespace || "\"'\\#".contains(character)
        case "\"" where isForOtherShell: "\"\\$`".contains(character)
        case "\"": "\"\\".contains(character)
        default: false
        }
      result += (needsBackslash ? "\\" : "") + String(character)
    }
    return result
  }
}
