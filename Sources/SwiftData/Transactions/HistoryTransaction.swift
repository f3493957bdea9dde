internal import DepotProtocol
public import Foundation

/// The changes that one save made in a store.
public protocol HistoryTransaction: Hashable, Identifiable, Sendable {
  associatedtype TokenType: Comparable & Hashable & Identifiable & Sendable
  associatedtype TransactionIdentifier: Comparable & Hashable & Sendable

  /// When it was made.
  var timestamp: Date { get }
  /// The changes, object by object.
  var changes: [HistoryChange] { get }
  /// The token of the history after it.
  var token: TokenType { get }
  /// The identifier of the transaction in its store.
  var transactionIdentifier: TransactionIdentifier { get }
  /// The identifier of the store.
  var storeIdentifier: String { get }
  /// The author, if one was named.
  var author: String? { get }
}

/// The changes that one save made in a store of the service.
@Memberwise
public struct DefaultHistoryTransaction: HistoryTransaction {
  public typealias TokenType = DefaultHistoryToken

  /// The author, if one was named.
  public internal(set) var author: String?
  /// The name of the program that made it.
  public internal(set) var bundleIdentifier: String = ""
  /// The program that made it and the number of its process, as in `editor/812`.
  public internal(set) var processIdentifier: String = ""
  /// The changes, object by object.
  public internal(set) var changes: [HistoryChange] = []
  /// The identifier of the store.
  public internal(set) var storeIdentifier: String
  /// When it was made.
  public internal(set) var timestamp: Date
  /// The token of the history after it.
  public internal(set) var token: DefaultHistoryToken
  /// The identifier of the transaction in its store.
  public internal(set) var transactionIdentifier: Int64
  /// The cause, if it isn't a save: `undo:` or `redo:` and a token, or `schema`.
  public internal(set) var origin: String?

  public var id: Int64 { transactionIdentifier }
}
