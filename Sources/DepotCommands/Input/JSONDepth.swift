internal import DepotProtocol

/// A check of the depth of JSON values, since the service refuses a whole frame if one is too deep.
enum JSONDepth {
  /// Returns the error about a value that is nested too deeply for the store; `nil` if it isn't.
  static func error(of text: UnsafeBufferPointer<UInt8>) -> DepotError? {
    guard let first = text.first, isOpening(first), text.count > 2 * limit else { return nil }
    // Few values have as many containers, nested or not.
    guard text.lazy.filter(isOpening).prefix(limit).count == limit else { return nil }
    let kind: JSONToken.Kind = first == UInt8(ascii: "[") ? .array : .object
    return RowField(kind: kind, isComplex: false, bytes: text).misfit(as: .json).map { misfit in
      DepotError(misfit.code, "The value \(misfit.problem).").hint(misfit.hint)
    }
  }

  /// Returns the error about a value that is nested too deeply; `nil` if it isn't.
  static func error(of text: some Sequence<UInt8>) -> DepotError? {
    Array(text).withUnsafeBufferPointer { error(of: $0) }
  }

  /// A depth that every store accepts.
  private static let limit = 32

  private static func isOpening(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{")
  }
}
