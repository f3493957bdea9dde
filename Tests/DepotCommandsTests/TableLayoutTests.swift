import Testing

@testable import DepotCommands

@Suite struct TableLayoutTests {
  @Test func `columns are as wide as they like where there is room`() {
    #expect(TableLayout(natural: [5, 40], limit: nil).widths == [5, 40])
    #expect(TableLayout(natural: [5, 40], limit: 47).widths == [5, 40])
  }

  @Test func `the widest columns give room`() {
    #expect(TableLayout(natural: [5, 40, 30], limit: 49).widths == [5, 20, 20])
    #expect(TableLayout(natural: [10, 100, 10], limit: 60).widths == [10, 36, 10])
  }

  @Test func `an identifier isn't cut, and columns that would be too narrow are left out`() {
    let layout = TableLayout(natural: [14, 40, 40, 5], limit: 40, whole: [0])
    #expect(layout.widths == [14, 11, 11])
    #expect(layout.omitted == 1)
  }

  @Test func `a sentence has room for some words, or there is no table`() {
    let natural = [23, 28, 10, 6, 6, 80]
    let whole: Set = [0, 4]
    #expect(TableLayout(natural: natural, limit: 80, whole: whole).omitted == 0)
    #expect(TableLayout(natural: natural, limit: 80, whole: whole, sentences: [5]).omitted == 1)
    let wide = TableLayout(natural: natural, limit: 100, whole: whole, sentences: [5])
    #expect(wide.omitted == 0)
    #expect(wide.widths.last == 24)
    let short = TableLayout(
      natural: [23, 28, 10, 6, 6, 5],
      limit: 80,
      whole: whole,
      sentences: [5]
    )
    #expect(short.omitted == 0)
  }

  @Test(arguments: 1...120, [[], [0], [0, 4]] as [Set<Int>])
  func `no table is wider than the terminal, unless its first column is`(
    limit: Int,
    whole: Set<Int>
  ) {
    let natural = [12, 9, 80, 3, 25, 1, 60]
    let layout = TableLayout(natural: natural, limit: limit, whole: whole)
    let total = layout.widths.reduce(0, +) + 2 * (layout.widths.count - 1)
    #expect(total <= max(limit, whole.contains(0) ? natural[0] : 0))
    for column in whole where layout.widths.indices.contains(column) {
      #expect(layout.widths[column] == natural[column])
    }
    #expect(layout.widths.count + layout.omitted == 7)
  }

  @Test(arguments: [
    ("abc", 5, "abc  "), ("abcdef", 4, "abc…"), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"),
    ("日本語", 4, "日… "), ("e\u{301}a", 2, "e\u{301}a"), ("👍x", 3, "👍x"), ("x", 0, "…"),
  ])
  func `text is cut or padded to its columns`(text: String, width: Int, result: String) {
    #expect(TextWidth.fit(text, to: width) == result)
  }
}
