package import FoundationEssentials

/// The stored form of decimals, whose bytes sort as the numbers do.
package enum DecimalKey {
  package static func encode(_ value: Decimal) -> [UInt8] {
    if value == 0 { return [0x80] }
    var digits = Array(value.magnitude.description.utf8)
    var point = digits.count
    if let dot = digits.firstIndex(of: UInt8(ascii: ".")) {
      point = dot
      digits.remove(at: dot)
    }
    let leading = digits.prefix { $0 == 0x30 }.count
    digits.removeFirst(leading)
    point -= leading
    while digits.last == 0x30 { digits.removeLast() }
    let exponent = UInt16(point + 0x4000)
    let body = [UInt8(exponent >> 8), UInt8(exponent & 0xFF)] + digits
    return value < 0 ? [0x40] + body.map { ~$0 } + [0xFF] : [0xC0] + body
  }

  package static func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> Decimal? {
    guard let first = bytes.first else { return nil }
    if first == 0x80 { return bytes.count == 1 ? 0 : nil }
    guard bytes.count > 3 else { return nil }
    var body = Array(bytes.dropFirst())
    if first == 0x40 { body = body.dropLast().map { ~$0 } }
    let point = Int(body[0]) << 8 + Int(body[1]) - 0x4000
    let digits = String(decoding: body.dropFirst(2), as: UTF8.self)
    let sign = first == 0x40 ? "-" : ""
    return Decimal(string: "\(sign)\(digits)e\(point - digits.utf8.count)")
  }
}
