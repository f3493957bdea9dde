import DepotProtocol
import Testing

@testable import DepotCommands

@Suite struct ErrorReportTests {
  let error = DepotError(.unique, "Another Package has this name.").hint("Use --on-conflict.")
    .at("line 3")

  @Test func `an error has three lines at most`() {
    #expect(
      ErrorReport.text(error) == """
        error: conflict.unique: Another Package has this name.
          at: line 3
          hint: Use --on-conflict.

        """
    )
    #expect(ErrorReport.text(DepotError(.usage, "No.")) == "error: No\n")
  }

  @Test(arguments: ["Free some room.", "Nothing was changed. Free some room."])
  func `a full disk tells once that nothing was changed`(hint: String) {
    let report = ErrorReport.text(DepotError(.full, "There is no room.").hint(hint))
    #expect(report.hasSuffix("\n  hint: Nothing was changed. Free some room.\n"))
  }

  @Test func `a full disk doesn't tell that nothing was changed after rows were stored`() {
    var outcome = Importer.Outcome()
    outcome.inserted = 5
    let error = DepotError(.full, "No room.").hint("Nothing was changed. Free some room.")
    let report = ErrorReport.text(outcome.countingStored(with: error))
    #expect(report.contains("5 rows before it were stored."))
    #expect(report.hasSuffix("\n  hint: Free some room.\n"))
    let nothing = ErrorReport.text(Importer.Outcome().countingStored(with: error))
    #expect(nothing.contains("Nothing was changed."))
  }

  @Test func `all reasons of an error are told, as far as they are few`() {
    func report(_ count: Int) -> [Substring] {
      let reasons = (1...count).map {
        JSONValue.object([
          "message": .string("Reason \($0)."), "pointer": .string("/args/rows/\($0)/1"),
        ])
      }
      let error = DepotError(.violations, "The first: Reason 1.").hint("See the details.")
        .details(["violations": .array(reasons)])
      return ErrorReport.text(error).split(separator: "\n")
    }
    #expect(report(2).dropFirst() == ["  also: Reason 2. (at row 3)"])
    #expect(report(100).count == 10)
    #expect(report(100).last == "  and 91 more")
  }

  @Test func `steps of a migration are told with their rows, and marked if they lose data`() {
    func step(_ description: String, _ losesData: Bool, _ rows: Int64) -> JSONValue {
      .object([
        "description": .string(description), "destructive": .bool(losesData), "rows": .int64(rows),
      ])
    }
    func report(_ steps: [JSONValue], _ problems: [String] = []) -> String {
      ErrorReport.text(
        DepotError(.loss, "No.").details([
          "steps": .array(steps), "problems": .array(problems.map(JSONValue.string)),
        ])
      )
    }
    #expect(
      report([step("removed entity A", true, 1), step("renamed B", false, 1200)]) == """
        error: schema.loss: No.
          ! removed entity A (1 row)
            renamed B (1,200 rows)
          Steps marked ! lose data.

        """
    )
    #expect(
      report([step("renamed B", false, 0)], ["x is required"]) == """
        error: schema.loss: No.
            renamed B
          x x is required

        """
    )
  }

  @Test func `a line feed or an escape in a message stays on its line`() {
    let text = ErrorReport.text(DepotError(.predicate, "a\nb\u{1B}[2J"))
    #expect(text.split(separator: "\n").count == 1)
    #expect(!text.contains("\u{1B}"))
  }

  @Test func `a hint that points at a place is no wider than the terminal`() throws {
    let text = String(repeating: "a + ", count: 40) + "?" + String(repeating: " + a", count: 40)
    let hint = "Write something else, " + String(repeating: "or something else, ", count: 8)
    let error = DepotError(.predicate, "Bad.")
    for place in [0, 80, 160, 320] {
      let mark = String(repeating: " ", count: place) + "^"
      let report = ErrorReport.text(error.hint("\(hint)\n\(text)\n\(mark)"), width: 80)
      let lines = report.split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= 80 }, "\(report)")
      let (shown, below) = (Array(lines[lines.count - 2]), lines[lines.count - 1])
      #expect(shown[below.count - 1] == Array(text)[place], "\(report)")
    }
  }

  @Test func `a hint may point at a place in its first line`() {
    let text = ErrorReport.text(DepotError(.predicate, "Bad.").hint("a >\n   ^"))
    #expect(text == "error: request.predicate: Bad.\n  hint: a >\n           ^\n")
  }

  @Test func `colours are only in the labels`() {
    #expect(
      ErrorReport.text(error, usesColor: true).hasPrefix("\u{1B}[31;1merror:\u{1B}[0m conflict")
    )
  }

  @Test func `programs get the error object of the protocol`() throws {
    let value = try JSONValue(parsing: Array(ErrorReport.json(error).utf8))
    #expect(value["code"] == .string("conflict.unique"))
    #expect(value["effect"] == .string("none"))
  }

  @Test func `a change whose fate is unknown says so`() {
    var lost = DepotError(.disconnected, "The connection was lost.")
    lost.effect = .unknown
    #expect(ErrorReport.text(lost).contains("Nobody knows whether the last change was stored."))
  }
}
