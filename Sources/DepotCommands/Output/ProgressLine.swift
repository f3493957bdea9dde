/// The text that shows the progress of a long task.
struct ProgressLine {
  var rows: Int
  /// The number of processed bytes, if they are counted instead of rows.
  var bytes: Int?
  var seconds: Double
  /// The part of the input that was read, from 0 to 1, if it is known.
  var fraction: Double?

  /// Returns the line for a terminal of `width` columns.
  func text(width: Int) -> String {
    let facts = plainText
    guard let fraction else { return TextWidth.fit(facts, to: min(width, facts.utf8.count)) }
    let room = min(30, width - facts.utf8.count - 3)
    guard room >= 5 else { return TextWidth.fit(facts, to: min(width, facts.utf8.count)) }
    let filled = min(room, max(0, Int(fraction * Double(room))))
    let bar =
      String(repeating: "#", count: filled) + String(repeating: "-", count: room - filled)
    return "[\(bar)] \(facts)"
  }

  /// The facts without a bar, for logs.
  var plainText: String {
    let done = bytes ?? rows
    let rate = seconds > 0 ? Int(min(Double(done) / seconds, 1e15)) : 0
    var text =
      bytes.map { "\(Numbers.size(bytes: $0)), \(Numbers.size(bytes: rate))/s" }
      ?? "\(Numbers.counted(rows, "row")), \(Numbers.grouped(rate)) rows/s"
    if let fraction {
      text += ", \(Int(min(1, max(0, fraction)) * 100)) %"
      if let left = secondsLeft { text += ", \(Numbers.span(seconds: left)) left" }
    }
    return text
  }

  private var secondsLeft: Double? {
    guard let fraction, fraction > 0.01, fraction < 1, seconds > 0.2 else { return nil }
    return seconds / fraction * (1 - fraction)
  }
}
