/// A moment of a store's history: a transaction and all before it.
///
/// Tokens of one store grow with time. As text it is what tells the store from others, a hyphen, and a
/// number, as in `3f2b8c01-1042`.
public struct HistoryToken: Hashable, Sendable {
  /// The first eight digits of the store's identifier.
  public var store: String
  public var sequence: Int64

  /// - Parameters:
  ///   - store: The store's identifier, or its first eight digits.
  ///   - sequence: The number of the transaction.
  public init(store: String, sequence: Int64) {
    self.store = String(store.prefix(8))
    self.sequence = sequence
  }

  /// Reads a token's text.
  ///
  /// - Throws: ``DepotError`` `request.usage` if it isn't one.
  public init(_ text: String) throws(DepotError) {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].count == 8, parts[0].allSatisfy(\.isHexadecimalDigit),
      1...19 ~= parts[1].count, parts[1].allSatisfy({ 0x30...0x39 ~= $0 }),
      let sequence = Int64(String(parts[1]) ?? "")
    else {
      throw DepotError(.usage, "\(text.prefix(64).debugDescription) isn't a token of a history.")
        .hint("A token is what a write or the history gave, as in \"3f2b8c01-1042\".")
    }
    self.init(store: String(parts[0]) ?? "", sequence: sequence)
  }

  /// Whether it is of the store with an identifier.
  public func isOf(store identifier: String) -> Bool { identifier.hasPrefix(store) }
}

extension HistoryToken: CustomStringConvertible {
  /// The text of the token.
  public var description: String { "\(store)-\(sequence)" }
}

extension HistoryToken: Comparable {
  /// Whether a token is earlier than another of the same store; of different stores there is some order
  /// that means nothing.
  public static func < (lhs: HistoryToken, rhs: HistoryToken) -> Bool {
    (lhs.store, lhs.sequence) < (rhs.store, rhs.sequence)
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
