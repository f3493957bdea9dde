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

  @Test func `all reasons of an error are told, as far as they are few`() {
    func report(_ count: Int) -> [Substring] {
      let reasons = (1...count).map {
        JSONValue.object(["message": .string("Reason \($0)."), "pointer": .string("/\($0)")])
      }
      let error = DepotError(.violations, "The first: Reason 1.").hint("See the details.")
        .details(["violations": .array(reasons)])
      return ErrorReport.text(error).split(separator: "\n")
    }
    #expect(report(2).dropFirst() == ["  also: Reason 2. (at /2)"])
    #expect(report(100).count == 10)
    #expect(report(100).last == "  and 91 more")
  }

  @Test func `a line feed or an escape in a message stays on its line`() {
    let text = ErrorReport.text(DepotError(.predicate, "a\nb\u{1B}[2J"))
    #expect(text.split(separator: "\n").count == 1)
    #expect(!text.contains("\u{1B}"))
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
