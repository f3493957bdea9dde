import DepotLinux
import DepotProtocol
import TestSupport
import Testing

extension ClusterTests {
  /// Connections to the cluster that break at each message of a write.
  @Suite(.serialized, .cluster()) struct BrokenConnectionTests {
    @Test(arguments: PostgresProxy.Side.allCases)
    func `a write is answered rightly whichever message is lost`(
      of side: PostgresProxy.Side
    ) async throws {
      let cluster = try TemporaryCluster.shared
      let (cuts, refusals) = try await onThread {
        let proxy = try PostgresProxy(to: cluster)
        let service = try ClusterService("behind the proxy", on: [cluster], through: proxy.host)
        let other = try ClusterService("beside it", on: [cluster])
        return try Self.cutEach(side, proxy, service, other)
      }
      print("\(cuts) messages of the \(side) were lost, which refused \(refusals) writes.")
      #expect(cuts > refusals)
      // What the server doesn't get isn't done; whatever it gets, it does, and only the answer is lost.
      #expect((refusals > 0) == (side == .service))
    }

    /// Writes until no message of a write is left that could be lost, and returns how many were,
    /// and how many of the writes were refused.
    private static func cutEach(
      _ side: PostgresProxy.Side,
      _ proxy: PostgresProxy,
      _ service: ClusterService,
      _ other: ClusterService
    ) throws -> (cuts: Int, refusals: Int) {
      let connection = try LineConnection(service.socket)
      let control = try LineConnection(other.socket)
      try connection.demand("schema.define", #"{"schema":\#(ClusterWriter.schema)}"#)
      var number = 0
      var refusals = 0
      while true {
        number += 1
        let name = "\(side) \(number)"
        try proxy.cut(side, at: number)
        let answer = try connection.call("insert", insertion(name))
        let wasCut = try proxy.rest()
        // Its turn begins with all that was committed before.
        try control.demand("insert", insertion("beside \(name)"))
        let query = #"{"entity":"Item","where":"name == '\#(name)'"}"#
        let count = try control.demand("count", query).result?["count"]?.int64
        if answer.result != nil {
          #expect(count == 1, "\(name) was acknowledged")
        } else {
          refusals += 1
          #expect(answer.error?["code"]?.string == "unavailable.cluster", "\(name)")
          #expect(answer.error?["effect"]?.string == "none", "\(name)")
          #expect(count == 0, "\(name) was refused: \(answer.error?.text ?? "")")
        }
        try expectSoon("\(name): the service doesn't go on") {
          try connection.call("insert", insertion("after \(name)")).result != nil
        }
        if !wasCut { return (number - 1, refusals) }
      }
    }

    private static func insertion(_ name: String) -> String {
      #"{"entity":"Item","columns":["name"],"rows":[["\#(name)"]]}"#
    }
  }
}
