/// The wire form of a date: RFC 3339 in UTC with the fewest digits that give the same double.
package enum DateText {
  /// Writes a date, given in seconds since 2001-01-01T00:00:00Z.
  ///
  /// A date outside the years 1 to 9999, or without an exact text of up to nine fraction digits
  /// (such as -0.0), becomes `{"referenceSeconds":…}`.
  package static func write(_ seconds: Double, to writer: inout JSONWriter) {
    guard seconds >= firstSecond, seconds < endSecond,
      seconds != 0 || seconds.sign == .plus,
      let (whole, fraction, digits) = shortestFraction(seconds)
    else {
      writer.raw("{\"referenceSeconds\":")
      writer.double(seconds)
      return writer.raw("}")
    }
    let day = Int(whole / 86400) - (whole % 86400 < 0 ? 1 : 0)
    let time = whole - day * 86400
    let (year, month, dayOfMonth) = civil(fromDay: day + daysTo2001)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { text in
      var end = 0
      add(year, 4, after: "\"", to: text, &end)
      add(month, 2, after: "-", to: text, &end)
      add(dayOfMonth, 2, after: "-", to: text, &end)
      add(time / 3600, 2, after: "T", to: text, &end)
      add(time / 60 % 60, 2, after: ":", to: text, &end)
      add(time % 60, 2, after: ":", to: text, &end)
      if digits > 0 { add(fraction, digits, after: ".", to: text, &end) }
      writer.raw(UnsafeBufferPointer(rebasing: text[..<end]))
    }
    writer.raw("Z\"")
  }

  /// Writes a date, given in seconds since 2001-01-01T00:00:00Z, always as a text unless it is NaN.
  ///
  /// A date outside the years 1 to 9999 becomes the nearest one within. A date without an exact
  /// text is rounded down to a second.
  package static func writeMoment(_ seconds: Double, to writer: inout JSONWriter) {
    guard !seconds.isNaN else { return write(seconds, to: &writer) }
    // The sum has no sign if it is 0.
    let moment = min(max(seconds, firstSecond), endSecond - 1) + 0
    write(shortestFraction(moment) == nil ? moment.rounded(.down) : moment, to: &writer)
  }

  /// Returns the text that ``writeMoment(_:to:)`` writes, without quotation marks.
  package static func moment(_ seconds: Double) -> String {
    String(JSONWriter.text { writeMoment(seconds, to: &$0) }.dropFirst().dropLast())
  }

  /// Returns the text of a date without quotation marks; `nil` if it has none.
  package static func text(_ seconds: Double) -> String? {
    let text = JSONWriter.text { write(seconds, to: &$0) }
    return text.first == "\"" ? String(text.dropFirst().dropLast()) : nil
  }

  /// Returns the seconds since 2001-01-01T00:00:00Z of an RFC 3339 text; `nil` if inexact.
  ///
  /// A time between two doubles isn't exact, since it would be written as another text.
  ///
  /// Any offset and up to nine fraction digits are accepted; a leap second isn't.
  package static func parse(_ text: some Collection<UInt8>) -> Double? {
    guard let (whole, nanoseconds) = moment(text) else { return nil }
    let seconds = Double(whole) + Double(nanoseconds) / 1e9
    // Doubles are less than a microsecond apart from the year 1729 to 2272.
    if nanoseconds % 1000 == 0, abs(whole) < 1 << 33 { return seconds }
    guard let (floor, fraction, digits) = shortestFraction(seconds), floor == whole else {
      return nil
    }
    let scale = repeatElement(10, count: 9 - digits).reduce(1, *)
    return fraction * scale == nanoseconds ? seconds : nil
  }

  /// Returns the whole seconds since 2001-01-01T00:00:00Z of a text such as `2026-05-01T13:45:00Z`.
  ///
  /// Most dates have this form; the result is `nil` for other forms and invalid dates.
  package static func usual(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    func number(_ position: Int) -> Int? {
      let (high, low) = (text[position] &- 0x30, text[position + 1] &- 0x30)
      return high < 10 && low < 10 ? Int(high) * 10 + Int(low) : nil
    }
    guard text.count == usualCount, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
      text[19] == UInt8(ascii: "Z"), let century = number(0), let yearOfCentury = number(2),
      let month = number(5), let day = number(8), let hour = number(11), let minute = number(14),
      let second = number(17)
    else { return nil }
    let year = century * 100 + yearOfCentury
    guard year > 0, 1...12 ~= month, 1...daysIn(month, of: year) ~= day, hour < 24, minute < 60,
      second < 60
    else { return nil }
    let days = self.day(year, month, day) - daysTo2001
    return days * 86400 + hour * 3600 + minute * 60 + second
  }

  /// The length of a date to the second.
  private static let usualCount = 20

  /// Returns the double of seconds since 2001-01-01T00:00:00Z nearest to an RFC 3339 text.
  package static func nearest(_ text: some Collection<UInt8>) -> Double? {
    moment(text).map { Double($0.whole) + Double($0.nanoseconds) / 1e9 }
  }

  /// The usual forms that ``exact(_:)`` takes, for hints.
  package static let forms = "a date such as 2026-02-01, 2026-02-01 12:30, or 2026-02-01T12:30:00Z"

  /// Returns the RFC 3339 form of a date in one of the ISO 8601 forms that SQLite accepts.
  ///
  /// The result is `nil` if the text isn't a date or is ambiguous.
  ///
  /// A date without a time is the beginning of that day. A space may replace the T, the seconds may
  /// be missing, their fraction may follow a comma, an offset needs neither a colon nor minutes,
  /// and without an offset the time is UTC. With the T, hyphens and colons may be left out, as in
  /// `20260501T1345Z`.
  package static func exact(_ text: some Collection<UInt8>) -> String? {
    let bytes = Array(text)
    if moment(bytes) != nil { return String(decoding: bytes, as: UTF8.self) }
    guard let (whole, nanoseconds) = moment(bytes, isLoose: true) else { return nil }
    var writer = JSONWriter()
    write(Double(whole), to: &writer)
    guard writer.bytes.last == UInt8(ascii: "\"") else { return nil }
    let seconds = String(decoding: writer.bytes.dropFirst().dropLast(2), as: UTF8.self)
    guard nanoseconds > 0 else { return seconds + "Z" }
    var fraction = String(1_000_000_000 + nanoseconds).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return "\(seconds).\(fraction)Z"
  }

  private static func moment(
    _ text: some Collection<UInt8>,
    isLoose: Bool = false
  ) -> (whole: Int, nanoseconds: Int)? {
    var reader = DigitReader(Array(text), isLoose: isLoose)
    guard let year = reader.number(4), year > 0, reader.skipSign("-"),
      let month = reader.number(2), 1...12 ~= month, reader.skipSign("-"),
      let day = reader.number(2), 1...daysIn(month, of: year) ~= day
    else { return nil }
    let days = (self.day(year, month, day) - daysTo2001) * 86400
    if isLoose, reader.isAtEnd, reader.hasSigns { return (days, 0) }
    guard reader.skip("T") || reader.skip("t") || isLoose && reader.hasSigns && reader.skip(" "),
      let hour = reader.number(2), hour < 24, reader.skipSign(":"),
      let minute = reader.number(2), minute < 60
    else { return nil }
    var second = 0
    var nanoseconds = 0
    if !isLoose || reader.hasSeconds {
      guard reader.skipSign(":"), let number = reader.number(2), number < 60 else { return nil }
      second = number
      if reader.skip(".") || isLoose && reader.skip(",") {
        guard let fraction = reader.fraction() else { return nil }
        nanoseconds = fraction
      }
    }
    guard let offset = reader.offset(), reader.isAtEnd else { return nil }
    return (days + hour * 3600 + minute * 60 + second - offset, nanoseconds)
  }

  private static let daysTo2001 = 11_323
  private static let firstSecond = Double((day(1, 1, 1) - daysTo2001) * 86400)
  private static let endSecond = Double((day(10_000, 1, 1) - daysTo2001) * 86400)

  private static func shortestFraction(_ seconds: Double) -> (Int, Int, Int)? {
    let floor = seconds.rounded(.down)
    let rest = seconds - floor
    if rest == 0 { return (Int(floor), 0, 0) }
    var scale = 1.0
    for digits in 1...9 {
      scale *= 10
      let fraction = (rest * scale).rounded()
      if fraction < scale, floor + fraction / scale == seconds {
        return (Int(floor), Int(fraction), digits)
      }
    }
    return nil
  }

  /// Adds a separator, and a number with leading zeros.
  @inline(__always)
  private static func add(
    _ number: Int,
    _ width: Int,
    after separator: Unicode.Scalar,
    to text: UnsafeMutableBufferPointer<UInt8>,
    _ end: inout Int
  ) {
    text[end] = UInt8(ascii: separator)
    var rest = UInt(bitPattern: number)
    var place = end + width
    while place > end {
      text[place] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
      place -= 1
    }
    end += width + 1
  }

  /// Returns the days from 1970-01-01 to a date of the proleptic Gregorian calendar.
  private static func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(fromDay day: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private static func daysIn(_ month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

/// A reader of the fixed-width numbers in a date.
private struct DigitReader {
  private let bytes: [UInt8]
  private let isLoose: Bool
  /// Whether there are signs between the numbers.
  let hasSigns: Bool
  private var position = 0

  init(_ bytes: [UInt8], isLoose: Bool) {
    self.bytes = bytes
    self.isLoose = isLoose
    hasSigns = !isLoose || bytes.dropFirst(4).first == UInt8(ascii: "-")
  }

  var isAtEnd: Bool { position == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Moves past a sign between numbers, if there are such.
  mutating func skipSign(_ character: Unicode.Scalar) -> Bool { !hasSigns || skip(character) }

  /// Whether seconds follow.
  var hasSeconds: Bool {
    guard position < bytes.count else { return false }
    return hasSigns ? bytes[position] == UInt8(ascii: ":") : bytes[position] &- 0x30 < 10
  }

  mutating func number(_ width: Int) -> Int? {
    guard position + width <= bytes.count else { return nil }
    var result = 0
    for byte in bytes[position..<position + width] {
      guard byte &- 0x30 < 10 else { return nil }
      result = result * 10 + Int(byte - 0x30)
    }
    position += width
    return result
  }

  /// Reads one to nine digits as nanoseconds.
  mutating func fraction() -> Int? {
    let width = bytes[position...].prefix { $0 &- 0x30 < 10 }.count
    guard 1...9 ~= width, var result = number(width) else { return nil }
    for _ in width..<9 { result *= 10 }
    return result
  }

  /// Reads the offset from UTC in seconds.
  mutating func offset() -> Int? {
    while isLoose, !isAtEnd, skip(" ") {}
    if isLoose, isAtEnd { return 0 }
    if skip("Z") || skip("z") { return 0 }
    let sign = skip("+") ? 1 : skip("-") ? -1 : 0
    guard sign != 0, let hours = number(2), hours < 24 else { return nil }
    if isLoose, isAtEnd { return sign * hours * 3600 }
    guard skip(":") || isLoose, let minutes = number(2), minutes < 60 else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }
}
