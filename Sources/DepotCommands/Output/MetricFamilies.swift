internal import DepotProtocol

/// Metrics grouped by their names.
@Memberwise
struct MetricFamilies {
  enum Kind: String {
    case counter
    case gauge
    case histogram
  }

  typealias Labels = [(String, String)]

  private var names: [String] = []
  private var families: [String: (kind: Kind, lines: String)] = [:]
  /// The descriptions of metrics, by their names.
  private let meanings: [String: String]

  /// The text of all metrics, in the order of each name's first addition.
  var text: String {
    var output = ""
    for name in names {
      guard let family = families[name] else { continue }
      if let meaning = meanings[name] {
        let escaped = meaning.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        output += "# HELP \(name) \(escaped)\n"
      }
      output += "# TYPE \(name) \(family.kind.rawValue)\n" + family.lines
    }
    return output
  }

  /// Adds one number, unless `value` isn't a number.
  mutating func add(_ name: String, _ kind: Kind, _ value: JSONValue?, _ labels: Labels) {
    guard let number = value.flatMap(Self.number) else { return }
    add(name, kind, lines: Self.line(name, labels, number))
  }

  /// Adds all numbers inside of `value`; their paths become part of their names.
  mutating func add(_ path: [String], _ value: JSONValue, _ labels: Labels) {
    guard case .object = value else {
      let (name, kind) = Self.metric(path)
      return add(name, kind, value, labels)
    }
    let isHistogram = value["commitMicroseconds"] != nil
    if isHistogram {
      addHistogram(
        path + ["commit_seconds"],
        value["commitMicroseconds"],
        sum: value["commitSeconds"],
        base: 2,
        labels
      )
    }
    for (name, value) in value.sortedMembers
    where !["pid", "service"].contains(name) && !(isHistogram && name == "commitSeconds") {
      add(path + [Self.snakeCase(name)], value, labels)
    }
  }

  /// Adds a histogram of durations.
  ///
  /// The service counts each duration in one bucket: bucket i has durations below `base`^i
  /// microseconds, and the last one has all longer durations.
  mutating func addHistogram(
    _ path: [String],
    _ counts: JSONValue?,
    sum: JSONValue?,
    base: Int,
    _ labels: Labels
  ) {
    let counts = (counts?.array ?? []).map { $0.int64 ?? 0 }
    let name = path.joined(separator: "_")
    var lines = ""
    var total: Int64 = 0
    var bound = 1
    for (index, count) in counts.enumerated() {
      total += count
      let limit = index + 1 < counts.count ? "\(Double(bound) / 1e6)" : "+Inf"
      lines += Self.line(name + "_bucket", labels + [("le", limit)], "\(total)")
      bound *= base
    }
    lines += Self.line(name + "_sum", labels, sum.flatMap(Self.number) ?? "0")
    lines += Self.line(name + "_count", labels, "\(total)")
    add(name, .histogram, lines: lines)
  }

  private mutating func add(_ name: String, _ kind: Kind, lines: String) {
    if families[name] == nil { names.append(name) }
    families[name, default: (kind, "")].lines += lines
  }

  private static func line(_ name: String, _ labels: Labels, _ number: String) -> String {
    let list = labels.map { "\($0)=\(quoted($1))" }.joined(separator: ",")
    return "\(name)\(list.isEmpty ? "" : "{\(list)}") \(number)\n"
  }

  /// Returns the name and the type of a metric by its path.
  private static func metric(_ path: [String]) -> (name: String, kind: Kind) {
    let name = path.joined(separator: "_")
    switch path.last {
    case "current", "open": return (path.dropLast().joined(separator: "_"), .gauge)
    case "total": return (name, .counter)
    case let last? where levels.contains(last): return (name, .gauge)
    default:
      let isMeasure = name.hasSuffix("_bytes") || name.hasSuffix("_seconds")
      return isMeasure ? (name, .gauge) : (name + "_total", .counter)
    }
  }

  /// The gauges, which may fall, among the numbers whose names look like counters.
  private static let levels: Set = [
    "active", "commits_since_base", "pins", "reachable", "parked", "waiting", "last_batch",
    "largest_batch",
  ]

  private static func snakeCase(_ name: String) -> String {
    name.map { character in
      if character.isUppercase { return "_" + character.lowercased() }
      return character.isLetter || character.isNumber ? String(character) : "_"
    }.joined()
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
    let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return "\"\(escaped.replacing("\n", with: "\\n"))\""
  }
}
