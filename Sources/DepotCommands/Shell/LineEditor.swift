/// The line being typed, a value changed by keys.
struct LineEditor {
  /// A request of the editor after a key.
  enum Event: Equatable {
    /// The line is complete.
    case line(String)
    /// The user asks for completions.
    case complete
    /// The screen must be wiped.
    case clear
    /// The line was abandoned.
    case interrupt
    /// The input has ended.
    case end
  }

  private(set) var text: [Character] = []
  /// The number of characters before the cursor.
  private(set) var cursor = 0
  private(set) var history: LineHistory
  /// The words searched for in the history, and whether they were found.
  private(set) var search: (words: String, isFound: Bool)?
  private var killed: [Character] = []
  /// Whether a line is incomplete though it was ended, for example within a string.
  private let isIncomplete: (String) -> Bool

  init(
    history: LineHistory = LineHistory(),
    isIncomplete: @escaping (String) -> Bool = { _ in false }
  ) {
    self.history = history
    self.isIncomplete = isIncomplete
  }

  /// The text before the cursor.
  var head: String { String(text[..<cursor]) }

  /// Changes the line according to a key.
  mutating func handle(_ key: Key) -> Event? {
    if search != nil, handleInSearch(key) { return nil }
    switch key {
    case .text(let typed): insert(typed)
    case .paste(let pasted): insert(Self.cleaned(pasted))
    case .enter: return enter()
    case .tab: return .complete
    case .interrupt:
      history.leave()
      replace("")
      return .interrupt
    case .endOfInput:
      if text.isEmpty { return .end }
      remove(cursor..<min(cursor + 1, text.count))
    case .clear: return .clear
    case .search: search = ("", true)
    case .up: replace(history.earlier(than: String(text)))
    case .down: replace(history.later())
    case .cancel: break
    default: edit(key)
    }
    return nil
  }

  private mutating func edit(_ key: Key) {
    switch key {
    case .backspace: remove(max(0, cursor - 1)..<cursor)
    case .delete: remove(cursor..<min(cursor + 1, text.count))
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(text.count, cursor + 1)
    case .wordLeft: cursor = wordStart(Self.isWord)
    case .wordRight: cursor = wordEnd
    case .home: cursor = 0
    case .end: cursor = text.count
    case .killToStart: kill(0..<cursor)
    case .killToEnd: kill(cursor..<text.count)
    case .killWord: kill(wordStart { !$0.isWhitespace }..<cursor)
    case .killNextWord: kill(cursor..<wordEnd)
    case .yank: insert(String(killed))
    default: break
    }
  }

  /// Inserts text at the cursor; a combining mark joins the character before it.
  mutating func insert(_ inserted: String) {
    let before = Array(head + inserted)
    text = before + text[cursor...]
    cursor = before.count
  }

  private mutating func remove(_ range: Range<Int>) {
    text.removeSubrange(range)
    cursor = range.lowerBound
  }

  private mutating func kill(_ range: Range<Int>) {
    if !range.isEmpty { killed = Array(text[range]) }
    remove(range)
  }

  private mutating func replace(_ line: String?) {
    guard let line else { return }
    text = Array(line)
    cursor = text.count
  }

  private mutating func enter() -> Event? {
    let line = String(text)
    if isIncomplete(line) {
      cursor = text.count
      insert("\n")
      return nil
    }
    history.add(line)
    replace("")
    return .line(line)
  }

  private static func cleaned(_ pasted: String) -> String {
    let lines = pasted.split(omittingEmptySubsequences: false) { $0.isNewline }
    return lines.map { line in
      String(String.UnicodeScalarView(line.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }))
    }.joined(separator: "\n")
  }
}

extension LineEditor {
  private static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || character == "_"
  }

  private func wordStart(_ isPart: (Character) -> Bool) -> Int {
    var index = cursor
    while index > 0, !isPart(text[index - 1]) { index -= 1 }
    while index > 0, isPart(text[index - 1]) { index -= 1 }
    return index
  }

  private var wordEnd: Int {
    var index = cursor
    while index < text.count, !Self.isWord(text[index]) { index += 1 }
    while index < text.count, Self.isWord(text[index]) { index += 1 }
    return index
  }
}

extension LineEditor {
  /// Continues the search; ends it and returns `false` if the key belongs to the line.
  private mutating func handleInSearch(_ key: Key) -> Bool {
    guard var words = search?.words else { return false }
    switch key {
    case .text(let typed): words += typed
    case .backspace: _ = words.popLast()
    case .search:
      find(words, skipsCurrent: true)
      return true
    case .cancel, .interrupt:
      search = nil
      replace("")
      history.leave()
      return true
    default:
      search = nil
      return false
    }
    search = (words, true)
    find(words, skipsCurrent: false)
    return true
  }

  private mutating func find(_ words: String, skipsCurrent: Bool) {
    if words.isEmpty { return }
    let found = history.find(words, skipsCurrent: skipsCurrent)
    search = (words, found != nil)
    replace(found)
  }
}
