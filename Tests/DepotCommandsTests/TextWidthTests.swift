import Testing

@testable import DepotCommands

@Suite struct TextWidthTests {
  @Test(arguments: [
    ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("🇩🇪", 2), ("🇩🇪🇫🇷", 4),
    ("👨‍👩‍👧‍👦", 2), ("👍🏽", 2), ("❤️", 2), ("❤", 1), ("⌚", 2), ("⌚\u{FE0E}", 1), ("1️⃣", 2),
    ("각", 2), ("\u{1100}\u{1161}\u{11A8}", 2), ("नि", 2), ("\u{200B}", 0), ("ｱ", 1), ("Ａ", 2),
    ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2), ("#", 1), ("7", 1), ("\u{1F321}", 1),
  ])
  func `text takes the columns that terminals give it`(text: String, columns: Int) {
    #expect(TextWidth.columns(text) == columns)
  }

  @Test(arguments: ["🇩🇪", "👨‍👩‍👧‍👦", "e\u{301}\u{327}", "\u{1100}\u{1161}\u{11A8}", "👍🏽", "नि"])
  func `what looks like one character is cut as one`(character: String) {
    let text = character + character + character
    for width in 1...TextWidth.columns(text) {
      let cut = TextWidth.fit(text, to: width)
      #expect(TextWidth.columns(cut) == width)
      let kept = cut.filter { $0 != "…" && $0 != " " }
      #expect(text.hasPrefix(kept))
      #expect(kept.allSatisfy { String($0) == character })
    }
  }
}
