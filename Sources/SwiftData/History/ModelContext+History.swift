internal import DepotClient
internal import DepotProtocol
internal import Foundation

/// The history of a container's stores.
///
/// It leaves out transactions without changes that the container knows, as at a store's creation.
extension ModelContext {
  /// Returns transactions of the history, the oldest first unless the descriptor sorts them.
  ///
  /// In a container of several stores, a token has the position of every store at a transaction.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if the transactions after a token aren't
  ///   kept any more, ``SwiftDataError/invalidTransactionFetchRequest`` if no store has
  ///   transactions of the type.
  public final func fetchHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> [T] {
    let own = try ownHistory(descriptor)
    guard let typed = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
      if let own { return own }
      throw SwiftDataError(
        .invalidTransactionFetchRequest,
        "No store has transactions of type \(T.self).",
        hint: "Ask for DefaultHistoryTransaction."
      )
    }
    if let own, !stores.all.contains(where: { $0 is ServiceStore }) { return own }
    let bounds = TransactionBounds(typed.predicate)
    var all: [DefaultHistoryTransaction] = []
    for case let store as ServiceStore in stores.all { all += try read(bounds, of: store) }
    all += own as? [DefaultHistoryTransaction] ?? []
    if stores.all.count > 1 || bounds.namesSeveralStores { accumulate(&all, bounds) }
    var found = try filter(all, typed)
    if !typed.sortBy.isEmpty { found.sort(using: typed.sortBy) }
    if typed.fetchLimit > 0 { found = Array(found.prefix(Int(clamping: typed.fetchLimit))) }
    return found as? [T] ?? []
  }

  /// Deletes transactions of the history.
  ///
  /// A store deletes its oldest transactions only, so the descriptor has to describe these. The
  /// transactions of each store are compared with the token's position in that store.
  ///
  /// - Throws: ``SwiftDataError/invalidTransactionFetchRequest`` if there are older transactions that
  ///   the descriptor leaves out; then nothing is deleted.
  public final func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws
  {
    let isOwn = try deleteOwnHistory(descriptor)
    guard let typed = descriptor as? HistoryDescriptor<DefaultHistoryTransaction> else {
      if isOwn { return }
      throw SwiftDataError(
        .invalidTransactionFetchRequest,
        "No store has transactions of type \(T.self)."
      )
    }
    var ends: [(store: ServiceStore, last: DepotProtocol.HistoryToken)] = []
    for case let store as ServiceStore in stores.all {
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
    if bounds.includesToken, stores.all.count > 1 { request.author = nil }
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
      let builder = HistoryBuilder(store.identifier, self.core.descriptions)
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
}

/// Transactions as they come from the service, in pieces if they are large.
@Memberwise("store", "descriptions")
final class HistoryBuilder {
  private let store: String
  private let descriptions: [String: EntityDescription]
  private(set) var transactions: [DefaultHistoryTransaction] = []

  func take(_ piece: DepotClient.HistoryTransaction) {
    let number = piece.token.sequence
    if transactions.last?.transactionIdentifier != number {
      let process = piece.process ?? ""
      transactions.append(
        DefaultHistoryTransaction(
          author: piece.author,
          bundleIdentifier: String(process.prefix { $0 != "/" }),
          processIdentifier: process,
          storeIdentifier: store,
          timestamp: piece.date ?? Date(timeIntervalSinceReferenceDate: 0),
          token: DefaultHistoryToken(store: store, piece.token),
          transactionIdentifier: number,
          origin: piece.origin
        )
      )
    }
    var index = transactions[transactions.count - 1].changes.count
    for change in piece.changes {
      guard let description = descriptions[change.entity] else { continue }
      let record = HistoryRecord(
        description: description,
        identifier: PersistentIdentifier(description.key(in: store), .row(change.identifier)),
        transaction: number,
        index: index,
        change: change
      )
      transactions[transactions.count - 1].changes.append(HistoryChange(record))
      index += 1
    }
  }
}

extension HistoryChange {
  init(_ record: HistoryRecord) {
    func open<Model: PersistentModel>(_: Model.Type) -> HistoryChange {
      switch record.change.kind {
      case .insert: .insert(DefaultHistoryInsert<Model>(record: record))
      case .delete: .delete(DefaultHistoryDelete<Model>(record: record))
      default: .update(DefaultHistoryUpdate<Model>(record: record))
      }
    }
    self = open(record.description.type)
  }
}
