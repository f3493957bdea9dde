internal import DepotProtocol

/// Advice to make a read faster.
@Memberwise
struct IndexAdvice {
  /// The advice, as text for users.
  let text: String
  /// The entity and the attribute that need an index, if it would help.
  let index: (entity: String, attribute: String)?

  /// Finds the advice for a read; `nil` if there is none.
  init?(_ read: ExplainRequest.Read, _ plan: ReadPlan, in schema: Schema) {
    guard let entity = schema[read.rows.entity] else { return nil }
    let candidates = Candidates(schema: schema, entity: entity)
    if let predicate = read.rows.predicate, plan.isFullScan {
      let paths = candidates.served(in: predicate)
      if let path = paths.first(where: { !candidates.isIndexed($0) }) {
        self.init(path, "this predicate")
        return
      }
      guard paths.isEmpty else { return nil }
      self.init(text: "No index can serve this predicate; every row is looked at.")
      return
    }
    if plan.isSorted, read.rows.predicate == nil, let path = candidates.unindexed(read.firstSortKey)
    {
      self.init(path, "this order")
    } else if plan.isGroupedBySorting, let path = candidates.unindexed(read.firstGroupKey) {
      self.init(path, "these groups")
    } else {
      return nil
    }
  }

  private init(_ field: FieldReference, _ what: String) {
    self.init(
      text: "An index on \(field.entity).\(field.path) would serve \(what): "
        + "add \"indexed\": true to it in the schema.",
      index: (field.entity, field.path)
    )
  }
}

/// An attribute of an entity.
private struct FieldReference: Hashable {
  /// The entity that declares it.
  var entity: String
  var path: String
}

/// The search for attributes whose index could find rows.
private struct Candidates {
  let schema: Schema
  let entity: Entity

  /// The attributes whose index could find the rows of a predicate.
  func served(in expression: QueryExpression) -> [FieldReference] {
    served(in: expression) { expression in
      guard case .attribute(let path) = expression else { return nil }
      return reference(path, from: entity)
    }
  }

  private func served(
    in expression: QueryExpression,
    _ field: (QueryExpression) -> FieldReference?
  ) -> [FieldReference] {
    func one(_ expression: QueryExpression) -> [FieldReference] {
      field(expression).map { [$0] } ?? []
    }
    switch expression {
    case .and(let parts):
      return parts.flatMap { served(in: $0, field) }
    case .or(let parts):
      // Alternatives can use indexes only if each of them has one.
      let each = parts.map { served(in: $0, field) }
      return each.contains([]) ? [] : each.flatMap { $0 }
    case .comparison(let comparison, let left, let right, let options):
      guard options.isEmpty, comparison != .notEqual else { return [] }
      return right.isLiteral ? one(left) : left.isLiteral ? one(right) : []
    case .between(let value, let low, let high):
      return low.isLiteral && high.isLiteral ? one(value) : []
    case .in(let value, let list, let options):
      return options.isEmpty && list.allSatisfy(\.isLiteral) ? one(value) : []
    case .text(.begins, let text, let prefix, let options):
      return options.isEmpty && prefix.isLiteral ? one(text) : []
    case .attribute:
      return one(expression)
    case .quantified(.any, .attribute(let path), let name, let predicate):
      guard let resolved = try? schema.resolve(path: path, from: entity),
        let destination = schema[resolved.entity]
      else { return [] }
      return served(in: predicate) { expression in
        if case .member(.variable(name), let path) = expression {
          return resolved.end == .object ? reference(path, from: destination) : nil
        }
        return expression == .variable(name) ? reference(resolved.end) : nil
      }
    default:
      return []
    }
  }

  /// Returns the attribute of an expression, unless it has an index.
  func unindexed(_ key: QueryExpression?) -> FieldReference? {
    guard case .attribute(let path) = key, !path.contains("."),
      let field = reference(path, from: entity), !isIndexed(field)
    else { return nil }
    return field
  }

  func isIndexed(_ field: FieldReference) -> Bool {
    guard let entity = schema[field.entity] else { return true }
    let attribute = schema.fields(of: entity).first { $0.path == field.path }?.attribute
    return attribute?.isIndexed ?? true || attribute?.isUnique ?? true
      || (entity.indexes + entity.uniques).contains { $0.first == field.path }
  }

  /// Returns the attribute at the end of a path through to-one relationships.
  private func reference(_ path: String, from entity: Entity) -> FieldReference? {
    guard let resolved = try? schema.resolve(path: path, from: entity), !resolved.isToMany else {
      return nil
    }
    return reference(resolved.end)
  }

  /// Returns the attribute at the end of a path.
  ///
  /// It is `nil` for relationships, identifiers, and versions, which need no index or can't have
  /// one.
  private func reference(_ end: ResolvedPath.End) -> FieldReference? {
    guard case .field(let field) = end, field.relationship == nil, !field.isPresence else {
      return nil
    }
    return FieldReference(entity: field.owner, path: field.path)
  }
}

extension QueryExpression {
  fileprivate var isLiteral: Bool {
    switch self {
    case .value, .now: true
    default: false
    }
  }
}

extension ExplainRequest.Read {
  fileprivate var firstSortKey: QueryExpression? {
    guard case .fetch(let request) = self else { return nil }
    return request.sort.first?.expression ?? request.sectionBy.map(QueryExpression.attribute)
  }

  fileprivate var firstGroupKey: QueryExpression? {
    guard case .aggregate(let request) = self else { return nil }
    return request.keys.first?.expression
  }

  /// The statement that executes the read.
  func statement(in catalog: Catalog) throws(DepotError) -> ReadStatement {
    switch self {
    case .fetch(let request): try StreamPlan(request, in: catalog).statement
    case .count(let request): try ReadStatement(count: request, in: catalog)
    case .aggregate(let request): try StreamPlan(request, in: catalog).statement
    }
  }
}
