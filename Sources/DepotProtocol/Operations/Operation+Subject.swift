extension Operation {
  /// The name of the entity that the operation is about, or `nil`.
  package var entity: String? {
    switch self {
    case .insert(let request): request.entity
    case .get(let request): request.entity
    case .fetch(let request): request.entity
    case .explain(let request): request.entity
    case .count(let request), .exists(let request): request.entity
    case .aggregate(let request): request.entity
    case .update(let request): request.entity
    case .delete(let request): request.entity
    case .readBlob(let request): request.entity
    case .writeBlob(let request): request.entity
    case .watch(let request): request.entity
    case .history(let request): request.entity
    case .historyRow(let request): request.entity
    default: nil
    }
  }

  /// The condition on the rows that the operation is about, or `nil`.
  package var predicate: QueryExpression? {
    switch self {
    case .fetch(let request): request.predicate
    case .explain(let request): request.read.rows.predicate
    case .count(let request), .exists(let request): request.predicate
    case .aggregate(let request): request.predicate
    case .update(let request): request.rows.predicate
    case .delete(let request): request.rows.predicate
    case .watch(let request): request.predicate
    default: nil
    }
  }
}
