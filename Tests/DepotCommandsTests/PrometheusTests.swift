import DepotProtocol
import Testing

@testable import DepotCommands

@Suite struct PrometheusTests {
  /// Returns the metrics without their meanings.
  private func text(_ stats: JSONValue) -> String {
    Prometheus.text(stats).split(separator: "\n").filter { !$0.hasPrefix("# HELP ") }
      .map { $0 + "\n" }.joined()
  }

  @Test func `numbers become metrics by their path`() throws {
    let stats = try JSONValue(
      parsing: Array(
        """
        {"server":{"version":"0.1","instance":"a\\"b","pid":7,"uptimeSeconds":1.5},
         "connections":{"current":2,"total":9,"refused":0},
         "calls":{"schema.get":{"count":3,"errors":1,"seconds":0.25,"microseconds":[0,1,0,2]}},
         "readers":{"active":3},"store":{"commits":4,"walBytes":4096},"memory":{"residentBytes":1000},"slow":[]}
        """.utf8
      )
    )
    #expect(
      text(stats) == """
        # TYPE depot_connections gauge
        depot_connections 2
        # TYPE depot_connections_refused_total counter
        depot_connections_refused_total 0
        # TYPE depot_connections_total counter
        depot_connections_total 9
        # TYPE depot_memory_resident_bytes gauge
        depot_memory_resident_bytes 1000
        # TYPE depot_readers_active gauge
        depot_readers_active{container="default",store="main"} 3
        # TYPE depot_uptime_seconds gauge
        depot_uptime_seconds 1.5
        # TYPE depot_store_commits_total counter
        depot_store_commits_total{container="default",store="main"} 4
        # TYPE depot_store_wal_bytes gauge
        depot_store_wal_bytes{container="default",store="main"} 4096
        # TYPE depot_calls_total counter
        depot_calls_total{op="schema.get"} 3
        # TYPE depot_call_errors_total counter
        depot_call_errors_total{op="schema.get"} 1
        # TYPE depot_call_seconds histogram
        depot_call_seconds_bucket{op="schema.get",le="1e-06"} 0
        depot_call_seconds_bucket{op="schema.get",le="4e-06"} 1
        depot_call_seconds_bucket{op="schema.get",le="1.6e-05"} 1
        depot_call_seconds_bucket{op="schema.get",le="+Inf"} 3
        depot_call_seconds_sum{op="schema.get"} 0.25
        depot_call_seconds_count{op="schema.get"} 3
        # TYPE depot_info gauge
        depot_info{version="0.1",instance="a\\"b"} 1

        """
    )
  }

  @Test func `stores of named containers have the metrics of the service's own, beside them`()
    throws
  {
    let stats = try JSONValue(
      parsing: Array(
        """
        {"store":{"commits":4},"readers":{"rows":1},"containers":[
         {"name":"lab \\"x\\"","users":2,"stores":[
          {"name":"a","store":{"commits":5},"readers":{"rows":2}},
          {"name":"b","store":null,"readers":null}]}]}
        """.utf8
      )
    )
    #expect(
      text(stats) == #"""
        # TYPE depot_readers_rows_total counter
        depot_readers_rows_total{container="default",store="main"} 1
        depot_readers_rows_total{container="lab \"x\"",store="a"} 2
        # TYPE depot_store_commits_total counter
        depot_store_commits_total{container="default",store="main"} 4
        depot_store_commits_total{container="lab \"x\"",store="a"} 5
        # TYPE depot_container_users gauge
        depot_container_users{container="lab \"x\""} 2
        # TYPE depot_info gauge
        depot_info 1

        """#
    )
  }

  @Test func `the times of commits are a histogram in seconds`() throws {
    let stats = try JSONValue(
      parsing: Array(
        #"{"store":{"commitSeconds":0.5,"commitMicroseconds":[1,0,2,4]}}"#.utf8
      )
    )
    #expect(
      text(stats).hasPrefix(
        #"""
        # TYPE depot_store_commit_seconds histogram
        depot_store_commit_seconds_bucket{container="default",store="main",le="1e-06"} 1
        depot_store_commit_seconds_bucket{container="default",store="main",le="2e-06"} 1
        depot_store_commit_seconds_bucket{container="default",store="main",le="4e-06"} 3
        depot_store_commit_seconds_bucket{container="default",store="main",le="+Inf"} 7
        depot_store_commit_seconds_sum{container="default",store="main"} 0.5
        depot_store_commit_seconds_count{container="default",store="main"} 7

        """#
      )
    )
  }
}
