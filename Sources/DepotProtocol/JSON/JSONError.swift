/// A reason why bytes aren't a JSON text that the protocol accepts.
package struct JSONError: Error, Hashable {
  /// The mistake at ``offset``.
  package enum Reason: Hashable, Sendable {
    case unexpectedByte(expected: String)
    case unexpectedEnd
    case trailingBytes
    case invalidUTF8
    case controlCharacter
    case invalidEscape
    case loneSurrogate
    case invalidNumber
    case duplicateName(String)
    case nulInName
    case tooDeep(limit: Int)
    case tooManyValues(limit: Int)
  }

  package var reason: Reason
  /// The offset of the offending byte.
  package var offset: Int

  package init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

extension JSONError: CustomStringConvertible {
  package var description: String {
    let what =
      switch reason {
      case .unexpectedByte(let expected): "expected \(expected)"
      case .unexpectedEnd: "the text ends in the middle of a value"
      case .trailingBytes: "there is something after the value"
      case .invalidUTF8: "the bytes aren't UTF-8"
      case .controlCharacter: "a control character must be written as an escape"
      case .invalidEscape: "there is no such escape"
      case .loneSurrogate: "a surrogate must be half of a pair"
      case .invalidNumber: "this isn't a JSON number"
      case .duplicateName(let name): "the name \"\(name)\" stands twice in one object"
      case .nulInName: "a name can't hold U+0000"
      case .tooDeep(let limit): "values are nested deeper than \(limit)"
      case .tooManyValues(let limit): "there are more than \(limit) values"
      }
    return "\(what), at byte \(offset)"
  }
}

extension DepotError {
  /// Describes why `bytes` were refused, with the text around the place.
  package init(_ error: JSONError, in bytes: some Collection<UInt8>) {
    let code: Code =
      switch error.reason {
      case .duplicateName: .duplicateKey
      case .tooDeep: .tooDeep
      case .tooManyValues: .tooManyValues
      default: .json
      }
    let word = Self.foreignWord(in: bytes, at: error.offset)
    let remark = word.map { "; JSON has no \($0)" } ?? ""
    self.init(code, "The frame isn't acceptable JSON: \(error)\(remark).")
    let before = max(0, error.offset - 20)
    let context = bytes.dropFirst(before).prefix(40)
    hint = "Near: \(String(decoding: context, as: UTF8.self).debugDescription)"
    if let word {
      hint =
        word.hasSuffix("N") || word.hasSuffix("y")
        ? "For a double, write it as a text: \"\(word)\". Where nothing is known, write null."
        : "Write null, true, or false."
    }
    details = .object(["offset": .int64(Int64(error.offset))])
  }

  /// Words of other languages for values that JSON writes differently.
  private static let foreignWords = [
    "NaN", "-Infinity", "Infinity", "undefined", "None", "True", "False", "nil", "NULL",
  ]

  /// Returns the word of another language at an offset, without its minus.
  private static func foreignWord(in bytes: some Collection<UInt8>, at offset: Int) -> String? {
    let rest = bytes.dropFirst(offset).prefix(16)
    let before = bytes.dropFirst(max(0, offset - 1)).prefix(17)
    return foreignWords.first { word in
      rest.starts(with: word.utf8)
        || word.hasPrefix("-") && offset > 0 && before.starts(with: word.utf8)
    }
  }
}
