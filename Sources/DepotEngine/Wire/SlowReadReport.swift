package import DepotProtocol

/// The reasons why a read, or the search for rows to change, may have been slow.
package struct SlowReadReport: Sendable {
  /// The predicate, if any, with a question mark for each value; up to 1,000 characters.
  package var predicate: String?
  /// Whether it visits every row of a table.
  package var isFullScan: Bool
  /// Advice to make it faster, with names but without values.
  package var advice: String?
}

extension QuickReader {
  /// Explains why a call may have been slow, without executing it; `nil` if it doesn't search rows.
  package func report(on operation: Operation, catalog: Catalog) -> SlowReadReport? {
    let read: ExplainRequest.Read
    switch operation {
    case .fetch(let request): read = .fetch(request)
    case .count(let request), .exists(let request): read = .count(request)
    case .aggregate(let request): read = .aggregate(request)
    case .update(let request):
      read = .count(request.rows.search(request.entity, request.includesSubentities))
    case .delete(let request):
      read = .count(request.rows.search(request.entity, request.includesSubentities))
    default: return nil
    }
    if case .count(let request) = read, request.predicate == nil, operation.isWrite { return nil }
    guard let plan = plan(of: read, catalog) else { return nil }
    let advice = IndexAdvice(read, plan, in: catalog.schema)
    let predicate = read.rows.predicate.map { expression in
      let text = PredicatePrinter.shape(expression)
      return text.count > 1000 ? text.prefix(999) + "…" : text
    }
    return SlowReadReport(
      predicate: predicate,
      isFullScan: plan.isFullScan,
      advice: advice?.text
    )
  }
}

extension RowSelection {
  /// Returns the read for the rows, without a predicate if they are named.
  fileprivate func search(_ entity: String, _ includesSubentities: Bool) -> CountRequest {
    CountRequest(
      entity: entity,
      predicate: predicate,
      includesSubentities: includesSubentities
    )
  }
}
