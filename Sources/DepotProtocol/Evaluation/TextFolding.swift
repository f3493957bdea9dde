@_spi(_Unicode) internal import Swift

/// The forms of text used to compare without regard to case or marks.
///
/// Text is decomposed, stripped of marks (general category Mn), mapped to the lower case of the upper
/// case of each scalar, and composed again; so `é` is the same however it is written, `ß` is `ss`,
/// and `ς` is `σ`. `ı` isn't `i`. Localized, wide and narrow forms become the usual ones too. Without
/// options text isn't folded at all: strings are then equal if their scalars are.
package enum TextFolding {
  package static func fold(_ text: String, _ options: QueryExpression.TextOptions) -> String {
    var text = text
    return text.withUTF8 { bytes in
      with(bytes, options) { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Calls `body` with the folded form of well-formed UTF-8.
  package static func with<Result>(
    _ text: UnsafeBufferPointer<UInt8>,
    _ options: QueryExpression.TextOptions,
    _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    if options.isEmpty { return body(text) }
    if ASCIIText.isASCII(text) {
      guard options.contains(.caseInsensitive) else { return body(text) }
      return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { folded in
        for index in text.indices { folded[index] = ASCIIText.lower(text[index]) }
        return body(UnsafeBufferPointer(folded))
      }
    }
    var folded = foldUnicode(String(decoding: text, as: UTF8.self), options)
    return folded.withUTF8(body)
  }

  /// Calls `body` with well-formed UTF-8 with composed letters and marks.
  static func composing<Result>(
    _ text: UnsafeBufferPointer<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    if ASCIIText.isASCII(text) { return body(text) }
    var composed = String.UnicodeScalarView()
    composed.append(contentsOf: String(decoding: text, as: UTF8.self)._nfc)
    var result = String(composed)
    return result.withUTF8(body)
  }

  private static func foldUnicode(
    _ text: String,
    _ options: QueryExpression.TextOptions
  ) -> String {
    let text = options.contains(.localized) ? WidthFolding.fold(text) : text
    var result = String.UnicodeScalarView()
    for scalar in text._nfd {
      if scalar.isASCII {
        result.append(
          options.contains(.caseInsensitive)
            ? Unicode.Scalar(ASCIIText.lower(UInt8(scalar.value))) : scalar
        )
        continue
      }
      if options.contains(.diacriticInsensitive), isMark(scalar) { continue }
      if options.contains(.caseInsensitive) {
        append(scalar, foldedTo: &result)
      } else {
        result.append(scalar)
      }
    }
    var composed = String.UnicodeScalarView()
    composed.append(contentsOf: String(result)._nfc)
    return String(composed)
  }

  private static func append(
    _ scalar: Unicode.Scalar,
    foldedTo result: inout String.UnicodeScalarView
  ) {
    if scalar == "\u{131}" { return result.append(scalar) }
    // The capital ß folds to ss as ß does, though it has no upper case.
    if scalar == "\u{1E9E}" { return result.append(contentsOf: "ss".unicodeScalars) }
    if let simple = SimpleFolds.table[scalar] { return result.append(simple) }
    for upper in scalar.properties.uppercaseMapping.unicodeScalars {
      // One by one: a sequence would be added to a copy of the whole text.
      for lower in upper.properties.lowercaseMapping.unicodeScalars { result.append(lower) }
    }
  }

  static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x300 && scalar.properties.generalCategory == .nonspacingMark
  }
}

/// A table of scalars that fold to one scalar, as Unicode's own tables are slow.
private struct SimpleFolds: Sendable {
  static let table = SimpleFolds()
  private static let first: UInt32 = 0x80
  private let folds: [Unicode.Scalar?]

  private init() {
    folds = (Self.first..<0x530).map { value in
      guard let scalar = Unicode.Scalar(value), value != 0x131 else { return nil }
      let folded = scalar.properties.uppercaseMapping.unicodeScalars
        .flatMap(\.properties.lowercaseMapping.unicodeScalars)
      return folded.count == 1 ? folded[0] : nil
    }
  }

  subscript(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    guard scalar.value >= Self.first, scalar.value < 0x530 else { return nil }
    return folds[Int(scalar.value - Self.first)]
  }
}
