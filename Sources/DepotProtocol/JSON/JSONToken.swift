/// One value of a scanned JSON text: its position and the token after it.
package struct JSONToken: Sendable {
  /// The kinds of JSON value.
  package enum Kind: UInt8, Sendable {
    case null
    case `true`
    case `false`
    case number
    case string
    case array
    case object
  }

  package var kind: Kind
  /// Whether a string holds an escape, or a number a fraction or an exponent.
  package var isComplex: Bool
  /// The offset of the first byte; of a string, the one after its quotation mark.
  package var start: UInt32
  /// The offset after the last byte; of a string, the one of its closing quotation mark.
  package var end: UInt32
  /// The index of the first token that isn't part of this value.
  package var next: UInt32
  /// The number of elements of an array, or of members of an object.
  package var count: UInt32
}
