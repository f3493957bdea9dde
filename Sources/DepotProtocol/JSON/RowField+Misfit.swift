internal import FoundationEssentials

/// The reason why a value of the right kind of JSON isn't a value of a type.
package struct ValueMisfit: Hashable, Sendable {
  package var code: DepotError.Code
  /// The problem, in words that follow the value.
  package var problem: String
  package var hint: String

  /// The hint about a number beyond those of a double.
  static let doubleHint = "Write a number within ±1.797e308, or \"Infinity\"."
}

extension RowField {
  /// Returns the reason why the value isn't one of `type`; `nil` if it is another kind of JSON.
  ///
  /// Call this only for a value that is known not to fit.
  package func misfit(as type: AttributeType) -> ValueMisfit? {
    switch type {
    case .int64 where isBeyondInt64:
      ValueMisfit(
        code: .numberRange,
        problem: "is beyond 64 bits",
        hint: "It must be a whole number in \(Int64.min)...\(Int64.max)."
      )
    case .double where kind == .number:
      ValueMisfit(
        code: .numberRange,
        problem: "is beyond what a double can hold",
        hint: ValueMisfit.doubleHint
      )
    case .decimal where kind == .string ? DecimalText.isGrammatical(text) : isWholeNumber:
      ValueMisfit(
        code: .numberRange,
        problem: "has more digits than a decimal can hold, or a greater exponent",
        hint: "A decimal has up to 38 digits and an exponent from -128 to 127."
      )
    case .date: string.flatMap { Self.misfit(date: $0) }
    case .url: string.flatMap { Self.misfit(url: $0) }
    case .json where (kind == .array || kind == .object) && JSONCompaction.isTooDeep(self):
      ValueMisfit(
        code: .type,
        problem: "is nested deeper than \(JSONCompaction.depth)",
        hint: "Answers add levels around it. Store deeper values as a string."
      )
    default: nil
    }
  }

  private var isWholeNumber: Bool { kind == .number && !isComplex }

  private var isBeyondInt64: Bool {
    switch kind {
    case .number: return JSONNumber.whole(bytes) == .tooGreat
    case .string:
      var digits = text.utf8[...]
      if digits.first == UInt8(ascii: "-") { digits.removeFirst() }
      return !digits.isEmpty && digits.allSatisfy { $0 &- 0x30 < 10 }
    default: return false
    }
  }

  private static func misfit(date text: String) -> ValueMisfit? {
    guard let nearest = DateText.nearest(text.utf8) else { return nil }
    let written = JSONWriter.text { DateText.write(nearest, to: &$0) }
    return ValueMisfit(
      code: .numberRange,
      problem: "is finer than a date can hold, which is a double of seconds",
      hint:
        "Write \(written), which is the nearest one. Six digits "
        + "of a second are always exact; nanoseconds go into an int64."
    )
  }

  private static func misfit(url text: String) -> ValueMisfit? {
    guard let nearest = URL(string: text)?.absoluteString, URL(exactly: nearest) != nil else {
      return nil
    }
    return ValueMisfit(
      code: .type,
      problem: "has characters that a URL can't have",
      hint: "Write them as RFC 3986 does: \(nearest)"
    )
  }
}

extension URL {
  /// The URL that `text` writes as it stands; `nil` if it isn't one or would be written otherwise.
  package init?(exactly text: String) {
    guard let url = URL(string: text), url.absoluteString == text else { return nil }
    self = url
  }
}
