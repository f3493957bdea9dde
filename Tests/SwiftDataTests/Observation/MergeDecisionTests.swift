import Testing

@testable import SwiftData

/// The check that the fate of an object is the documented one, whatever is known of it and of its row.
@Suite struct `The decision about a newer row` {
  /// The relation of a version that is told to the known one.
  private enum Age: CaseIterable {
    case older, same, next, later
  }

  /// An object with a known version, as far as a decision depends on it.
  private struct State {
    var phase: ModelStorage.Phase
    var isFault: Bool
    var isChanged: Bool
    var hasNewer: Bool

    static let known: Int64 = 7

    static var all: [State] {
      [ModelStorage.Phase.unregistered, .inserted, .stored, .deleted, .gone].flatMap { phase in
        [true, false].flatMap { isFault in
          [true, false].flatMap { isChanged in
            [true, false].map { hasNewer in
              State(phase: phase, isFault: isFault, isChanged: isChanged, hasNewer: hasNewer)
            }
          }
        }
      }
    }

    /// Makes the object, which has its name and its rack loaded.
    func object() -> ObjectReference {
      let description = EntityDescription.of(Tome.self)
      let key = description.key(in: "store")
      let link = description.makeObject(PersistentIdentifier(key, .row(1)))
      let storage = link.storage
      for property in description.properties where !property.isToMany {
        storage.slots[property.slot] = property.initialSlot
      }
      storage.phase = phase
      storage.version = isFault ? 0 : hasNewer ? Self.known - 2 : Self.known
      if hasNewer, !isFault { storage.newer = NewerRow(version: Self.known) }
      if isChanged, let first = description.properties.first {
        storage.changed.insert(first.slot)
        storage.base[first.slot] = first.initialSlot
      }
      return link
    }
  }

  private static let policies: [MergePolicy] = [
    .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
  ]

  private static func version(_ age: Age, of storage: ModelStorage) -> Int64 {
    switch age {
    case .older: storage.knownVersion - 1
    case .same: storage.knownVersion
    case .next: storage.knownVersion + 1
    case .later: storage.knownVersion + 5
    }
  }

  @Test func `is the documented one for rows that were read`() {
    for (state, policy, age) in Self.cases() {
      let link = state.object()
      let slots = SlotSet(link.storage.description.properties.map(\.slot))
      for (slots, isComplete) in [(slots, true), (SlotSet(), false)] {
        let wanted: MergeDecision =
          switch (state.isFault, age) {
          case (true, _), (false, .same): .fill
          case (false, .older): .ignore
          case (false, .next), (false, .later): isComplete ? .merge : .refresh
          }
        let incoming = IncomingRow.read(version: Self.version(age, of: link.storage), slots: slots)
        #expect(link.storage.decision(on: incoming, policy) == wanted, "\(state) \(policy) \(age)")
      }
    }
  }

  @Test func `is the documented one for changes`() {
    for (state, policy, age) in Self.cases() {
      let link = state.object()
      let isRead = state.phase == .stored && !state.isFault || state.phase == .deleted
      let wanted: MergeDecision =
        switch (isRead, age) {
        case (false, _), (true, .older): .ignore
        case (true, .same), (true, .next): .merge
        case (true, .later): .refresh
        }
      let incoming = IncomingRow.update(version: Self.version(age, of: link.storage))
      #expect(link.storage.decision(on: incoming, policy) == wanted, "\(state) \(policy) \(age)")
    }
  }

  @Test func `is the documented one for deletions`() {
    let stubborn: [MergePolicy] = [.error, .mergeByPropertyObjectTrump, .overwrite]
    for (state, policy, age) in Self.cases() {
      let link = state.object()
      let isKept = state.phase == .stored && state.isChanged && stubborn.contains(policy)
      let fate: MergeDecision = isKept ? .dispute : .invalidate
      let version = Self.version(age, of: link.storage)
      let decision = link.storage.decision(on: .deletion(version: version), policy)
      #expect(decision == (age == .older ? .ignore : fate), "\(state) \(policy) \(age)")
      #expect(link.storage.decision(on: .deletion(version: nil), policy) == fate)
    }
  }

  private static func cases() -> [(State, MergePolicy, Age)] {
    State.all.flatMap { state in
      policies.flatMap { policy in Age.allCases.map { (state, policy, $0) } }
    }
  }
}
