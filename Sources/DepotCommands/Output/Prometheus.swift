internal import DepotProtocol

/// The service's counters in Prometheus's text format.
enum Prometheus {
  /// Returns every number of the counters, named by its path.
  static func text(_ stats: JSONValue) -> String {
    var output = ""
    for (name, value) in sorted(stats) where name != "calls" && name != "slow" {
      add(["depot"] + (name == "server" ? [] : [snakeCase(name)]), value, &output)
    }
    addCalls(sorted(stats["calls"] ?? .null), &output)
    let labels = ["version", "instance"].compactMap { name in
      stats["server"]?[name]?.string.map { "\(name)=\(quoted($0))" }
    }
    output += "# TYPE depot_info gauge\ndepot_info{\(labels.joined(separator: ","))} 1\n"
    return output
  }

  private static func add(_ path: [String], _ value: JSONValue, _ output: inout String) {
    if case .object = value {
      for (name, value) in sorted(value) where name != "pid" {
        add(path + [snakeCase(name)], value, &output)
      }
      return
    }
    guard let number = number(value) else { return }
    let (name, kind) = metric(path)
    output += "# TYPE \(name) \(kind)\n\(name) \(number)\n"
  }

  private static func addCalls(_ calls: [(String, JSONValue)], _ output: inout String) {
    let families = [
      ("depot_calls_total", "count"), ("depot_call_errors_total", "errors"),
      ("depot_call_seconds_total", "seconds"),
    ]
    for (family, member) in families where !calls.isEmpty {
      output += "# TYPE \(family) counter\n"
      for (name, call) in calls {
        guard let number = call[member].flatMap(number) else { continue }
        output += "\(family){op=\(quoted(name))} \(number)\n"
      }
    }
  }

  /// Returns the name and the type of a metric by its path.
  private static func metric(_ path: [String]) -> (name: String, kind: String) {
    let name = path.joined(separator: "_")
    switch path.last {
    case "current", "open": return (path.dropLast().joined(separator: "_"), "gauge")
    case "total": return (name, "counter")
    case let last? where levels.contains(last): return (name, "gauge")
    default:
      let isMeasure = name.hasSuffix("_bytes") || name.hasSuffix("_seconds")
      return isMeasure ? (name, "gauge") : (name + "_total", "counter")
    }
  }

  /// The numbers that fall as well as rise, and don't look like it.
  private static let levels: Set = ["active", "parked", "waiting", "last_batch", "largest_batch"]

  private static func snakeCase(_ name: String) -> String {
    var result = ""
    for character in name {
      if character.isUppercase {
        result += "_" + character.lowercased()
      } else {
        result.append(character.isLetter || character.isNumber ? character : "_")
      }
    }
    return result
  }

  private static func number(_ value: JSONValue) -> String? {
    switch value {
    case .int64(let number): "\(number)"
    case .double(let number): "\(number)"
    case .bool(let value): value ? "1" : "0"
    default: nil
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for character in text {
      switch character {
      case "\\", "\"": result += "\\\(character)"
      case "\n": result += "\\n"
      default: result.append(character)
      }
    }
    return result + "\""
  }

  private static func sorted(_ value: JSONValue) -> [(String, JSONValue)] {
    (value.object ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
