import Testing

@testable import DepotCommands

@Suite struct PagerTests {
  static let cases: [([String: String], String?)] = [
    (["TERM": "xterm"], "less"), (["TERM": "xterm", "PAGER": "more"], "more"),
    (["TERM": "xterm", "PAGER": "more", "DEPOT_PAGER": "less -S"], "less -S"),
    (["TERM": "xterm", "PAGER": "more", "DEPOT_PAGER": ""], nil),
    (["TERM": "xterm", "PAGER": "cat"], nil), (["TERM": "xterm", "PAGER": "missing -x"], nil),
    (["TERM": "xterm", "PAGER": "$HOME/bin/p"], "$HOME/bin/p"), (["TERM": "dumb"], nil), ([:], nil),
  ]

  @Test(arguments: cases)
  func `the environment chooses the pager`(environment: [String: String], command: String?) {
    #expect(Pager.command({ environment[$0] }, hasProgram: { $0 != "missing" }) == command)
  }

  @Test func `without less there is no pager`() {
    #expect(Pager.command({ ["TERM": "xterm"][$0] }, hasProgram: { _ in false }) == nil)
  }
}
