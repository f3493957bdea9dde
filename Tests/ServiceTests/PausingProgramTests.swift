import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// Programs that think for longer between two rows than the service waits for those who take nothing.
  @Suite(.serialized) struct PausingProgramTests {
    private static let count = 30_000

    private static let loop = """
      import sys, time
      sys.path.insert(0, sys.argv[2])
      from depot import Depot, DepotError
      seen = 0
      with Depot(sys.argv[1]) as depot:
          try:
              for row in depot.fetch("Item", sort=[{"attribute": "n"}], select=["n", "text"]):
                  if row["n"] != seen:
                      sys.exit("row %d came as number %d" % (row["n"], seen))
                  seen += 1
                  if seen == 10:
                      time.sleep(6)
              print("whole", seen)
          except DepotError as error:
              print(error.code, seen)
      """

    private func run(_ daemon: TestDaemon) throws -> [Substring] {
      let python = Programs.root + "/proto-docs/clients/python"
      let outcome = try Program.run(["python3", "-c", Self.loop, daemon.socket, python])
      #expect(outcome.status == 0, "\(outcome.errors)")
      return outcome.output.split(whereSeparator: \.isWhitespace)
    }

    @Test func `a Python loop that pauses gets all rows in their order`() throws {
      let daemon = try TestDaemon(["--stall-ms", "2000"])
      try daemon.connect().fill(Self.count, textBytes: 300)
      #expect(try run(daemon) == ["whole", "\(Self.count)"])
    }

    @Test func `a Python loop that pauses while others write much is whole, or ends with an error`()
      throws
    {
      let daemon = try TestDaemon(["--stall-ms", "2000", "--log-mib", "8"])
      let writer = try daemon.connect()
      try writer.fill(Self.count, textBytes: 300)
      let other = try Program([
        "sh", "-c",
        "while :; do \(Programs.depot) --socket \(daemon.socket) update Item --where 'n < 3000' "
          + "text=$(date +%N) > /dev/null 2>&1; done",
      ])
      defer { other.process.kill() }
      let told = try run(daemon)
      let isWhole = told[0] == "whole"
      #expect(isWhole ? told[1] == "\(Self.count)" : told[0] == "stream.expired", "\(told)")
    }
  }
}
