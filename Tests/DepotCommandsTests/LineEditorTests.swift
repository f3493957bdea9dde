import TestSupport
import Testing

@testable import DepotCommands

@Suite struct LineEditorTests {
  /// Gives bytes to an editor and returns it with the events.
  private func type(
    _ text: String,
    _ editor: LineEditor = LineEditor(history: LineHistory(["first", "count Trip", "last"]))
  ) -> (LineEditor, [LineEditor.Event]) {
    var editor = editor
    var decoder = KeyDecoder()
    var events: [LineEditor.Event] = []
    // One byte at a time is as a slow line sends them.
    for byte in text.utf8 {
      for key in decoder.receive([byte]) {
        if let event = editor.handle(key) { events.append(event) }
      }
    }
    return (editor, events)
  }

  /// What is typed, the text with `|` at the cursor.
  static let edits: [(String, String)] = [
    ("abc", "abc|"), ("abc\u{1B}[D\u{1B}[DX", "aX|bc"), ("abc\u{01}X", "X|abc"),
    ("abc\u{1B}[HX\u{1B}[FY", "XabcY|"), ("abc\u{1B}OH\u{1B}[C!", "a!|bc"),
    ("abc\u{7F}", "ab|"), ("abc\u{01}\u{1B}[3~", "|bc"), ("abc\u{01}\u{04}", "|bc"),
    ("ab cd\u{17}", "ab |"), ("ab cd  \u{17}", "ab |"), ("ab cd\u{02}\u{02}\u{15}", "|cd"),
    ("ab cd\u{02}\u{02}\u{0B}", "ab |"), ("ab cd\u{17}\u{19}\u{19}", "ab cdcd|"),
    ("a_b c.d\u{1B}b", "a_b c.|d"), ("a_b c.d\u{01}\u{1B}f", "a_b| c.d"),
    ("a b\u{1B}[1;5D\u{1B}[1;5DX", "X|a b"), ("a b\u{01}\u{1B}d", "| b"),
    ("日本\u{1B}[Dé", "日é|本"), ("e\u{301}x\u{7F}\u{7F}", "|"), ("👨‍👩‍👧\u{7F}", "|"),
    ("\u{1B}[A", "last|"), ("\u{1B}[A\u{1B}[A\u{1B}[B", "last|"),
    ("new\u{1B}[A\u{10}\u{0E}\u{0E}", "new|"), ("\u{10}\u{10}\u{10}\u{10}", "first|"),
    ("\u{12}Trip", "count Trip|"), ("\u{12}t\u{12}", "count Trip|"),
    ("\u{12}t\u{12}\u{12}", "first|"), ("\u{12}Trip\u{01}X", "X|count Trip"),
    ("abc\u{12}Trip\u{07}", "|"), ("\u{12}zzz", "|"),
    ("\u{1B}[200~a\nb\tc\u{1B}[201~d", "a\nb cd|"), ("\u{1B}[200~\u{1B}[A\u{1B}[201~", " [A|"),
    ("a\u{1B}[99;9~b\u{1B}[Zc", "abc|"), ("\u{0}\u{1}", "|"),
  ]

  @Test(arguments: edits)
  func `keys edit the line`(typed: String, expected: String) {
    let (editor, events) = type(typed)
    var text = editor.text
    text.insert("|", at: editor.cursor)
    #expect(String(text) == expected)
    #expect(events.isEmpty)
  }

  @Test func `bytes that are no UTF-8 are left out`() {
    var decoder = KeyDecoder()
    #expect(decoder.receive([0xFF, 0x61, 0xC3, 0x28, 0xED, 0xA0, 0x80, 0x62]) == [.text("a(b")])
    #expect(decoder.receive([0xE6, 0x97]).isEmpty)
    #expect(decoder.receive([0xA5]) == [.text("日")])
  }

  @Test func `events are told`() {
    #expect(type("a\rb\n").1 == [.line("a"), .line("b")])
    #expect(type("a\t").1 == [.complete])
    #expect(type("a\u{03}b").1 == [.interrupt])
    #expect(type("a\u{03}b").0.head == "b")
    #expect(type("\u{04}").1 == [.end])
    #expect(type("a\u{0C}").1 == [.clear])
  }

  @Test func `lines go into the history once`() {
    let (editor, _) = type("x\rx\r  \ry\r")
    #expect(editor.history.lines == ["first", "count Trip", "last", "x", "y"])
  }

  @Test func `a line that isn't finished goes on in the next row`() {
    let editor = LineEditor { CommandWords($0).isIncomplete }
    let (after, events) = type("count 'a\rb'\u{01}\r", editor)
    #expect(events == [.line("count 'a\nb'")])
    #expect(after.text.isEmpty)
  }

  @Test func `a history survives its file`() throws {
    let folder = try TemporaryFolder()
    let file = HistoryFile(path: folder.path + "/state/depot/history")
    let lines = ["a", "two\nlines \\n", "ü"]
    for line in lines { file.append(line) }
    file.append(" ")
    #expect(file.read().lines == lines)
    #expect(
      try Program.run(["/bin/sh", "-c", "test $(stat -c %a \(file.path)) = 600"]).status == 0
    )
  }
}
