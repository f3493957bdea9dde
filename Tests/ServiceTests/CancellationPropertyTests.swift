import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Writes that are cancelled, late, or left by their clients at any moment.
  @Suite(.serialized) struct CancellationPropertyTests {
    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon()
      try daemon.connect().fill(1000)
    }

    /// A write of many rows, and how to see whether it was applied.
    private struct Trial {
      var operation: String
      var arguments: String
      /// Matches the rows that show it.
      var predicate: String
      /// How many such rows there are before and after.
      var counts: (before: Int, after: Int)

      init(_ number: Int, _ generator: inout some RandomNumberGenerator) {
        let size = Int.random(in: 1...400, using: &generator)
        let rows = (0..<size).map { "[\"t\(number) \($0)\"]" }.joined(separator: ",")
        counts = (0, size)
        predicate = "name BEGINSWITH 't\(number) '"
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
          operation = "insert"
          arguments = #"{"entity":"Item","columns":["name"],"rows":[\#(rows)]}"#
        case 1:
          operation = "update"
          predicate = "text == 'u\(number)'"
          let rows = "name BEGINSWITH 'item ' AND n < \(size)"
          arguments = #"{"entity":"Item","where":"\#(rows)","set":{"text":"u\#(number)"}}"#
        case 2:
          operation = "save"
          arguments = #"{"insert":[{"entity":"Item","columns":["name"],"rows":[\#(rows)]}]}"#
        default:
          operation = "delete"
          predicate = "n == 999 AND name BEGINSWITH 'd'"
          arguments = #"{"entity":"Item","where":"\#(predicate)"}"#
          counts = (size, 0)
        }
      }
    }

    private func count(_ connection: RawConnection, _ id: Int, _ predicate: String) throws -> Int {
      try connection.call(id, "count", #"{"entity":"Item","where":"\#(predicate)"}"#)
      let answer = try connection.receiveAnswer(of: id).terminal
      return Int(try #require(answer["ok", "count"]?.int64, "\(answer.text)"))
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `a write that was cancelled or is late is applied as a whole or not at all, as it says`(
      seed: UInt64
    ) throws {
      var generator = SeededGenerator(seed: seed)
      let isOver = Flag()
      let company = try daemon.connect()
      let path = daemon.socket
      // Others write at the same time, so that requests share transactions.
      try DepotLinux.Thread.start(name: "company") {
        var number = 0
        while !isOver.value, let other = try? RawConnection(path) {
          for id in 1...50 {
            number += 1
            let arguments =
              #"{"entity":"Item","columns":["name"],"rows":[["c\#(seed) \#(number)"]]}"#
            try? other.call(id, "insert", arguments)
            _ = try? other.receiveAnswer(of: id)
          }
        }
      }
      defer { isOver.set() }
      let (writer, reader) = (try RawConnection(path), try RawConnection(path))
      var outcomes: [String: Int] = [:]
      var id = 0
      for number in 0..<120 {
        let trial = Trial(number, &generator)
        if trial.operation == "delete" {
          let items = (0..<trial.counts.before).map { Item(name: "d\(number) \($0)", n: 999) }
          try company.insert(items)
        }
        id += 1
        let deadline = Int.random(in: 0...2, using: &generator) == 0
        let wait = Int.random(in: 0...6000, using: &generator)
        let members = deadline ? #","deadlineMs":\#(wait / 1000)"# : ""
        try writer.call(id, trial.operation, trial.arguments, members)
        if !deadline {
          let start = ContinuousClock().now
          while ContinuousClock().now - start < .microseconds(wait) {}
          try writer.send(#"{"id":\#(id),"cancel":true}"#)
        }
        let terminal = try writer.receiveAnswer(of: id).terminal
        let count = try count(reader, id, trial.predicate)
        if terminal["ok"] != nil {
          outcomes["ok", default: 0] += 1
          #expect(count == trial.counts.after, "\(trial.operation) \(number) was ok")
        } else {
          let code = terminal.errorCode ?? ""
          outcomes[code, default: 0] += 1
          #expect(["cancelled.by_client", "deadline.passed"].contains(code), "\(terminal.text)")
          #expect(terminal["err", "effect"]?.string == "none")
          #expect(count == trial.counts.before, "\(trial.operation) \(number): \(code)")
        }
        try company.delete(
          Item.self,
          where: #Predicate { $0.n == 999 && $0.name.starts(with: "d") }
        )
      }
      #expect(try writer.receiveIfAny(within: .milliseconds(20)) == nil, "one terminal frame each")
      #expect(outcomes["ok", default: 0] > 0, "\(outcomes)")
      #expect(outcomes.count > 1, "\(outcomes)")
    }

    /// Inserts groups of rows one after the other, without waiting for answers.
    private static let client = """
      import json, socket, sys
      s = socket.socket(socket.AF_UNIX)
      s.connect(sys.argv[1])
      out = s.makefile("wb")
      out.write(b'{"hello":{"protocol":[1,1]}}\\n')
      for group in range(1000):
          rows = [[f"{sys.argv[2]} {group} {i}", group] for i in range(200)]
          args = {"entity": "Item", "columns": ["name", "n"], "rows": rows}
          out.write(json.dumps({"id": group + 1, "call": "insert", "args": args}).encode() + b"\\n")
          out.flush()
          if group >= 8: s.recv(1 << 16)
      """

    @Test func `what a killed client sent is stored in whole requests or not at all`() throws {
      let connection = try daemon.connect()
      for trial in 0..<8 {
        let program = try Program(["python3", "-c", Self.client, daemon.socket, "k\(trial)"])
        let prefix = "k\(trial) "
        try expectSoon("nothing comes") {
          try connection.exists(
            CountRequest(Item.self, where: #Predicate { $0.name.starts(with: prefix) })
          )
        }
        DepotLinux.Process.sleep(milliseconds: UInt32.random(in: 0...60))
        program.process.kill()
        _ = try program.wait()
        try expectSoon("its connection stays") {
          try connection.stats()["connections", "current"]?.int64 == 1
        }
        // What was handed over before the connection ended is done by now.
        try connection.insert([Item(name: "after \(trial)")])
        let items = try connection.fetch(
          Item.self,
          where: #Predicate { $0.name.starts(with: prefix) }
        )
        var groups: [Int: Int] = [:]
        for item in items { groups[item.n, default: 0] += 1 }
        #expect(groups.values.allSatisfy { $0 == 200 }, "\(groups)")
        #expect(groups.keys.sorted() == Array(0..<groups.count))
      }
    }
  }
}
