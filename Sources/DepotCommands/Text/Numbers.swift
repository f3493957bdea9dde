/// Numbers in forms for people.
enum Numbers {
  /// Returns a whole number with commas between groups of three digits.
  static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude))
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }

  /// Returns `count` and `noun`, with an s unless the count is one.
  static func counted(_ count: Int, _ noun: String) -> String {
    let endsInY = noun.hasSuffix("y") && !noun.hasSuffix("ey")
    let plural = endsInY ? noun.dropLast() + "ies" : noun + "s"
    return "\(grouped(count)) \(count == 1 ? noun : String(plural))"
  }

  /// Returns a number with `digits` digits after the point.
  static func fixed(_ number: Double, _ digits: Int) -> String {
    guard number.isFinite, number.magnitude < 1e12 else { return "\(number)" }
    var scale = 1
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int((number.magnitude * Double(scale)).rounded())
    let sign = number < 0 && scaled > 0 ? "-" : ""
    if digits == 0 { return sign + String(scaled) }
    let fraction = String(scaled % scale)
    let zeros = String(repeating: "0", count: digits - fraction.count)
    return "\(sign)\(scaled / scale).\(zeros)\(fraction)"
  }

  /// Returns a time span, such as `12 ms`, `1.2 s`, `3:05 min`, or `2:03:04 h`.
  static func span(seconds: Double) -> String {
    if seconds < 0.0995 { return "\(fixed(seconds * 1000, seconds < 0.00995 ? 1 : 0)) ms" }
    if seconds < 59.95 { return "\(fixed(seconds, 1)) s" }
    let whole = Int(min(seconds, 1e12).rounded())
    let rest = two(whole / 60 % 60) + ":" + two(whole % 60)
    if whole < 3600 { return "\(whole / 60):\(two(whole % 60)) min" }
    if whole < 86400 { return "\(whole / 3600):\(rest) h" }
    return "\(whole / 86400) d \(whole / 3600 % 24) h"
  }

  /// Returns a size, such as `12 bytes`, `3.4 KiB`, or `17.0 MiB`.
  static func size(bytes: Int) -> String {
    if bytes < 1024 { return counted(bytes, "byte") }
    var size = Double(bytes) / 1024
    for unit in ["KiB", "MiB", "GiB"] {
      if size < 1024 { return "\(fixed(size, 1)) \(unit)" }
      size /= 1024
    }
    return "\(fixed(size, 1)) TiB"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
