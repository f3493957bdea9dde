import DepotClient
import Foundation
import TestSupport

/// Whether faults are tried at every point, and not only at some.
let triesAllPoints = ProcessInfo.processInfo.environment["DEPOT_SOAK"] != nil

/// Returns about as many numbers from 1 to a last one as are asked for; in the long run all.
func somePoints(upTo last: Int, about tries: Int) -> StrideThrough<Int> {
  stride(from: 1, through: last, by: triesAllPoints ? 1 : max(1, (last + tries - 1) / tries))
}

/// Returns strace's expressions that kill a process at a thread's call of that number, counted from 1.
func killing(at number: Int, of call: String) -> [String] {
  ["trace=\(call)", "inject=\(call):signal=SIGKILL:when=\(number)"]
}

extension Place {
  /// Returns how often the thread that makes a call most made it, by what strace wrote.
  func count(of call: String) -> Int {
    var counts: [Substring: Int] = [:]
    for line in text(of: trace).split(separator: "\n") where line.contains("\(call)(") {
      counts[line.prefix { $0 != " " }, default: 0] += 1
    }
    return counts.values.max() ?? 0
  }

  /// Ends a daemon, checks its store, and returns what is wrong.
  func end(_ daemon: TestProcess, _ connection: BlockingConnection) throws -> [String] {
    var problems: [String] = []
    try connection.shutdown()
    if daemon.wait() != 0 { problems.append("the daemon didn't end well") }
    let check = try self.check()
    if check.status != 0 { problems.append(check.output) }
    return problems
  }
}
