import DepotEngine
import DepotProtocol
import Testing

@Suite struct ConflictResolutionTests {
  private typealias Property = ConflictResolution.Property

  /// All combinations of up to three properties.
  private static let situations: [[ConflictResolution.Property]] = {
    let one = [true, false].flatMap { isWritten in
      ConflictResolution.Stored.allCases.map {
        ConflictResolution.Property(isWritten: isWritten, stored: $0)
      }
    }
    var result: [[ConflictResolution.Property]] = [[]]
    var last = result
    for _ in 0..<3 {
      last = last.flatMap { list in one.map { list + [$0] } }
      result += last
    }
    return result
  }()

  /// What is in the row in the end, by the table of the policies: for each property whether it is what
  /// the client wants, what it has read, or what the store has.
  private enum Value { case client, base, store }

  private func values(
    _ resolution: ConflictResolution,
    _ properties: [ConflictResolution.Property]
  ) -> [Value]? {
    properties.indices.map { index in
      let isWritten = properties[index].isWritten
      return switch resolution.action {
      case .proceed: isWritten ? .client : .store
      case .write(let positions): positions.contains(index) ? .client : .store
      case .overwrite: isWritten ? .client : .base
      case .drop, .refuse, .recreate: .store
      }
    }
  }

  @Test(arguments: MergePolicy.allCases)
  func `every policy keeps to its table in every situation`(policy: MergePolicy) {
    for properties in Self.situations {
      let resolution = ConflictResolution.update(properties, policy)
      let isWritten = properties.contains(where: \.isWritten)
      let isConflict = isWritten && properties.contains { $0.stored != .unchanged }
      #expect((resolution.kind == .update) == isConflict)
      #expect((resolution.action == .refuse) == (isConflict && policy == .error))
      guard isConflict else {
        #expect(resolution.action == .proceed)
        continue
      }
      let expected = properties.map { property -> Value in
        switch policy {
        case .error, .rollback: .store
        case .mergeByPropertyStoreTrump:
          property.isWritten && property.stored == .unchanged ? .client : .store
        case .mergeByPropertyObjectTrump: property.isWritten ? .client : .store
        case .overwrite: property.isWritten ? .client : .base
        }
      }
      #expect(values(resolution, properties) == expected)
      let contested = properties.indices.filter {
        properties[$0].isWritten && properties[$0].stored != .unchanged
      }
      #expect(resolution.contested == contested)
      #expect((resolution.decision == nil) == (policy == .error))
    }
  }

  @Test(
    arguments: [
      (MergePolicy.error, ConflictResolution.Action.refuse, nil),
      (.mergeByPropertyStoreTrump, .drop, .dropped), (.rollback, .drop, .dropped),
      (.mergeByPropertyObjectTrump, .recreate, .recreated), (.overwrite, .recreate, .recreated),
    ] as [(MergePolicy, ConflictResolution.Action, SaveConflict.Decision?)]
  )
  func `a deleted row is dropped or made again`(
    policy: MergePolicy,
    action: ConflictResolution.Action,
    decision: SaveConflict.Decision?
  ) {
    let resolution = ConflictResolution.updateOfDeleted(policy)
    #expect(resolution.action == action)
    #expect(resolution.kind == .updateOfDeleted)
    #expect(resolution.decision == decision)
  }

  @Test(
    arguments: [
      (MergePolicy.error, ConflictResolution.Action.refuse, nil),
      (.mergeByPropertyStoreTrump, .drop, .dropped), (.rollback, .drop, .dropped),
      (.mergeByPropertyObjectTrump, .proceed, .client), (.overwrite, .proceed, .client),
    ] as [(MergePolicy, ConflictResolution.Action, SaveConflict.Decision?)]
  )
  func `a changed row is deleted or stays`(
    policy: MergePolicy,
    action: ConflictResolution.Action,
    decision: SaveConflict.Decision?
  ) {
    let changed = ConflictResolution.deletion(storeVersion: 2, baseVersion: 1, policy)
    #expect(changed.action == action)
    #expect(changed.kind == .deleteOfUpdated)
    #expect(changed.decision == decision)
    let same = ConflictResolution.deletion(storeVersion: 1, baseVersion: 1, policy)
    #expect(same.action == .proceed)
    #expect(same.kind == nil)
    let gone = ConflictResolution.deletion(storeVersion: nil, baseVersion: 1, policy)
    #expect(gone.action == .drop)
    #expect(gone.kind == nil)
  }

  @Test func `unique values are taken over only from a row that is inserted`() {
    let changes: [(MergePolicy, ConflictResolution.Action)] = [
      (.error, .refuse), (.mergeByPropertyStoreTrump, .write([0, 2])), (.rollback, .drop),
      (.mergeByPropertyObjectTrump, .refuse), (.overwrite, .refuse),
    ]
    for (policy, action) in changes {
      let resolution = ConflictResolution.clash([false, true, false], policy)
      #expect(resolution.action == action)
      #expect(resolution.contested == [1])
    }
    let insertions: [(MergePolicy, ConflictResolution.Action)] = [
      (.error, .refuse), (.mergeByPropertyStoreTrump, .drop), (.rollback, .drop),
      (.mergeByPropertyObjectTrump, .proceed), (.overwrite, .overwrite),
    ]
    for (policy, action) in insertions {
      #expect(ConflictResolution.clash(nil, policy).action == action)
    }
  }
}
