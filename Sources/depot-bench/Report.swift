import Foundation

/// One measured figure, and its reference.
struct Figure: Codable {
  var scenario: String
  var what: String
  var unit: String
  /// The median over the rounds.
  var depot: Double
  var rounds: [Double]
  /// The name and the median of the reference, if there is one.
  var reference: String?
  var referenceValue: Double?
  /// The median of the rounds' ratios of Depot to the reference.
  var ratio: Double?
  /// The medians of the processor time that the service and the reference took for one call, in
  /// microseconds, if they were measured.
  var cpu: Double?
  var referenceCPU: Double?
  var budget: String?
  var meetsBudget: Bool?
}

/// How a cost grows.
struct Curve {
  struct Line {
    var name: String
    var points: [Point]
  }

  struct Point {
    var x: Double
    var y: Double
  }

  var title: String
  /// The unit of the points.
  var x: String
  var y: String
  var lines: [Line]
}

/// The figures of one run.
struct Report {
  private let options: Bench.Options
  private(set) var figures: [Figure] = []
  private(set) var curves: [Curve] = []
  private(set) var notes: [String] = []

  init(options: Bench.Options) {
    self.options = options
  }

  /// Adds a figure measured in rounds, each beside its reference.
  ///
  /// The budget bounds the ratio, or the figure if it has no reference; of a rate, more is better.
  mutating func add(
    _ scenario: String,
    _ what: String,
    unit: String,
    _ depot: [Double],
    reference: String? = nil,
    _ values: [Double] = [],
    isRate: Bool = false,
    cpu: [Double] = [],
    referenceCPU: [Double] = [],
    budget: Double? = nil
  ) {
    let ratios = zip(depot, values).map { $0 / $1 }
    let ratio = values.isEmpty ? nil : median(ratios)
    var figure = Figure(
      scenario: scenario,
      what: what,
      unit: unit,
      depot: median(depot),
      rounds: depot,
      reference: reference,
      referenceValue: values.isEmpty ? nil : median(values),
      ratio: ratio,
      cpu: cpu.isEmpty ? nil : median(cpu),
      referenceCPU: referenceCPU.isEmpty ? nil : median(referenceCPU)
    )
    if let budget {
      figure.budget = "\(isRate ? "≥" : "≤") \(budget)\(values.isEmpty ? " \(unit)" : " ×")"
      let value = ratio ?? figure.depot
      figure.meetsBudget = isRate ? value >= budget : value <= budget
    }
    figures.append(figure)
  }

  mutating func add(_ curve: Curve) { curves.append(curve) }

  mutating func note(_ text: String) { notes.append(text) }

  var markdown: String {
    var lines = [
      "| work | Depot | reference | ratio | CPU per call | budget | |",
      "|---|--:|--:|--:|--:|--:|---|",
    ]
    for figure in figures {
      let reference =
        figure.referenceValue.map { "\(format($0)) \(figure.unit) (\(figure.reference ?? ""))" }
        ?? "–"
      let ratio = figure.ratio.map { String(format: "%.2f ×", $0) } ?? "–"
      let cpu =
        figure.cpu.map { own in
          "\(format(own)) µs" + (figure.referenceCPU.map { " (\(format($0)) µs)" } ?? "")
        } ?? "–"
      let verdict = figure.meetsBudget.map { $0 ? "met" : "missed" } ?? ""
      lines.append(
        "| \(figure.what) | \(format(figure.depot)) \(figure.unit) | \(reference) | \(ratio) "
          + "| \(cpu) | \(figure.budget ?? "–") | \(verdict) |"
      )
    }
    return (lines + [""] + notes.map { "- \($0)" }).joined(separator: "\n")
  }

  func write(to path: String) throws {
    let folder = (path as NSString).deletingLastPathComponent
    if !folder.isEmpty {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }
    try markdown.write(toFile: path + ".md", atomically: true, encoding: .utf8)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(figures).write(to: URL(filePath: path + ".json"))
    try svg.write(toFile: path + ".svg", atomically: true, encoding: .utf8)
  }

  func format(_ value: Double) -> String {
    value >= 1000
      ? String(Int(value.rounded())) : String(format: value < 10 ? "%.2f" : "%.1f", value)
  }
}

/// Returns the middle of the values.
func median(_ values: [Double]) -> Double {
  percentile(values, 0.5)
}

/// Returns the value below which `share` of the values lie.
func percentile(_ values: [Double], _ share: Double) -> Double {
  guard !values.isEmpty else { return .nan }
  let sorted = values.sorted()
  return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
}
