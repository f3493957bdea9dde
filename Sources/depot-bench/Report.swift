import Foundation

/// One measured figure and what it is held against.
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
  var budget: String?
  var meetsBudget: Bool?
}

/// The figures of one run.
struct Report {
  private let options: Bench.Options
  private(set) var figures: [Figure] = []
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
      ratio: ratio
    )
    if let budget {
      figure.budget = "\(isRate ? "≥" : "≤") \(budget)\(values.isEmpty ? " \(unit)" : " ×")"
      let value = ratio ?? figure.depot
      figure.meetsBudget = isRate ? value >= budget : value <= budget
    }
    figures.append(figure)
  }

  mutating func note(_ text: String) { notes.append(text) }

  var markdown: String {
    var lines = [
      "| work | Depot | reference | ratio | budget | |", "|---|--:|--:|--:|--:|---|",
    ]
    for figure in figures {
      let reference =
        figure.referenceValue.map { "\(format($0)) \(figure.unit) (\(figure.reference ?? ""))" }
        ?? "–"
      let ratio = figure.ratio.map { String(format: "%.2f ×", $0) } ?? "–"
      let verdict = figure.meetsBudget.map { $0 ? "met" : "missed" } ?? ""
      lines.append(
        "| \(figure.what) | \(format(figure.depot)) \(figure.unit) | \(reference) | \(ratio) "
          + "| \(figure.budget ?? "–") | \(verdict) |"
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

  /// A bar for each ratio, on a logarithmic scale around 1.
  private var svg: String {
    let rows = figures.filter { $0.ratio != nil }
    let height = 40 + rows.count * 24
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"\(height)\" "
        + "font-family=\"sans-serif\" font-size=\"12\">",
      "<rect width=\"900\" height=\"\(height)\" fill=\"white\"/>",
      "<text x=\"10\" y=\"20\" font-weight=\"bold\">Depot relative to its reference "
        + "(line: equal)</text>",
      "<line x1=\"640\" y1=\"28\" x2=\"640\" y2=\"\(height - 8)\" stroke=\"#888\"/>",
    ]
    for (index, figure) in rows.enumerated() {
      let y = 34 + index * 24
      let length = min(200, max(-200, log2(figure.ratio ?? 1) * 60))
      let x = length < 0 ? 640 + length : 640
      let color = figure.meetsBudget == false ? "#c0392b" : "#2e86c1"
      let name = figure.what.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      lines.append("<text x=\"10\" y=\"\(y + 13)\">\(name)</text>")
      lines.append(
        "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(abs(length))\" height=\"16\" fill=\"\(color)\"/>"
      )
      let ratio = String(format: "%.2f ×", figure.ratio ?? 1)
      lines.append("<text x=\"850\" y=\"\(y + 13)\">\(ratio)</text>")
    }
    return (lines + ["</svg>"]).joined(separator: "\n")
  }

  private func format(_ value: Double) -> String {
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
