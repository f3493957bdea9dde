internal import DepotProtocol

/// The service's counters in Prometheus's text format.
enum Prometheus {
  /// Returns every number of the counters, named by its path.
  ///
  /// The numbers of stores have the labels `container` and `store`.
  static func text(_ stats: JSONValue) -> String {
    var families = MetricFamilies()
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
      families.add("depot_call_seconds_total", .counter, call["seconds"], labels)
    }
    let facts = ["version", "instance"].compactMap { name in
      stats["server"]?[name]?.string.map { (name, $0) }
    }
    families.add("depot_info", .gauge, .int64(1), facts)
    return families.text
  }

  /// The name of the store that the service has of its own.
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
  /// The members of an object in the order of their names; none of anything else.
  var sortedMembers: [(name: String, value: JSONValue)] {
    (object ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
