import DepotProtocol
import Testing

@testable import DepotCommands

@Suite struct TablePrinterTests {
  private func table(
    _ headings: [String],
    _ rows: [[TableCell]],
    format: OutputFormat = .table,
    entity: String = "Big",
    showsIdentifier: Bool = true,
    width: Int? = 40,
    mayExpand: Bool = false
  ) throws -> [Substring] {
    var output: [UInt8] = []
    let sink = ByteSink { output.append(contentsOf: $0) }
    var style = RowStyle(entity: entity, format: format)
    style.width = width
    style.mayExpand = mayExpand
    style.showsIdentifier = showsIdentifier
    let printer = TablePrinter(style, sink)
    printer.begin(headings: headings)
    for row in rows { try printer.print(row) }
    try printer.end()
    try sink.flush()
    return String(decoding: output, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
  }

  private func row(_ number: Int, _ text: String = "some text") -> [TableCell] {
    [
      TableCell(text: "Big/\(number)"), TableCell(text: text),
      TableCell(text: "\(number * 1000)", isNumber: true),
    ]
  }

  @Test(arguments: [nil, 80, 40])
  func `identifiers and numbers that come late are whole`(width: Int?) throws {
    let text = String(repeating: "long ", count: 20)
    let numbers = Array(1...TablePrinter.sampleCount) + [320_412, 99_999_999_999]
    let lines = try table(["$id", "text", "n"], numbers.map { row($0, text) }, width: width)
    for (number, line) in zip(numbers, lines.dropFirst()) {
      #expect(line.hasPrefix("Big/\(number) "))
      #expect(line.hasSuffix(" \(number * 1000)"))
    }
  }

  @Test func `identifiers have room for many rows from the start`() throws {
    let numbers = Array(1...TablePrinter.sampleCount) + [999_999]
    let lines = try table(["$id", "text", "n"], numbers.map { row($0) }, width: 80)
    let places = lines.dropFirst().map { $0.prefix { $0 != "s" }.count }
    #expect(Set(places) == [12])
    // A table that is over before has no gap.
    #expect(try table(["$id", "text", "n"], [row(7)], width: 80)[1] == "Big/7  some text  7000")
  }

  @Test func `text that comes late takes the room that is left`() throws {
    let rows = (0..<TablePrinter.sampleCount).map { row($0) }
    let long = row(1, "a text of thirty-one characters")
    for width in [80, nil] {
      let line = try #require(try table(["$id", "text", "n"], rows + [long], width: width).last)
      #expect(line.contains(long[1].text))
    }
    let narrow = try #require(try table(["$id", "text", "n"], rows + [long], width: 40).last)
    #expect(narrow.contains("…"))
    #expect(narrow.count <= 40)
  }

  private let headings = ["$id"] + (1...9).map { "column\($0)" }
  private let wide =
    [TableCell(text: "Big/7")] + (1...9).map { TableCell(text: "value number \($0)") }

  @Test func `a table that is too wide has a line for each value`() throws {
    let lines = try table(headings, [wide, wide], mayExpand: true)
    #expect(lines.count == 21)
    #expect(lines.prefix(3) == ["Big/7", "  column1  value number 1", "  column2  value number 2"])
    #expect(lines[10].isEmpty)
    #expect(lines[11] == "Big/7")
  }

  @Test func `a table that was asked for stays one, without the columns that don't fit`() throws {
    let lines = try table(headings, [wide])
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("$id    column1"))
    #expect(!lines[0].contains("column9"))
  }

  @Test func `the expanded form can be asked for, and cuts nothing`() throws {
    let words = (1...20).map { "word\($0)" }.joined(separator: " ")
    let long = String(repeating: "x", count: 70)
    let cells = ["Big/7", words, long, "", "3"].map { TableCell(text: $0) }
    let names = ["$id", "words", "long", "empty", "n"]
    let lines = try table(names, [cells], format: .expanded)
    #expect(lines.allSatisfy { $0.count <= 40 })
    #expect(lines.joined().filter { $0 == "x" }.count == 70)
    for word in words.split(separator: " ") { #expect(lines.contains { $0.contains(word) }) }
    #expect(lines.contains("  empty"))
    #expect(lines.last == "  n      3")
    let unlimited = try table(names, [cells], format: .expanded, width: nil)
    #expect(unlimited[1] == "  words  \(words)")
  }

  @Test func `where values have no room beside their names they stand below`() throws {
    let name = "aNameThatIsRatherLong"
    let lines = try table(
      ["$id", name],
      [[TableCell(text: "Big/7"), TableCell(text: "some text")]],
      format: .expanded,
      width: 30
    )
    #expect(lines == ["Big/7", "  \(name)", "    some text"])
  }

  @Test func `rows without an identifier are numbered`() throws {
    let lines = try table(
      ["n"],
      [[TableCell(text: "5")], [TableCell(text: "6")]],
      format: .expanded,
      showsIdentifier: false
    )
    #expect(lines == ["row 1", "  n  5", "", "row 2", "  n  6"])
  }
}
