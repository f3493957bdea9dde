internal import DepotProtocol

/// The service's counters in Prometheus's text format.
enum Prometheus {
  /// Returns every number of the counters, named by its path.
  ///
  /// The numbers of stores have the labels `container` and `store`.
  static func text(_ stats: JSONValue) -> String {
    var families = MetricFamilies(meanings: meanings)
    let own = [("container", ContainerRequest.defaultName), ("store", ownStore)]
    for (name, value) in stats.sortedMembers where !["calls", "slow", "containers"].contains(name) {
      let labels = ["store", "readers"].contains(name) ? own : []
      families.add(["depot"] + (name == "server" ? [] : [name]), value, labels)
    }
    for container in stats["containers"]?.array ?? [] {
      add(container, to: &families)
    }
    for (name, call) in (stats["calls"] ?? .null).sortedMembers {
      let labels = [("op", name)]
      families.add("depot_calls_total", .counter, call["count"], labels)
      families.add("depot_call_errors_total", .counter, call["errors"], labels)
      guard let counts = call["microseconds"] else { continue }
      families.addHistogram(
        ["depot", "call_seconds"],
        counts,
        sum: call["seconds"],
        base: 4,
        labels
      )
    }
    let facts = ["version", "instance"].compactMap { name in
      stats["server"]?[name]?.string.map { (name, $0) }
    }
    families.add("depot_info", .gauge, .int64(1), facts)
    return families.text
  }

  /// The descriptions of all metrics.
  static let meanings = [
    "depot_connections": "Connections that are open.",
    "depot_connections_total": "Connections that were made.",
    "depot_connections_refused_total":
      "Connections that were refused, for want of rights or because there were too many.",
    "depot_memory_resident_bytes": "Memory that the service has in RAM.",
    "depot_uptime_seconds": "Time since the service began.",
    "depot_info": "The version and the name of this run of the service.",
    "depot_calls_total": "Calls that ended, by operation.",
    "depot_call_errors_total": "Calls that ended with an error, by operation.",
    "depot_call_seconds":
      "Time of calls from their arrival to their last frame, by operation; streams as long as their "
      + "clients read.",
    "depot_container_users": "Connections that use a container.",
    "depot_readers_active": "Reads that are open on threads of their own, parked ones included.",
    "depot_readers_parked": "Reads that wait for their clients to take rows.",
    "depot_readers_waiting": "Reads that wait for others to end.",
    "depot_readers_started_total": "Reads that got a thread.",
    "depot_readers_rows_total": "Rows that such reads have sent.",
    "depot_readers_pins": "Pins that are kept.",
    "depot_readers_pinned_total": "Pins that were made.",
    "depot_readers_expired_pins_total": "Pins that the service has ended.",
    "depot_store_commits_total": "Transactions that were committed.",
    "depot_store_commit_seconds": "Time of commits, the disk's included.",
    "depot_store_writes_total": "Writes that were applied.",
    "depot_store_writer_waiting": "Writes that wait for others to end.",
    "depot_store_writer_running_seconds":
      "Time since the writer began what it writes; 0 if it writes nothing.",
    "depot_store_writer_cluster_wait_seconds":
      "Time that a write has waited for other services of the cluster; 0 if none waits.",
    "depot_store_failed_writes_total": "Writes that failed.",
    "depot_store_repeated_writes_total":
      "Writes that were answered with the outcome of an earlier one of the same key.",
    "depot_store_rows_inserted_total": "Rows that were inserted.",
    "depot_store_rows_updated_total": "Rows that were updated.",
    "depot_store_rows_deleted_total": "Rows that were deleted.",
    "depot_store_checkpoints_total": "Checkpoints, which bring commits from the log into the file.",
    "depot_store_incomplete_checkpoints_total":
      "Checkpoints that readers kept from bringing all commits.",
    "depot_store_wal_bytes": "The part of the write-ahead log that is in use.",
    "depot_store_file_bytes": "The size of the store's file.",
    "depot_store_log_file_bytes": "The size of the write-ahead log's file.",
    "depot_store_free_disk_bytes":
      "Room that the service can still use on the store's file system.",
    "depot_store_cluster_commits_since_base":
      "Commits since all pages of the store were written into its cluster.",
    "depot_store_cluster_reachable": "Whether the cluster took the last write that it was given.",
    "depot_store_cluster_since_base_bytes": "About how many bytes those commits have.",
    "depot_store_watches": "Queries that are watched.",
    "depot_store_watches_told_total": "Changes of answers that watches were told of.",
    "depot_store_watches_late_seconds":
      "Time from commits until watches were told of them, of all together.",
    "depot_store_watches_longest_late_seconds":
      "The longest such time of the last minute or two.",
    "depot_store_last_batch": "Requests in the last transaction.",
    "depot_store_largest_batch": "Requests in the largest transaction.",
  ]

  /// The name of the service's own store.
  private static let ownStore = "main"

  private static func add(_ container: JSONValue, to families: inout MetricFamilies) {
    let label = ("container", container["name"]?.string ?? "")
    families.add("depot_container_users", .gauge, container["users"], [label])
    for store in container["stores"]?.array ?? [] {
      let labels = [label, ("store", store["name"]?.string ?? "")]
      for part in ["readers", "store"] {
        families.add(["depot", part], store[part] ?? .null, labels)
      }
    }
  }
}

extension JSONValue {
  /// The members of an object, sorted by name; empty for other values.
  var sortedMembers: [(name: String, value: JSONValue)] {
    (object ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
