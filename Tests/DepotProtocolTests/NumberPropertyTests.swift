import DepotProtocol
import Foundation
import TestSupport
import Testing

/// Numbers, dates, and URLs are read exactly or not at all, whatever they look like.
@Suite struct NumberPropertyTests {
  @Test(arguments: seeds(20))
  func `a number is read as the whole one that it writes`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let text = NumberText.random(&generator)
      let model = NumberText.whole(text)
      let node = try JSONDocument(Array(text.utf8)).root
      #expect(node.withField { JSONNumber.whole($0.bytes) } == model, "\(text)")
      if case .value(let value) = model {
        #expect(try node.int64() == value, "\(text)")
        if !NumberText.isDouble(text) { #expect(try JSONValue(node).int64 == value, "\(text)") }
        #expect(node.withField(\.int64) == value, "\(text)")
      } else {
        let error = #expect(throws: DepotError.self, "\(text)") { try node.int64() }
        #expect(error?.code == (model == .fraction ? .type : .numberRange), "\(text)")
        #expect(node.withField(\.int64) == nil, "\(text)")
      }
    }
  }

  @Test(arguments: seeds(20))
  func `a decimal is read as the nearest double`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      var digits = (0..<Int.random(in: 1...22, using: &generator))
        .map { _ in "\(Int.random(in: 0...9, using: &generator))" }.joined()
      if generator.once(in: 3) {
        // As far from one double as from the next, or nearly so.
        let odd = UInt64.random(in: 1 << 53...1 << 54, using: &generator) | 1
        digits = "\(odd * generator.pick([1, 5, 25, 125]) + generator.pick([0, 0, 1]))"
      }
      let point = Int.random(in: 0...digits.count, using: &generator)
      let (whole, fraction) = (digits.prefix(point), digits.dropFirst(point))
      var text = (whole.isEmpty ? "0" : "\(whole)") + (fraction.isEmpty ? "" : ".\(fraction)")
      if generator.once(in: 2) { text = "-" + text }
      let expected = try #require(Double(text))
      let read = Array(text.utf8).withUnsafeBufferPointer { JSONNumber.double($0) }
      #expect(read?.bitPattern == expected.bitPattern, "\(text)")
    }
  }

  @Test(arguments: seeds(20))
  func `a constant is the number that it writes`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let text = NumberText.random(&generator)
      guard case .value(let whole) = NumberText.whole(text) else { continue }
      if NumberText.isDouble(text) { continue }
      let constant = try Value(constant: JSONDocument(Array(text.utf8)).root)
      #expect(constant.converted(to: .int64) == .int64(whole), "\(text)")
      #expect(constant.order(.int64(whole)) == 0, "\(text)")
      let parsed = try PredicateParser.parse("a == \(text)")
      guard case .comparison(_, _, .value(let value), _) = parsed else {
        Issue.record("\(parsed)")
        continue
      }
      #expect(value.order(.int64(whole)) == 0, "\(text)")
    }
  }

  @Test func `a constant that a double would round to a whole one keeps its digits`() throws {
    for text in [
      "4503599627370495.9", "-4503599627370496.25", "9007199254740991.5e0",
      "7.00000000000000000001", "-9223372036854775809.0", "123456789012345678901234567890.0",
    ] {
      let constant = try Value(constant: JSONDocument(Array(text.utf8)).root)
      guard case .decimal(let decimal) = constant else {
        Issue.record("\(text) is \(constant)")
        continue
      }
      #expect(decimal == Decimal(string: text))
      #expect(constant.converted(to: .int64) == nil)
      #expect(throws: DepotError.self) { try PredicateParser.parse("a == \(text)") }
    }
    // Digits that any double lacks are of no consequence otherwise.
    #expect(
      try PredicateParser.parse("a < 3.14159265358979323846")
        == .comparison(.less, .attribute("a"), .value(.double(.pi)))
    )
  }

  @Test(arguments: seeds(20))
  func `a date comes back as it was written or is refused`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var refused = 0
    for _ in 0..<500 {
      let day = Int.random(in: 0..<3_652_058, using: &generator)
      let second = Int.random(in: 0..<86400, using: &generator)
      let digits = Int.random(in: 0...9, using: &generator)
      let fraction = (0..<digits).map { _ in "\(Int.random(in: 0...9, using: &generator))" }
        .joined()
      let whole = Double((day - 730_485) * 86400 + second)
      var start = JSONWriter()
      DateText.write(whole, to: &start)
      let plain = String(decoding: start.bytes.dropFirst().dropLast(2), as: UTF8.self)
      let text = plain + (digits > 0 ? ".\(fraction)" : "") + "Z"
      var shortest = fraction[...]
      while shortest.last == "0" { shortest.removeLast() }
      let canonical = plain + (shortest.isEmpty ? "" : ".\(shortest)") + "Z"
      guard let seconds = DateText.parse(text.utf8) else {
        refused += 1
        #expect(DateText.nearest(text.utf8) != nil)
        #expect(shortest.count > 6 || abs(whole) >= 0x1p33, "\(text)")
        continue
      }
      var writer = JSONWriter()
      DateText.write(seconds, to: &writer)
      #expect(String(decoding: writer.bytes, as: UTF8.self) == "\"\(canonical)\"")
    }
    #expect(1..<400 ~= refused)
  }

  static let dates: [(String, String?)] = [
    ("2024-05-01", "2024-05-01T00:00:00Z"), ("2024-05-01 13:45:00", "2024-05-01T13:45:00Z"),
    ("2024-05-01T13:45", "2024-05-01T13:45:00Z"), ("2024-05-01 13:45", "2024-05-01T13:45:00Z"),
    ("2024-05-01T13:45:10+0200", "2024-05-01T11:45:10Z"),
    ("2024-05-01T13:45:10+02", "2024-05-01T11:45:10Z"),
    ("2024-05-01 13:45:10.250 -0130", "2024-05-01T15:15:10.25Z"),
    ("2024-05-01T13:45:10,5Z", "2024-05-01T13:45:10.5Z"),
    ("2024-05-01 00:30+01:00", "2024-04-30T23:30:00Z"), ("20240501T1345Z", "2024-05-01T13:45:00Z"),
    ("20240501T134510.5", "2024-05-01T13:45:10.5Z"),
    ("2024-05-01T13:45:10+02:00", "2024-05-01T13:45:10+02:00"),
    ("2024-05-01t13:45:10z", "2024-05-01t13:45:10z"),
    ("20240501", nil), ("2024", nil), ("2024-05", nil), ("05/01/2024", nil), ("01.05.2024", nil),
    ("2024-02-30", nil), ("2024-5-1", nil), ("2024-05-01T", nil), ("2024-05-01 ", nil),
    ("2024-05-01T24:00", nil), ("2024-05-01Z", nil), ("2024-05-01T13", nil), ("13:45", nil),
    ("2024-05-01T13:45:60Z", nil), ("2024-05-01T1345Z", nil), ("20240501T13:45Z", nil),
    ("20240501 1345", nil), ("2024-05-01T13:45 +2", nil), ("2024-05-01T13:45:10.", nil),
    ("now", nil), ("", nil),
  ]

  @Test(arguments: dates)
  func `a date in another form of ISO 8601 is one in UTC unless it says otherwise`(
    text: String,
    exact: String?
  ) {
    #expect(DateText.exact(text.utf8) == exact)
    if let exact { #expect(DateText.parse(exact.utf8) != nil) }
    let value = Value.string(text).converted(to: .date)
    #expect((value != nil) == (exact != nil))
  }

  @Test func `a refused value tells how to write it`() throws {
    func misfit(_ text: String, _ type: AttributeType) throws -> ValueMisfit? {
      try JSONDocument(Array(text.utf8)).root.withField { field in
        #expect(field.value(as: type) == nil, "\(text)")
        return field.misfit(as: type)
      }
    }
    let date = try misfit(#""2026-07-01T10:20:30.123456789+02:00""#, .date)
    #expect(date?.code == .numberRange)
    #expect(date?.hint.contains(#""2026-07-01T08:20:30.1234568Z""#) == true)
    let url = try misfit(#""https://bücher.example/ä?q=a b""#, .url)
    #expect(url?.code == .type)
    #expect(url?.hint.contains("/%C3%A4?q=a%20b") == true)
    for (text, type) in [
      ("1e19", AttributeType.int64), (#""9223372036854775808""#, .int64), ("-1e400", .double),
      ("123456789012345678901234567890123456789", .decimal), (#""1e300""#, .decimal),
    ] {
      #expect(try misfit(text, type)?.code == .numberRange, "\(text)")
    }
    for (text, type) in [
      ("1.5", AttributeType.int64), (#""1.5""#, .int64), ("true", .int64), (#""x""#, .double),
      ("1.5", .decimal), (#""x""#, .decimal), (#""now""#, .date), ("3", .date), ("7", .url),
      (#""http://[""#, .url), (#""x""#, .uuid), ("2", .bool),
    ] {
      #expect(try misfit(text, type) == nil, "\(text)")
    }
  }
}

/// Texts of numbers, and what they mean, found by moving the point.
enum NumberText {
  private static let whole = [
    "0", "1", "5", "100", "4503599627370495", "4503599627370496", "9007199254740991",
    "9007199254740993", "9223372036854775807", "9223372036854775808", "9223372036854775809",
    "18446744073709551616",
  ]

  static func random(_ generator: inout SeededGenerator) -> String {
    var digits =
      generator.once(in: 3)
      ? "\(Int.random(in: 1...9, using: &generator))"
        + (0..<Int.random(in: 0...24, using: &generator))
        .map { _ in "\(Int.random(in: 0...9, using: &generator))" }.joined()
      : generator.pick(whole)
    // The digits behind the point.
    var behind = 0
    if generator.once(in: 2) {
      let fraction = generator.pick(["0", "00", "5", "9", "000000001"])
      digits += fraction
      behind = fraction.count
    }
    // The same number with its point elsewhere.
    let moved = generator.once(in: 2) ? Int.random(in: -5...30, using: &generator) : behind
    let padded = String(repeating: "0", count: max(0, moved - digits.count + 1)) + digits
    var text = moved > 0 ? "\(padded.dropLast(moved)).\(padded.suffix(moved))" : padded
    while text.first == "0", text.count > 1, text.dropFirst().first != "." { text.removeFirst() }
    let exponent = max(moved, 0) - behind
    if exponent != 0 || generator.once(in: 5) {
      let sign = exponent < 0 ? "" : generator.pick(["", "+"])
      text += generator.pick(["e", "E"]) + sign + "\(exponent)"
    }
    return (generator.once(in: 2) ? "-" : "") + text
  }

  /// Whether this is what a program writes for a double, which isn't just what the digits say.
  static func isDouble(_ text: String) -> Bool {
    guard case .value(let whole) = whole(text), let double = Double(text),
      text.contains(where: "eE.".contains)
    else { return false }
    return Double(exactly: whole) == nil && Self.whole(double.description) == .value(whole)
  }

  /// The number as a whole one.
  static func whole(_ text: String) -> JSONNumber.Whole {
    let isNegative = text.first == "-"
    let parts = text.drop { $0 == "-" }.split { $0 == "e" || $0 == "E" }
    let mantissa = parts[0].split(separator: ".")
    var (whole, fraction) = (String(mantissa[0]), mantissa.count > 1 ? String(mantissa[1]) : "")
    let exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    for _ in 0..<max(exponent, 0) { whole.append(fraction.isEmpty ? "0" : fraction.removeFirst()) }
    for _ in 0..<max(-exponent, 0) { fraction = String(whole.popLast() ?? "0") + fraction }
    guard fraction.allSatisfy({ $0 == "0" }) else { return .fraction }
    let value = Int64((isNegative ? "-" : "") + (whole.isEmpty ? "0" : whole))
    return value.map(JSONNumber.Whole.value) ?? .tooGreat
  }
}
