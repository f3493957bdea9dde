/// A position in a store's history: a transaction and all transactions before it.
///
/// Tokens of one store grow with time. A token's text has the store's identifier, the epoch, and a
/// number, with hyphens between them, as in `3f2b8c01-9d20c4e7a1b2-1042`.
///
/// An epoch is the period during which one writer has the store open: each start of a service
/// begins a new epoch. A store restored from an older copy of its file uses the same numbers for
/// other transactions, but in a new epoch, so that a token never stands for two positions.
public struct HistoryToken: Hashable, Sendable {
  /// The first eight digits of the store's identifier.
  public var store: String
  /// The epoch, which is random and less than 2^48; 0 in tokens of older services.
  public var epoch: Int64
  public var sequence: Int64

  /// The number of digits of an epoch as text.
  fileprivate static let epochDigits = 12

  /// - Parameters:
  ///   - store: The store's identifier, or its first eight digits.
  ///   - epoch: The epoch of the transaction.
  ///   - sequence: The number of the transaction.
  public init(store: String, epoch: Int64 = 0, sequence: Int64) {
    // Most are made of the first digits, and a prefix of characters is slow.
    self.store = store.utf8.count <= 8 ? store : String(store.prefix(8))
    self.epoch = epoch
    self.sequence = sequence
  }

  /// Reads a token's text.
  ///
  /// - Throws: ``DepotError`` `request.usage` if it isn't one.
  public init(_ text: String) throws(DepotError) {
    var parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    var epoch: Int64? = 0
    if parts.count == 3 {
      let digits = parts.remove(at: 1)
      let isEpoch = digits.count == Self.epochDigits && digits.allSatisfy(\.isHexadecimalDigit)
      epoch = isEpoch ? Int64(String(digits) ?? "", radix: 16) : nil
    }
    guard parts.count == 2, parts[0].count == 8, parts[0].allSatisfy(\.isHexadecimalDigit),
      1...19 ~= parts[1].count, parts[1].allSatisfy({ 0x30...0x39 ~= $0 }),
      let sequence = Int64(String(parts[1]) ?? ""), let epoch
    else {
      throw DepotError(.usage, "\(text.quoted) isn't a token of a history.")
        .hint("Tokens come from writes or the history, as in \"3f2b8c01-9d20c4e7a1b2-1042\".")
    }
    self.init(store: String(parts[0]) ?? "", epoch: epoch, sequence: sequence)
  }

  /// Whether it belongs to the store with an identifier.
  public func isOf(store identifier: String) -> Bool { identifier.hasPrefix(store) }

  /// Returns the token `count` transactions later, or earlier if `count` is negative.
  package func advanced(by count: Int64) -> HistoryToken {
    HistoryToken(store: store, epoch: epoch, sequence: sequence + count)
  }
}

extension HistoryToken: CustomStringConvertible {
  /// The text of the token.
  public var description: String {
    guard epoch != 0 else { return "\(store)-\(sequence)" }
    let digits = String(epoch, radix: 16)
    let zeros = String(repeating: "0", count: max(0, Self.epochDigits - digits.utf8.count))
    return "\(store)-\(zeros)\(digits)-\(sequence)"
  }
}

extension JSONWriter {
  /// Writes a token as a string.
  package mutating func string(_ token: HistoryToken) {
    raw("\"")
    raw(token.store.utf8)
    if token.epoch != 0 {
      raw("-")
      hexadecimal(UInt64(bitPattern: token.epoch), digits: HistoryToken.epochDigits)
    }
    raw("-")
    integer(token.sequence)
    raw("\"")
  }

  package mutating func member(_ name: StaticString, _ token: HistoryToken) {
    member(name)
    string(token)
  }

  private mutating func hexadecimal(_ value: UInt64, digits: Int) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: digits) { text in
      var rest = value
      for place in (0..<digits).reversed() {
        let digit = UInt8(truncatingIfNeeded: rest) & 15
        text[place] = digit < 10 ? 0x30 + digit : 0x57 + digit
        rest >>= 4
      }
      bytes.append(contentsOf: UnsafeBufferPointer(text))
    }
  }
}

extension HistoryToken: Comparable {
  /// Whether a token is earlier than another of the same store.
  ///
  /// The order of tokens of different stores, or of copies of a store that went separate ways, has
  /// no meaning.
  public static func < (lhs: HistoryToken, rhs: HistoryToken) -> Bool {
    (lhs.store, lhs.sequence, lhs.epoch) < (rhs.store, rhs.sequence, rhs.epoch)
  }
}

extension JSONObjectReader {
  /// Reads the member that is a list of tokens.
  ///
  /// - Throws: ``DepotError`` `request.usage` if it isn't one.
  package mutating func historyTokens(_ name: StaticString) throws(DepotError) -> [HistoryToken] {
    try required(name).elements().map { (node) throws(DepotError) in
      try HistoryToken(node.string())
    }
  }
}

extension UInt8 {
  fileprivate var isHexadecimalDigit: Bool { 0x30...0x39 ~= self || 0x61...0x66 ~= self }
}
