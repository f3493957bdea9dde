internal import DepotProtocol

/// The entities whose rows a client is enumerating.
package struct Enumerations: Sendable {
  private var counts: [String: Int] = [:]

  package mutating func begin(_ entity: String) { counts[entity, default: 0] += 1 }

  package mutating func end(_ entity: String) {
    let left = (counts[entity] ?? 1) - 1
    counts[entity] = left > 0 ? left : nil
  }

  /// Returns why a write can't be made; `nil` if it can.
  func refusal(of operation: Operation) -> DepotError? {
    guard !counts.isEmpty, let entity = operation.changedEntities.first(where: isEnumerated) else {
      return nil
    }
    return DepotError(.enumerating, "\(entity) is being enumerated with this client.")
      .hint("Write when the enumeration is over, or begin it with allowEscapingMutations: true.")
  }

  private func isEnumerated(_ entity: String) -> Bool { counts[entity] != nil }
}

extension Operation {
  /// The names of the entities whose rows a write is about.
  fileprivate var changedEntities: [String] {
    switch self {
    case .insert(let request): [request.entity]
    case .update(let request): [request.entity]
    case .delete(let request): [request.entity]
    case .writeBlob(let request): [request.entity]
    case .save(let request):
      request.inserts.map(\.entity) + request.updates.map(\.entity)
        + request.deletes.map(\.entity)
    default: []
    }
  }
}
