import Foundation

extension Report {
  /// A bar for each ratio, on a logarithmic scale around 1, and the curves below.
  var svg: String {
    let rows = figures.filter { $0.ratio != nil }
    let bars = rows.isEmpty ? 0 : 40 + rows.count * 24
    let height = max(40, bars + curves.count * Self.curveHeight)
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"\(height)\" "
        + "font-family=\"sans-serif\" font-size=\"12\">",
      "<rect width=\"900\" height=\"\(height)\" fill=\"white\"/>",
    ]
    if !rows.isEmpty {
      lines.append(
        "<text x=\"10\" y=\"20\" font-weight=\"bold\">Depot relative to its reference "
          + "(line: equal)</text>"
      )
      lines.append("<line x1=\"640\" y1=\"28\" x2=\"640\" y2=\"\(bars - 8)\" stroke=\"#888\"/>")
    }
    for (index, figure) in rows.enumerated() {
      let y = 34 + index * 24
      let length = min(200, max(-200, log2(figure.ratio ?? 1) * 60))
      let x = length < 0 ? 640 + length : 640
      let color = figure.meetsBudget == false ? "#c0392b" : "#2e86c1"
      lines.append("<text x=\"10\" y=\"\(y + 13)\">\(escaped(figure.what))</text>")
      lines.append(
        "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(abs(length))\" height=\"16\" fill=\"\(color)\"/>"
      )
      let ratio = String(format: "%.2f ×", figure.ratio ?? 1)
      lines.append("<text x=\"850\" y=\"\(y + 13)\">\(ratio)</text>")
    }
    for (index, curve) in curves.enumerated() {
      lines += draw(curve, top: bars + index * Self.curveHeight)
    }
    return (lines + ["</svg>"]).joined(separator: "\n")
  }

  private static let curveHeight = 320
  private static let colors = ["#2e86c1", "#27ae60", "#8e44ad", "#c0392b", "#d68910"]

  /// Draws lines over a logarithmic scale that has room for 0, with figures from 0 up.
  private func draw(_ curve: Curve, top: Int) -> [String] {
    let (left, right) = (70.0, 660.0)
    let (low, high) = (Double(top + Self.curveHeight - 50), Double(top + 40))
    let points = curve.lines.flatMap(\.points)
    let most = max(1, points.map(\.x).max() ?? 1)
    let greatest = max(1e-9, points.map(\.y).max() ?? 1) * 1.05
    func x(_ value: Double) -> String {
      String(format: "%.1f", left + (right - left) * log10(value + 1) / log10(most + 1))
    }
    func y(_ value: Double) -> String {
      String(format: "%.1f", low - (low - high) * value / greatest)
    }
    var lines = [
      "<text x=\"10\" y=\"\(top + 20)\" font-weight=\"bold\">\(escaped(curve.title)) "
        + "(\(escaped(curve.y)))</text>",
      "<path d=\"M\(left) \(high)V\(low)H\(right)\" fill=\"none\" stroke=\"#888\"/>",
      "<text x=\"\(right)\" y=\"\(low + 34)\" text-anchor=\"end\">\(escaped(curve.x))</text>",
    ]
    for value in Set(points.map(\.x)).sorted() {
      lines.append(
        "<text x=\"\(x(value))\" y=\"\(low + 16)\" text-anchor=\"middle\">\(Int(value))</text>"
      )
    }
    for share in [0, 0.5, 1] {
      let value = greatest / 1.05 * share
      lines.append("<text x=\"62\" y=\"\(y(value))\" text-anchor=\"end\">\(format(value))</text>")
    }
    for (index, line) in curve.lines.enumerated() {
      let color = Self.colors[index % Self.colors.count]
      let path = line.points.map { "\(x($0.x)),\(y($0.y))" }.joined(separator: " ")
      lines.append(
        "<polyline points=\"\(path)\" fill=\"none\" stroke=\"\(color)\" stroke-width=\"2\"/>"
      )
      lines.append(
        "<text x=\"680\" y=\"\(Int(high) + 14 + index * 18)\" fill=\"\(color)\">"
          + "\(escaped(line.name))</text>"
      )
    }
    return lines
  }

  private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }
}
