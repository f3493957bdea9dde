internal import DepotClient
internal import DepotProtocol
internal import Foundation

/// The translation of fetch descriptors for the service.
enum ModelQuery {
  /// Translates a predicate.
  ///
  /// - Throws: ``DepotError`` `request.predicate` that names the operation that the service lacks.
  static func expression<T: PersistentModel>(
    _ predicate: Predicate<T>
  ) throws(DepotError) -> QueryExpression {
    let naming = ModelNaming()
    return try expression(predicate.expression, of: predicate, naming)
  }

  /// Translates a part of a predicate.
  ///
  /// - Throws: ``DepotError`` `request.predicate` that names the operation that the service lacks.
  static func expression<T: PersistentModel>(
    _ node: any PredicateExpression<Bool>,
    of predicate: Predicate<T>,
    _ naming: ModelNaming
  ) throws(DepotError) -> QueryExpression {
    var lowering = PredicateLowering(
      model: "\(T.self)",
      variable: predicate.variable.key,
      names: naming
    )
    let description = EntityDescription.of(T.self)
    let expression = naming.finish(try lowering.predicate(node), of: description)
    var walk = QueryWalk(description, naming.entities)
    walk.visit(expression)
    if let problem = walk.problem { throw lowering.refusal(problem) }
    return expression
  }

  /// The part of a predicate by which the service finds rows.
  struct Part {
    /// The condition for the service; everything if `nil`.
    var expression: QueryExpression?
    /// Why the service finds more than the predicate's objects; `nil` if it finds exactly these.
    var problem: DepotError?
  }

  /// Translates a predicate, or the clauses of it that the service can evaluate.
  ///
  /// - Parameters:
  ///   - predicate: The predicate.
  ///   - stores: The identifiers of the stores that are asked; any if `nil`.
  /// - Returns: The condition for the service, and whether that is all.
  /// - Throws: ``DepotError`` `request.usage` for an error that doesn't depend on the evaluator.
  static func part<T: PersistentModel>(
    _ predicate: Predicate<T>,
    stores: Set<String>?
  ) throws(DepotError) -> Part {
    let naming = ModelNaming(stores: stores)
    var part = Part()
    var clauses: [QueryExpression] = []
    for clause in Clauses.of(predicate.expression) {
      do {
        switch try expression(clause, of: predicate, naming) {
        case .and(let parts): clauses += parts
        case let single: clauses.append(single)
        }
      } catch {
        guard error.code != .usage else { throw error }
        part.problem = part.problem ?? error
      }
    }
    if !clauses.isEmpty || part.problem == nil {
      part.expression = clauses.count == 1 ? clauses[0] : .and(clauses)
    }
    return part
  }

  /// Translates a sort descriptor; `nil` if the service can't sort like that.
  static func sortKey<T: PersistentModel>(_ descriptor: SortDescriptor<T>) -> SortKey? {
    if descriptor.keyPath == \T.searchRank {
      return SortKey(.function(.rank, []), descending: descriptor.order == .reverse)
    }
    guard let sorted = SortedPath.find(descriptor) else { return nil }
    return SortKey(
      sorted.path,
      descending: descriptor.order == .reverse,
      localized: sorted.isLocalized
    )
  }
}

/// The clauses of a predicate, which must all hold.
private enum Clauses {
  static func of(_ node: any PredicateExpression<Bool>) -> [any PredicateExpression<Bool>] {
    guard let conjunction = node as? any ConjunctionNode else { return [node] }
    return conjunction.sides.flatMap(of)
  }
}

private protocol ConjunctionNode {
  var sides: [any PredicateExpression<Bool>] { get }
}

extension PredicateExpressions.Conjunction: ConjunctionNode {
  fileprivate var sides: [any PredicateExpression<Bool>] { [lhs, rhs] }
}
