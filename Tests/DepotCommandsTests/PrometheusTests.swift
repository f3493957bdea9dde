import DepotProtocol
import Testing

@testable import DepotCommands

@Suite struct PrometheusTests {
  @Test func `numbers become metrics by their path`() throws {
    let stats = try JSONValue(
      parsing: Array(
        """
        {"server":{"version":"0.1","instance":"a\\"b","pid":7,"uptimeSeconds":1.5},
         "connections":{"current":2,"total":9,"refused":0},
         "calls":{"schema.get":{"count":3,"errors":1,"seconds":0.25}},
         "readers":{"active":3},"store":{"commits":4,"walBytes":4096},"memory":{"residentBytes":1000},"slow":[]}
        """.utf8
      )
    )
    #expect(
      Prometheus.text(stats) == """
        # TYPE depot_connections gauge
        depot_connections 2
        # TYPE depot_connections_refused_total counter
        depot_connections_refused_total 0
        # TYPE depot_connections_total counter
        depot_connections_total 9
        # TYPE depot_memory_resident_bytes gauge
        depot_memory_resident_bytes 1000
        # TYPE depot_readers_active gauge
        depot_readers_active 3
        # TYPE depot_uptime_seconds gauge
        depot_uptime_seconds 1.5
        # TYPE depot_store_commits_total counter
        depot_store_commits_total 4
        # TYPE depot_store_wal_bytes gauge
        depot_store_wal_bytes 4096
        # TYPE depot_calls_total counter
        depot_calls_total{op="schema.get"} 3
        # TYPE depot_call_errors_total counter
        depot_call_errors_total{op="schema.get"} 1
        # TYPE depot_call_seconds_total counter
        depot_call_seconds_total{op="schema.get"} 0.25
        # TYPE depot_info gauge
        depot_info{version="0.1",instance="a\\"b"} 1

        """
    )
  }
}
