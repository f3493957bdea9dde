import DepotProtocol
import FoundationEssentials
import TestSupport

extension SeededGenerator {
  /// Returns a value of any type, extremes more often than their share.
  mutating func value() -> Value {
    switch Int.random(in: 0..<11, using: &self) {
    case 0: .null
    case 1: .bool(.random(using: &self))
    case 2: .int64(int64())
    case 3: .double(double())
    case 4: .string(string())
    case 5: .date(Date(timeIntervalSinceReferenceDate: referenceSeconds()))
    case 6: .uuid(uuid())
    case 7: .data(data())
    case 8: .decimal(decimal())
    case 9: .json(json())
    default: .url(url())
    }
  }

  /// Returns the compact text of a JSON value that isn't null.
  mutating func json() -> String {
    let value: JSONValue =
      switch Int.random(in: 0..<5, using: &self) {
      case 0: .string(string())
      case 1: .int64(int64())
      case 2: .array([.bool(true), .null, .string(string())])
      case 3: .object(["a name": .int64(int64())])
      default: .bool(false)
      }
    return jsonText { $0.write(value) }
  }

  mutating func int64() -> Int64 {
    switch Int.random(in: 0..<4, using: &self) {
    case 0: pick([.min, .max, .min + 1, 0, -1, 1, 1 << 53, -(1 << 53) - 1])
    case 1: .random(in: -1000...1000, using: &self)
    default: Int64(bitPattern: next()) >> Int64.random(in: 0..<64, using: &self)
    }
  }

  mutating func double() -> Double {
    switch Int.random(in: 0..<4, using: &self) {
    case 0:
      pick([
        0, -0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
        .leastNormalMagnitude, 0.1, 1e21, 0x1p53, -0x1p63,
      ])
    case 1: Double(Int.random(in: -10_000...10_000, using: &self)) / 100
    default: Double(bitPattern: next())
    }
  }

  /// Returns seconds since 2001, from dates with few fraction digits to any bit pattern.
  mutating func referenceSeconds() -> Double {
    let day = Double.random(in: -6e10...2e11, using: &self).rounded()
    switch Int.random(in: 0..<4, using: &self) {
    case 0: return day
    case 1:
      let digits = Int.random(in: 1...9, using: &self)
      let scale = (0..<digits).reduce(1.0) { power, _ in power * 10 }
      let near = Double.random(in: -1e9...1e9, using: &self).rounded()
      return near + Double.random(in: 0..<scale, using: &self).rounded(.down) / scale
    case 2: return Double.random(in: -1e9...1e9, using: &self)
    default: return double()
    }
  }

  mutating func string() -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0..<12, using: &self) {
      let ranges: [ClosedRange<UInt32>] = [
        0...0x1F, 0x20...0x7E, 0x20...0x7E, 0x22...0x27, 0x5C...0x5C, 0x7F...0x7FF, 0x300...0x36F,
        0x800...0xD7FF, 0xE000...0xFFFF, 0x1_0000...0x10_FFFF,
      ]
      let scalar = UInt32.random(in: pick(ranges), using: &self)
      if let scalar = Unicode.Scalar(scalar) { text.unicodeScalars.append(scalar) }
    }
    return text
  }

  mutating func uuid() -> UUID {
    var bytes: [UInt8] = []
    for _ in 0..<16 { bytes.append(.random(in: .min ... .max, using: &self)) }
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  mutating func data() -> Data {
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 0..<40, using: &self) {
      bytes.append(.random(in: .min ... .max, using: &self))
    }
    return Data(bytes)
  }

  /// Returns a decimal of one to 38 digits and an exponent anywhere in its range.
  mutating func decimal() -> Decimal {
    var digits = String(Int.random(in: 1...9, using: &self))
    for _ in 0..<Int.random(in: 0..<38, using: &self) {
      digits += String(Int.random(in: 0...9, using: &self))
    }
    let exponent = pick([0, -1, -38, 38, Int.random(in: -90...80, using: &self)])
    let sign = Bool.random(using: &self) ? "-" : ""
    return Decimal(string: "\(sign)\(digits)e\(exponent)") ?? 0
  }

  mutating func url() -> URL {
    let texts = [
      "https://example.org/a?b=c#d", "file:///tmp/x%20y", "mailto:a@b.c", "relative/path",
      "urn:x:y",
      "http://[::1]:80/",
    ]
    return URL(string: pick(texts)) ?? URL(filePath: "/")
  }
}
