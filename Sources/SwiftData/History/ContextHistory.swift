internal import DepotClient
internal import DepotProtocol
internal import Foundation

/// The histories of the stores of a context.
struct ContextHistory {
  private let context: ModelContext

  init(_ context: ModelContext) { self.context = context }

  /// Returns the transactions that a descriptor describes.
  ///
  /// - Throws: ``SwiftDataError`` as ``ModelContext/fetchHistory(_:)`` does.
  func fetch<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
    let own = try ownHistory(descriptor)
    guard let typed = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
      if let own { return own }
      throw SwiftDataError(
        .invalidTransactionFetchRequest,
        "No store has transactions of type \(T.self).",
        hint: "Ask for DefaultHistoryTransaction."
      )
    }
    if let own, !context.stores.all.contains(where: { $0 is ServiceStore }) { return own }
    let bounds = TransactionBounds(typed.predicate)
    var all: [DefaultHistoryTransaction] = []
    for case let store as ServiceStore in context.stores.all { all += try read(bounds, of: store) }
    all += own as? [DefaultHistoryTransaction] ?? []
    if context.stores.all.count > 1 || bounds.namesSeveralStores { accumulate(&all, bounds) }
    var found = try filter(all, typed)
    if !typed.sortBy.isEmpty { found.sort(using: typed.sortBy) }
    if typed.fetchLimit > 0 { found = Array(found.prefix(Int(clamping: typed.fetchLimit))) }
    return found as? [T] ?? []
  }

  /// Deletes the transactions that a descriptor describes.
  ///
  /// - Throws: ``SwiftDataError`` as ``ModelContext/deleteHistory(_:)`` does.
  func delete<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws {
    let isOwn = try deleteOwnHistory(descriptor)
    guard let typed = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
      if isOwn { return }
      throw SwiftDataError(
        .invalidTransactionFetchRequest,
        "No store has transactions of type \(T.self)."
      )
    }
    var ends: [(store: ServiceStore, last: DepotProtocol.HistoryToken)] = []
    for case let store as ServiceStore in context.stores.all {
      var all = try read(TransactionBounds(nil), of: store)
      for index in all.indices { all[index].token = all[index].token.scoped(to: store.identifier) }
      let chosen = try filter(all, typed)
      guard let last = chosen.last else { continue }
      guard all.prefix(chosen.count).elementsEqual(chosen, by: { $0.id == $1.id }) else {
        throw SwiftDataError(
          .invalidTransactionFetchRequest,
          "Transactions older than the deleted ones would remain.",
          hint: "Delete the oldest transactions, such as all before a token."
        )
      }
      if let token = last.token[store.identifier] { ends.append((store, token)) }
    }
    for (store, last) in ends {
      // Later transactions are kept, even at the same time.
      _ = try store.talk { try $0.deleteHistory(before: .token(last.advanced(by: 1))) }
    }
  }

  private func filter(
    _ transactions: [DefaultHistoryTransaction],
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    guard let predicate = descriptor.predicate else { return transactions }
    do {
      return try transactions.filter(predicate.evaluate)
    } catch {
      throw SwiftDataError(
        .invalidTransactionFetchRequest,
        "The predicate \(predicate) can't be evaluated: \(error)"
      )
    }
  }

  /// Reads the transactions of one store.
  private func read(
    _ bounds: TransactionBounds,
    of store: ServiceStore
  ) throws -> [DefaultHistoryTransaction] {
    var request = HistoryRequest(author: bounds.author)
    // The transactions of other authors are needed to find which transactions the token includes.
    if bounds.includesToken, context.stores.all.count > 1 { request.author = nil }
    if let token = bounds.token?[store.identifier] {
      request.since = .token(token)
      if bounds.includesToken, token.sequence > 0 {
        request.since = .token(token.advanced(by: -1))
        do {
          return try read(request, of: store)
        } catch SwiftDataError.historyTokenExpired {
          // The transaction of the token itself isn't kept, but later ones may be.
          request.since = .token(token)
        }
      }
    } else if let date = bounds.date {
      request.since = .date(date)
    }
    return try read(request, of: store)
  }

  private func read(
    _ request: HistoryRequest,
    of store: ServiceStore
  ) throws -> [DefaultHistoryTransaction] {
    try store.talk { connection in
      let builder = HistoryBuilder(store.identifier, context.core.descriptions)
      try connection.history(request) { builder.take($0) }
      return builder.transactions.filter { !$0.changes.isEmpty }
    }
  }

  /// Sorts transactions of several stores, and gives each token the positions in all stores.
  private func accumulate(_ all: inout [DefaultHistoryTransaction], _ bounds: TransactionBounds) {
    all.sort { ($0.timestamp, $0.transactionIdentifier) < ($1.timestamp, $1.transactionIdentifier) }
    var moment = bounds.token ?? DefaultHistoryToken(tokenValue: [:])
    if bounds.includesToken {
      for transaction in all {
        let store = transaction.storeIdentifier
        // The first transaction with the token's position is the one that the token belongs to.
        if moment[store] == transaction.token[store] {
          moment[store] = moment[store]?.advanced(by: -1)
        }
      }
    }
    for index in all.indices {
      let store = all[index].storeIdentifier
      moment[store] = all[index].token[store]
      all[index].token = moment
    }
  }

  // MARK: - The program's own stores

  /// Returns the transactions of the program's own stores; `nil` if none has any of the type.
  private func ownHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]?
  {
    let lists = try context.stores.all.compactMap { store in
      try store.withOwnStore(in: context) {
        try ($0 as? any HistoryProviding)?.transactions(descriptor)
      }
    }
    return lists.isEmpty ? nil : lists.flatMap { $0 }
  }

  /// Deletes transactions of custom stores; returns whether any store has transactions of the type.
  private func deleteOwnHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> Bool {
    var isKnown = false
    for store in context.stores.all {
      let isDeleted = try store.withOwnStore(in: context) {
        try ($0 as? any HistoryProviding)?.remove(descriptor)
      }
      isKnown = isDeleted ?? false || isKnown
    }
    return isKnown
  }
}

extension HistoryProviding {
  /// Returns transactions if they are of the type that the store has.
  fileprivate func transactions<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> [T]? {
    guard let descriptor = descriptor as? HistoryDescriptor<HistoryType> else { return nil }
    return try fetchHistory(descriptor) as? [T]
  }

  /// Deletes transactions if they are of the type that the store has; returns whether they are.
  fileprivate func remove<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> Bool {
    guard let descriptor = descriptor as? HistoryDescriptor<HistoryType> else { return false }
    try deleteHistory(descriptor)
    return true
  }
}
