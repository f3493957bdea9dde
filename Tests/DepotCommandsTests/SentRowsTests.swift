import DepotProtocol
import Testing

@testable import DepotCommands

@Suite struct SentRowsTests {
  private static let rows = SentRows([
    .init(
      entity: "P",
      columns: ["name", "size"],
      rows: RowBatch(json: Array(#"[["a",1],["b",2],["\u0061",3]]"#.utf8), count: 3),
      lines: [2, 5, 9]
    ),
    .init(
      entity: "Q",
      columns: ["$id", "name"],
      rows: RowBatch(json: Array(##"[["#1","a"]]"##.utf8), count: 1),
      lines: [11]
    ),
  ])

  private func clash(at pointer: String) -> DepotError {
    DepotError(.unique, "P/7 has the same value for \"name\".").at(pointer)
      .hint("Change the value, or use onConflict \"skip\" or \"replace\".")
      .details(["entity": .string("P"), "attribute": .string("name"), "existing": .string("P/7")])
  }

  @Test func `a clash with an earlier line names the line, and no row that isn't stored`() {
    let (error, line) = Self.rows.located(clash(at: "/args/rows/2"))
    #expect(line == 9)
    #expect(error.message == "It has the same value for \"name\" as line 2.")
    #expect(error.details?["existing"] == nil)
    #expect(error.details?["line"] == .int64(2))
    #expect(error.hint == "Change the value, or add --on-conflict skip or --on-conflict replace.")
    #expect(error.at == nil)
  }

  @Test func `a clash with a row of the store names the row`() {
    #expect(Self.rows.located(clash(at: "/args/rows/0")).error.message.hasPrefix("P/7 "))
    #expect(Self.rows.located(clash(at: "/args/rows/1")).error.message.hasPrefix("P/7 "))
    // A row of another entity may have the same name.
    #expect(Self.rows.located(clash(at: "/args/insert/1/rows/0")).error.message.hasPrefix("P/7 "))
  }

  @Test func `a clash with a row that is stored names it, whatever line has it`() {
    let error = Self.rows.located(clash(at: "/args/rows/2"), areStored: true).error
    #expect(error.message.hasPrefix("P/7 "))
    #expect(error.hint?.contains("--on-conflict") == true)
  }

  @Test(arguments: [
    ("P.city of P/12 must lead to a row.", "P.city must lead to a row."),
    ("P/12.parts must have at most 1 row, not 2.", "P.parts must have at most 1 row, not 2."),
    ("P.size must be at most 5.", "P.size must be at most 5."),
    ("There is no P/12 for P.next.", "There is no P/12 for P.next."),
  ])
  func `a row that isn't stored has no identifier`(message: String, expected: String) {
    let error = Self.rows.located(DepotError(.required, message).at("/args/rows/1")).error
    #expect(error.message == expected)
  }

  @Test func `a place is a column, and no pointer is left`() {
    let column = Self.rows.located(DepotError(.type, "No.").at("/args/insert/0/rows/1/1"))
    #expect(column.line == 5)
    #expect(column.error.at == "size")
    let other = Self.rows.located(DepotError(.type, "No.").at("/args/onConflict"))
    #expect(other.line == nil)
    #expect(other.error.at == nil)
  }

  @Test func `each of several violations is told with its line`() {
    let violations: [JSONValue] = ["/args/rows/0", "/args/rows/2"].map {
      .object([
        "message": .string("P/7 has the same value for \"name\"."), "pointer": .string($0),
        "attribute": .string("name"), "existing": .string("P/7"),
      ])
    }
    let error = DepotError(.violations, "2 rules are broken.")
      .details(["violations": .array(violations)]).at("/args/rows/0")
    let found = Self.rows.located(error).error.details?["violations"]?.array ?? []
    #expect(found.map { $0["pointer"]?.string } == ["line 2", "line 9"])
    #expect(found.first?["existing"] == .string("P/7"))
    #expect(
      found.last?["message"] == .string("It has the same value for \"name\" as line 2.")
    )
  }
}
