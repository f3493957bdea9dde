package import FoundationEssentials

/// One value of a row, as the bytes of its JSON.
///
/// It is valid only as long as the frame it was read from.
@Memberwise
package struct RowField {
  package let kind: JSONToken.Kind
  /// Whether a string holds an escape, or a number a fraction or an exponent.
  package let isComplex: Bool
  /// The text of the value; of a string, without its quotation marks.
  package let bytes: UnsafeBufferPointer<UInt8>

  package var isNull: Bool { kind == .null }

  /// The integer, also from a string of digits; `nil` if it doesn't fit or isn't one.
  package var int64: Int64? {
    switch kind {
    case .number: bytes.isEmpty ? nil : JSONNumber.int64(bytes, isComplex: isComplex)
    case .string: Int64(text)
    default: nil
    }
  }

  /// The double, also from "NaN", "Infinity", and "-Infinity"; `nil` if there is none.
  package var double: Double? {
    switch kind {
    case .number: return bytes.isEmpty ? nil : JSONNumber.double(bytes)
    case .string: return NonFinite.double(text)
    default: return nil
    }
  }

  package var bool: Bool? {
    switch kind {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// The characters of a string, its escapes undone.
  package var text: String {
    let token = JSONToken(
      kind: .string,
      isComplex: isComplex,
      start: 0,
      end: UInt32(bytes.count),
      next: 0,
      count: 0
    )
    return JSONText.string(token, in: bytes)
  }

  /// Writes the UTF-8 of a string, its escapes undone, to memory for as many bytes as ``bytes``.
  ///
  /// - Returns: The number of bytes written.
  package func unescape(into output: UnsafeMutableBufferPointer<UInt8>) -> Int {
    JSONText.unescape(bytes, into: output)
  }

  package var string: String? { kind == .string ? text : nil }

  /// The seconds since 2001 of a date; `nil` if this isn't one that a double holds.
  package var referenceSeconds: Double? {
    switch kind {
    case .string:
      if !isComplex, let seconds = DateText.usual(bytes) { return Double(seconds) }
      return DateText.parse(isComplex ? Array(text.utf8) : Array(bytes))
    case .object:
      let seconds = only("referenceSeconds")
      return seconds?.double ?? seconds?.string.flatMap(NonFinite.double)
    default:
      return nil
    }
  }

  package var uuid: UUID? { kind == .string ? UUID(uuidString: text) : nil }

  package var data: Data? {
    guard kind == .string else { return nil }
    return isComplex ? Base64.decode(text) : Base64.decode(bytes)
  }

  package var decimal: Decimal? {
    switch kind {
    case .string: DecimalText.parse(text)
    case .number where !isComplex: DecimalText.parse(text)
    default: nil
    }
  }

  /// The length of a value in external storage, if the row has only that, in bytes.
  package var externalLength: Int64? { only("$length")?.int64 }

  /// The name of the upload that stands for the value; `nil` if there is none.
  package var uploadName: String? { only("$upload")?.string }

  /// Returns the value of an object's only member; `nil` unless it has this name.
  private func only(_ name: String) -> JSONValue? {
    guard kind == .object, let value = try? JSONValue(parsing: bytes), value.object?.count == 1
    else { return nil }
    return value[name]
  }

  /// The URL whose text this is, as it stands; `nil` if it isn't one.
  package var url: URL? { kind == .string ? URL(exactly: text) : nil }

  /// Returns the value as `type`, or `nil` if it can't be one.
  package func value(as type: AttributeType) -> Value? {
    if isNull { return .null }
    return switch type {
    case .string: string.map(Value.string)
    case .int64: int64.map(Value.int64)
    case .double: double.map(Value.double)
    case .bool: bool.map(Value.bool)
    case .date: referenceSeconds.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .uuid: uuid.map(Value.uuid)
    case .data: data.map(Value.data)
    case .decimal: decimal.map(Value.decimal)
    case .url: url.map(Value.url)
    case .json: compactBytes.map { .json(String(decoding: $0, as: UTF8.self)) }
    case .composite: nil
    }
  }
}

extension JSONNode {
  /// The value as a field of a row, to be read within `body`.
  package func withField<Result>(_ body: (RowField) -> Result) -> Result {
    let token = document.tokens[index]
    return document.withBytes(token.start, token.end) {
      body(RowField(kind: token.kind, isComplex: token.isComplex, bytes: $0))
    }
  }

  /// Returns the value as `type`.
  ///
  /// - Throws: ``DepotError`` `request.type` if it can't be one, `request.number_range` if it doesn't
  ///   fit.
  package func value(as type: AttributeType) throws(DepotError) -> Value {
    if let value = withField({ $0.value(as: type) }) { return value }
    if let misfit = withField({ $0.misfit(as: type) }) {
      throw DepotError(misfit.code, "The value \(misfit.problem).").hint(misfit.hint).at(pointer)
    }
    throw DepotError(.type, "Expected a value of type \(type.rawValue), found \(kind).")
      .at(pointer)
  }
}

/// The doubles that JSON's numbers don't have.
package enum NonFinite {
  package static func double(_ text: String) -> Double? {
    switch text {
    case "NaN": .nan
    case "Infinity": .infinity
    case "-Infinity": -.infinity
    default: nil
    }
  }
}

/// Base64 (RFC 4648), reading both alphabets, padded or not.
package enum Base64 {
  package static func decode(_ text: String) -> Data? {
    var text = text
    return text.withUTF8(decode)
  }

  static func decode(_ text: UnsafeBufferPointer<UInt8>) -> Data? {
    let padding = text.suffix(3).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding <= 2, padding == 0 || text.count % 4 == 0 else { return nil }
    var standard = Data(text)
    standard.withUnsafeMutableBytes { bytes in
      for index in bytes.indices {
        switch bytes[index] {
        case UInt8(ascii: "-"): bytes[index] = UInt8(ascii: "+")
        case UInt8(ascii: "_"): bytes[index] = UInt8(ascii: "/")
        default: break
        }
      }
    }
    guard !standard.dropLast(padding).contains(UInt8(ascii: "=")) else { return nil }
    while standard.count % 4 != 0 { standard.append(UInt8(ascii: "=")) }
    return Data(base64Encoded: standard)
  }
}

/// Decimal numbers of up to 38 digits.
package enum DecimalText {
  /// Returns the decimal that all of `text` writes, or `nil` if it isn't one or has too many digits.
  package static func parse(_ text: String) -> Decimal? {
    guard let digits = SignificantDigits(text), digits.count <= 38,
      let value = Decimal(string: text), !value.isNaN
    else { return nil }
    return value
  }

  /// Whether `text` is digits, perhaps after a minus and before a fraction and an exponent.
  package static func isGrammatical(_ text: String) -> Bool { SignificantDigits(text) != nil }
}
