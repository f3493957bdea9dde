internal import Foundation

/// The part of a predicate over transactions that the service can evaluate by itself.
///
/// It may find more than the predicate wants, never less.
struct TransactionBounds {
  /// Only transactions after it.
  var token: DefaultHistoryToken?
  /// Whether the transaction of the token itself may be wanted too.
  var includesToken = false
  /// Only transactions at it or later.
  var date: Date?
  /// Only transactions of this author.
  var author: String?

  init(_ predicate: Predicate<DefaultHistoryTransaction>?) {
    guard let condition = predicate?.expression as? any HistoryCondition else { return }
    condition.narrow(&self)
  }

  /// Whether tokens need the positions in other stores too, to be compared with this one.
  var namesSeveralStores: Bool { (token?.tokenValue?.count ?? 0) > 1 }
}

/// A part of a predicate that narrows the wanted transactions.
private protocol HistoryCondition {
  func narrow(_ bounds: inout TransactionBounds)
}

/// A part of a predicate that is compared.
private protocol HistoryOperand {
  /// The property of the transaction that it is.
  var transactionKeyPath: AnyKeyPath? { get }
  /// The value that it is.
  var constant: Any? { get }
}

extension PredicateExpressions.KeyPath: HistoryOperand {
  fileprivate var transactionKeyPath: AnyKeyPath? {
    root is PredicateExpressions.Variable<DefaultHistoryTransaction> ? keyPath : nil
  }
  fileprivate var constant: Any? { nil }
}

extension PredicateExpressions.Value: HistoryOperand {
  fileprivate var transactionKeyPath: AnyKeyPath? { nil }
  fileprivate var constant: Any? { value }
}

extension PredicateExpressions.Conjunction: HistoryCondition {
  fileprivate func narrow(_ bounds: inout TransactionBounds) {
    (lhs as? any HistoryCondition)?.narrow(&bounds)
    (rhs as? any HistoryCondition)?.narrow(&bounds)
  }
}

extension PredicateExpressions.Comparison: HistoryCondition {
  fileprivate func narrow(_ bounds: inout TransactionBounds) {
    guard let left = lhs as? any HistoryOperand, let right = rhs as? any HistoryOperand else {
      return
    }
    switch op {
    case .greaterThan, .greaterThanOrEqual:
      guard let constant = right.constant else { return }
      bounds.begin(left.transactionKeyPath, constant, isIncluded: op == .greaterThanOrEqual)
    case .lessThan, .lessThanOrEqual:
      guard let constant = left.constant else { return }
      bounds.begin(right.transactionKeyPath, constant, isIncluded: op == .lessThanOrEqual)
    @unknown default: return
    }
  }
}

extension PredicateExpressions.Equal: HistoryCondition {
  fileprivate func narrow(_ bounds: inout TransactionBounds) {
    guard let left = lhs as? any HistoryOperand, let right = rhs as? any HistoryOperand else {
      return
    }
    let keyPath = left.transactionKeyPath ?? right.transactionKeyPath
    guard keyPath == \DefaultHistoryTransaction.author,
      let author = (right.constant ?? left.constant) as? String
    else { return }
    bounds.author = author
  }
}

extension TransactionBounds {
  fileprivate mutating func begin(_ keyPath: AnyKeyPath?, _ constant: Any, isIncluded: Bool) {
    if let date = constant as? Date, !date.timeIntervalSinceReferenceDate.isNaN,
      keyPath == \DefaultHistoryTransaction.timestamp
    {
      self.date = max(self.date ?? date, date)
    }
    if let token = constant as? DefaultHistoryToken, keyPath == \DefaultHistoryTransaction.token,
      self.token == nil
    {
      self.token = token
      includesToken = isIncluded
    }
  }
}
