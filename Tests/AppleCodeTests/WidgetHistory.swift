import Foundation
import SwiftData

// The history of what a widget's process has changed, as the app reads it when it comes to the front.

enum TransactionAuthor {
  static let widget = "widget"
}

@MainActor
final class UnreadTrips {
  private(set) var identifiers: Set<PersistentIdentifier> = []
  /// Where the token of the last transaction is, as the app's settings keep it.
  private(set) var token: Data?
  private let modelContainer: ModelContainer

  init(modelContainer: ModelContainer) { self.modelContainer = modelContainer }

  func update() throws {
    let last = try token.map { try JSONDecoder().decode(DefaultHistoryToken.self, from: $0) }
    let transactions = try findTransactions(after: last, author: TransactionAuthor.widget)
    identifiers = try findTrips(in: transactions, beside: identifiers)
    if let newest = transactions.last?.token { token = try JSONEncoder().encode(newest) }
  }

  func markAsRead() { identifiers = [] }

  private func findTransactions(
    after token: DefaultHistoryToken?,
    author: String
  ) throws -> [DefaultHistoryTransaction] {
    var historyDescriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token {
      historyDescriptor.predicate = #Predicate { transaction in
        (transaction.token > token) && (transaction.author == author)
      }
    }
    return try ModelContext(modelContainer).fetchHistory(historyDescriptor)
  }

  private func findTrips(
    in transactions: [DefaultHistoryTransaction],
    beside known: Set<PersistentIdentifier>
  ) throws -> Set<PersistentIdentifier> {
    let taskContext = ModelContext(modelContainer)
    var resultTrips = known
    for transaction in transactions {
      for change in transaction.changes {
        let modelID = change.changedPersistentIdentifier
        let fetchDescriptor = FetchDescriptor<LivingAccommodation>(
          predicate: #Predicate { accommodation in accommodation.persistentModelID == modelID }
        )
        let matched = try taskContext.fetch(fetchDescriptor).first
        switch change {
        case .insert(_ as DefaultHistoryInsert<LivingAccommodation>):
          if let trip = matched?.trip { resultTrips.insert(trip.persistentModelID) }
        case .update(_ as DefaultHistoryUpdate<LivingAccommodation>):
          if let trip = matched?.trip { resultTrips.insert(trip.persistentModelID) }
        case .delete(let deletion as DefaultHistoryDelete<Trip>):
          resultTrips.remove(deletion.changedPersistentIdentifier)
        default: break
        }
      }
    }
    return resultTrips
  }
}

/// What the widget does, in its own process: the place to stay is confirmed.
func confirmStay(in url: URL) throws {
  let modelContainer = try ModelContainer(
    for: Trip.self,
    configurations: ModelConfiguration(url: url)
  )
  let modelContext = ModelContext(modelContainer)
  modelContext.author = TransactionAuthor.widget
  let stays = try modelContext.fetch(FetchDescriptor<LivingAccommodation>())
  for stay in stays { stay.isConfirmed = true }
  try modelContext.save()
}
