internal import DepotProtocol

extension JSONWriter {
  /// Writes 16 bytes as a UUID in lower case.
  mutating func uuid(_ value: UnsafeBufferPointer<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    for (index, byte) in value.enumerated() {
      if index == 4 || index == 6 || index == 8 || index == 10 { bytes.append(UInt8(ascii: "-")) }
      bytes.append(Self.hexDigit(byte >> 4))
      bytes.append(Self.hexDigit(byte & 0xF))
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

  /// Writes bytes as base64 (RFC 4648 section 4), with padding.
  mutating func base64(_ value: UnsafeBufferPointer<UInt8>) {
    bytes.reserveCapacity(bytes.count + value.count / 3 * 4 + 6)
    bytes.append(UInt8(ascii: "\""))
    var index = 0
    while index < value.count {
      let rest = value.count - index
      let second = rest > 1 ? value[index + 1] : 0
      let third = rest > 2 ? value[index + 2] : 0
      bytes.append(Self.base64Digit(value[index] >> 2))
      bytes.append(Self.base64Digit(value[index] << 4 & 0x30 | second >> 4))
      bytes.append(
        rest > 1 ? Self.base64Digit(second << 2 & 0x3C | third >> 6) : UInt8(ascii: "=")
      )
      bytes.append(rest > 2 ? Self.base64Digit(third & 0x3F) : UInt8(ascii: "="))
      index += 3
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func base64Digit(_ value: UInt8) -> UInt8 {
    switch value {
    case 0..<26: 0x41 + value
    case 26..<52: 0x61 + value - 26
    case 52..<62: 0x30 + value - 52
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
  }
}
