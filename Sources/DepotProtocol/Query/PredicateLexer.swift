/// A splitter of a predicate's text into tokens.
struct PredicateLexer {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// Returns all tokens, with ``PredicateToken/Kind/end`` as the last.
  mutating func tokens() throws(PredicateFailure) -> [PredicateToken] {
    var result: [PredicateToken] = []
    while true {
      while let byte = peek(), [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
      let start = position
      guard let byte = peek() else {
        result.append(PredicateToken(kind: .end, offset: start))
        return result
      }
      result.append(PredicateToken(kind: try token(byte), offset: start))
    }
  }

  private func peek(_ distance: Int = 0) -> UInt8? {
    position + distance < bytes.count ? bytes[position + distance] : nil
  }

  private mutating func token(_ first: UInt8) throws(PredicateFailure) -> PredicateToken.Kind {
    switch first {
    case UInt8(ascii: "'"), UInt8(ascii: "\""):
      var reader = PredicateStringReader(bytes, at: position)
      let text = try reader.read()
      position = reader.position
      return .string(text)
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      return try number()
    case UInt8(ascii: "#"):
      return .name(try name(after: "#"))
    case UInt8(ascii: "$"):
      return .variable("$" + (try variable()))
    case let byte where Self.beginsName(byte) || byte >= 0x80 && beginsUnicodeName():
      return .word(word())
    default:
      return .sign(try sign())
    }
  }

  private static func beginsName(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "_")
  }

  private static func isPartOfName(_ byte: UInt8) -> Bool { beginsName(byte) || isDigit(byte) }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  private mutating func take(while condition: (UInt8) -> Bool) -> String {
    let start = position
    while let byte = peek(), condition(byte) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func word() -> String {
    let start = position
    while true {
      while let byte = peek(), Self.isPartOfName(byte) { position += 1 }
      guard let scalar = beyondASCII(), NameSyntax.continues(scalar) else { break }
      position += UTF8.width(scalar)
    }
    return NameSyntax.normalized(String(decoding: bytes[start..<position], as: UTF8.self))
  }

  /// The next character, if it is beyond ASCII.
  private func beyondASCII() -> Unicode.Scalar? {
    guard let byte = peek(), byte >= 0x80 else { return nil }
    return String(decoding: bytes[position...].prefix(4), as: UTF8.self).unicodeScalars.first
  }

  private func beginsUnicodeName() -> Bool { beyondASCII().map(NameSyntax.begins) ?? false }

  private mutating func name(after prefix: String) throws(PredicateFailure) -> String {
    position += 1
    guard let byte = peek(), Self.beginsName(byte) || beginsUnicodeName() else {
      throw PredicateFailure("A name must follow \"\(prefix)\".", at: position - 1)
    }
    return word()
  }

  private mutating func variable() throws(PredicateFailure) -> String {
    guard peek(1) == UInt8(ascii: "#"), let digit = peek(2), Self.isDigit(digit) else {
      return try name(after: "$")
    }
    position += 2
    return "#" + take(while: Self.isDigit)
  }

  private mutating func sign() throws(PredicateFailure) -> PredicateToken.Sign {
    for sign in PredicateToken.Sign.allCases
    where bytes[position...].starts(with: sign.rawValue.utf8) {
      position += sign.rawValue.utf8.count
      return sign
    }
    let character = String(decoding: bytes[position...].prefix(4), as: UTF8.self).prefix(1)
    let hint: String? =
      switch character {
      case "‘", "’", "“", "”", "«", "»": "Write strings in straight quotation marks, ' or \"."
      case "`": "Write # before an attribute that is named like a keyword."
      case _ where bytes[position] >= 0x80: "Names have letters, digits and underscores only."
      default: nil
      }
    throw PredicateFailure(
      "A predicate can't have \(String(character).debugDescription) here.",
      at: position
    ).hint(hint)
  }

  private mutating func number() throws(PredicateFailure) -> PredicateToken.Kind {
    let start = position
    let kind =
      switch (bytes[position], peek(1).map { $0 | 0x20 }) {
      case (0x30, UInt8(ascii: "x")): try prefixed(radix: 16)
      case (0x30, UInt8(ascii: "o")): try prefixed(radix: 8)
      case (0x30, UInt8(ascii: "b")): try prefixed(radix: 2)
      default: try decimal()
      }
    if let byte = peek(),
      Self.isPartOfName(byte) || byte == UInt8(ascii: ".") || beginsUnicodeName()
    {
      throw PredicateFailure("A number can't go on with this.", at: position)
    }
    if case .integer(let value) = kind, value > 1 << 63 { throw .numberTooLarge(at: start) }
    return kind
  }

  private mutating func prefixed(radix: Int) throws(PredicateFailure) -> PredicateToken.Kind {
    let start = position
    position += 2
    let digits = take { byte in HexDigit.value(byte).map { $0 < radix } ?? false }
    guard !digits.isEmpty else {
      throw PredicateFailure("Digits of base \(radix) must follow.", at: position)
    }
    guard let value = UInt64(digits, radix: radix) else { throw .numberTooLarge(at: start) }
    return .integer(value)
  }

  private mutating func decimal() throws(PredicateFailure) -> PredicateToken.Kind {
    let start = position
    let digits = take(while: Self.isDigit)
    if digits.count > 1, digits.first == "0" {
      throw PredicateFailure("A number can't begin with 0.", at: start)
        .hint("An octal number begins with 0o.")
    }
    let end = position
    if peek() == UInt8(ascii: "."), let next = peek(1), Self.isDigit(next) {
      position += 1
      _ = take(while: Self.isDigit)
    }
    if let byte = peek(), byte | 0x20 == UInt8(ascii: "e") {
      position += 1
      if let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { position += 1 }
      guard !take(while: Self.isDigit).isEmpty else {
        throw PredicateFailure("Digits of the exponent must follow.", at: position)
      }
    }
    if position == end {
      guard let value = UInt64(digits) else { throw .numberTooLarge(at: start) }
      return .integer(value)
    }
    var text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let value = Double(text), value.isFinite else {
      throw PredicateFailure("The number is too large.", at: start).hint(ValueMisfit.doubleHint)
    }
    guard text.withUTF8({ JSONNumber.isRounded($0, to: value) }) else { return .double(value) }
    guard let whole = text.withUTF8({ JSONNumber.int64($0, isComplex: true) }) else {
      throw .numberTooLarge("A double has too few digits for the number.", at: start)
    }
    return .integer(UInt64(whole))
  }
}
