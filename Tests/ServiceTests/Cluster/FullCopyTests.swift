import DepotLinux
import DepotProtocol
import Glibc
import TestSupport
import Testing

extension ClusterTests {
  /// Services whose copies of the store find no room on their disks.
  @Suite(.serialized, .cluster()) struct FullCopyTests {
    @Test func `a commit that the cluster has is never said to be refused for want of room`()
      async throws
    {
      let cluster = try TemporaryCluster.shared
      try await onThread {
        let limited = try ClusterService("limited", on: [cluster])
        let other = try ClusterService("other", on: [cluster])
        let connection = try LineConnection(limited.socket)
        try connection.demand("schema.define", #"{"schema":\#(ClusterWriter.schema)}"#)
        try limited.limitFiles(bytes: 500_000)
        var refused: [String] = []
        var number = 0
        while number < 1000, limited.isRunning {
          number += 1
          let name = "limited \(number)"
          guard let answer = try? connection.call("insert", Self.insertion(name)) else { break }
          guard let error = answer.error else { continue }
          if error["effect"]?.string == "none" { refused.append(name) }
          if refused.count == 20 { break }
        }
        #expect(number < 1000, "there is room")
        // The commits of others follow upon it.
        for number in 0..<5 {
          try LineConnection(other.socket).demand("insert", Self.insertion("other \(number)"))
        }
        let reader = try LineConnection(other.socket)
        for name in refused {
          let query = #"{"entity":"Item","where":"name == '\#(name)'"}"#
          #expect(try reader.demand("count", query).result?["count"]?.int64 == 0, "\(name)")
        }
        limited.kill()
        try limited.start()
        let services = [limited, other, try ClusterService("third", on: [cluster])]
        let head = try ClusterCheck.head(of: other)
        try expectSoon { try ClusterCheck.head(of: limited) == head }
        _ = try ClusterCheck(services, Ledger(), since: head).checkContents()
      }
    }

    private static func insertion(_ name: String) -> String {
      let text = String(repeating: "x", count: 1000)
      return #"{"entity":"Item","columns":["name","text"],"rows":[["\#(name)","\#(text)"]]}"#
    }
  }
}
