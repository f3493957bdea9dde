internal import DepotClient
internal import DepotProtocol
internal import Foundation

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
