import Testing

@testable import DepotCommands

@Suite struct ProgressLineTests {
  @Test func `the line says rows, rate, part, and time left`() {
    let line = ProgressLine(rows: 50_000, seconds: 2, fraction: 0.5)
    #expect(line.plainText == "50,000 rows, 25,000 rows/s, 50 %, 2.0 s left")
    #expect(
      line.text(width: 100)
        == "[###############---------------] 50,000 rows, 25,000 rows/s, 50 %, 2.0 s left"
    )
  }

  @Test func `without a size there is no bar`() {
    let line = ProgressLine(rows: 1, seconds: 0, fraction: nil)
    #expect(line.text(width: 80) == "1 row, 0 rows/s")
  }

  @Test(arguments: 1...90)
  func `the line fits into the terminal`(width: Int) {
    let line = ProgressLine(rows: 1_234_567, seconds: 100, fraction: 0.33)
    #expect(TextWidth.columns(line.text(width: width)) <= width)
  }
}
