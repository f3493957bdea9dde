internal import DepotProtocol

/// A position in the history of stores, which can be kept beyond the end of the program.
public protocol HistoryToken: Comparable, Codable, Hashable, Identifiable, Sendable {
  associatedtype TokenType: Codable & Hashable & Sendable
  /// The value of the token, for each store.
  var tokenValue: TokenType? { get }
}

extension HistoryToken {
  /// The identifier of the store that the token is of.
  ///
  /// It is the first by name if the token is of several, and empty if the token doesn't have one.
  public var storeIdentifier: String {
    (tokenValue as? [String: any Sendable])?.keys.min() ?? ""
  }
}

/// A position in the history of a container's stores: the last transaction of each.
///
/// A token is greater than another if it is no earlier in any store and later in one.
public struct DefaultHistoryToken: HistoryToken {
  /// The number of the last transaction, by the identifiers of the stores.
  public internal(set) var tokenValue: [String: Int64]?
  /// The epochs that the transactions are of, by the identifiers of the stores.
  private var epochs: [String: Int64]?
  /// The store that alone counts when the token is compared; `nil` if all do.
  private var scope: String?

  private enum CodingKeys: String, CodingKey {
    case tokenValue
    case epochs
  }

  /// Creates a token.
  ///
  /// A store accepts only tokens that it has made: copy or encode a token as a whole to keep it. A
  /// token made from numbers alone is answered with ``SwiftDataError/historyTokenExpired``.
  public init(tokenValue: [String: Int64]?) { self.tokenValue = tokenValue }

  /// Creates the token of one transaction.
  init(store: String, _ token: DepotProtocol.HistoryToken) {
    tokenValue = [store: token.sequence]
    epochs = [store: token.epoch]
  }

  /// The token of one store; `nil` if it has no position there.
  subscript(store: String) -> DepotProtocol.HistoryToken? {
    get {
      tokenValue?[store].map {
        DepotProtocol.HistoryToken(store: store, epoch: epochs?[store] ?? 0, sequence: $0)
      }
    }
    set {
      tokenValue = tokenValue ?? [:]
      epochs = epochs ?? [:]
      tokenValue?[store] = newValue?.sequence
      epochs?[store] = newValue?.epoch
    }
  }

  public var id: Int { hashValue }

  public var storeIdentifier: String { tokenValue?.keys.min() ?? "" }

  /// The token of a transaction, which is compared by the position in one store only.
  func scoped(to store: String) -> DefaultHistoryToken {
    var token = self
    token.scope = store
    return token
  }

  /// Returns the number of the last transaction of a store, which is 0 before the first.
  func sequence(of store: String) -> Int64 { tokenValue?[store] ?? 0 }

  public static func == (left: Self, right: Self) -> Bool {
    if let scope = left.scope ?? right.scope {
      return left.sequence(of: scope) == right.sequence(of: scope)
    }
    return left.tokenValue == right.tokenValue && left.epochs == right.epochs
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(tokenValue) }

  public static func < (left: Self, right: Self) -> Bool {
    if let scope = left.scope ?? right.scope {
      return left.sequence(of: scope) < right.sequence(of: scope)
    }
    let left = left.tokenValue ?? [:]
    let right = right.tokenValue ?? [:]
    var first: Bool?
    var isLess = false
    var isGreater = false
    for store in Set(left.keys).union(right.keys).sorted() {
      let (mine, other) = (left[store] ?? 0, right[store] ?? 0)
      if mine == other { continue }
      if first == nil { first = mine < other }
      if mine < other { isLess = true } else { isGreater = true }
    }
    // Tokens that are earlier in one store and later in another have an arbitrary order.
    return isGreater && isLess ? first == true : isLess
  }
}
