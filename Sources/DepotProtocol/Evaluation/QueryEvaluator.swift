package import FoundationEssentials

/// An evaluator of queries about objects in memory, with exactly the results of the store.
///
/// The query must fit the schema; operations without a meaning give null.
package struct QueryEvaluator {
  let schema: Schema
  let now: Date
  let row: any EvaluationRow
  var variables: [(name: String, value: Evaluated)] = []
  var typing: QueryTyping
  let testing: TextTesting

  /// - Parameters:
  ///   - row: The object that the query is about.
  ///   - entity: The entity that the query is about; the object may be of a subentity.
  ///   - schema: The schema.
  ///   - now: The value of `now`.
  package init(_ row: any EvaluationRow, of entity: String, in schema: Schema, now: Date) {
    self.schema = schema
    self.now = now
    self.row = row
    typing = QueryTyping(schema: schema, entity: entity)
    testing = TextTesting()
  }

  /// Returns whether the object satisfies a predicate.
  package func isTrue(_ expression: QueryExpression) -> Bool {
    switch expression {
    case .and(let parts): return parts.allSatisfy(isTrue)
    case .or(let parts): return parts.contains(where: isTrue)
    case .not(let part): return !isTrue(part)
    case .comparison(let comparison, let left, let right, let options):
      return compare(comparison, left, right, options)
    case .between(let value, let low, let high):
      return compare(.greaterOrEqual, value, low, []) && compare(.lessOrEqual, value, high, [])
    case .in(let value, let list, let options):
      if list.count == 1, case .list = typing.kind(of: list[0]) {
        return contains(list[0], value, options)
      }
      return list.contains { compare(.equal, value, $0, options) }
    case .text(let test, let text, let pattern, let options):
      if test == .contains, case .list = typing.kind(of: text) {
        return contains(text, pattern, options)
      }
      return self.test(test, string(text), string(pattern), options)
    case .quantified(let quantifier, let collection, let name, let predicate):
      let kind = typing.element(of: collection)
      let elements = evaluate(collection).elements
      switch quantifier {
      case .any: return elements.contains { with(name, $0, kind).isTrue(predicate) }
      case .all: return elements.allSatisfy { with(name, $0, kind).isTrue(predicate) }
      case .none: return !elements.contains { with(name, $0, kind).isTrue(predicate) }
      }
    case .contains(let collection, let element): return contains(collection, element, [])
    case .is(let part, let entity): return isKind(evaluate(part), of: entity)
    case .search(let paths, let words): return search(words, paths)
    default:
      return value(expression).read(as: .bool) == .bool(true)
    }
  }

  /// Returns an evaluator with a name for an element.
  func with(_ name: String, _ value: Evaluated, _ kind: QueryTyping.Kind) -> QueryEvaluator {
    var inner = self
    inner.variables.append((name, value))
    inner.typing.variables.append((name, kind))
    return inner
  }

  func isKind(_ value: Evaluated, of entity: String) -> Bool {
    guard case .object(let object?) = value, let found = schema[object.entityName] else {
      return false
    }
    return schema.lineage(of: found).contains { $0.name == entity }
  }

  private func compare(
    _ comparison: QueryExpression.Comparison,
    _ left: QueryExpression,
    _ right: QueryExpression,
    _ options: QueryExpression.TextOptions
  ) -> Bool {
    let options = options.effective
    let kinds = (typing.kind(of: left), typing.kind(of: right))
    if let isSame = sameWhole(left, right, kinds) {
      return comparison == .equal ? isSame : !isSame
    }
    return compare(
      comparison,
      options.isEmpty ? Self.read(value(left), as: kinds.1) : value(left),
      options.isEmpty ? Self.read(value(right), as: kinds.0) : value(right),
      options,
      isConstant: (left.isConstant, right.isConstant)
    )
  }

  /// Returns JSON read as the type it is compared with; a whole number may meet a fraction.
  private static func read(_ value: Value, as kind: QueryTyping.Kind) -> Value {
    guard case .value(let type?) = kind else { return value }
    return value.read(as: type == .int64 ? .double : type)
  }

  private func compare(
    _ comparison: QueryExpression.Comparison,
    _ left: Value,
    _ right: Value,
    _ options: QueryExpression.TextOptions,
    isConstant: (Bool, Bool)
  ) -> Bool {
    var (left, right) = (left, right)
    if options.isEmpty {
      (left, right) = unify(left, right, isConstant: isConstant)
    } else {
      (left, right) = (folded(left, options), folded(right, options))
    }
    if left.isNull || right.isNull {
      return comparison == .equal
        ? left.isNull && right.isNull
        : comparison == .notEqual && left.isNull != right.isNull
    }
    let isOrdering = comparison != .equal && comparison != .notEqual
    if options.contains(.localized), isOrdering {
      (left, right) = (Self.localized(left), Self.localized(right))
    }
    let order = left.order(right)
    return switch comparison {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order == -1
    case .lessOrEqual: order == -1 || order == 0
    case .greater: order == 1
    case .greaterOrEqual: order == 1 || order == 0
    }
  }

  /// Converts constants to the type that they are compared with.
  private func unify(
    _ left: Value,
    _ right: Value,
    isConstant: (Bool, Bool)
  ) -> (Value, Value) {
    guard let leftType = left.type, let rightType = right.type, leftType != rightType else {
      return (left, right)
    }
    if isConstant.1, let converted = right.converted(to: leftType) { return (left, converted) }
    if isConstant.0, let converted = left.converted(to: rightType) { return (converted, right) }
    return (left, right)
  }

  private func contains(
    _ collection: QueryExpression,
    _ element: QueryExpression,
    _ options: QueryExpression.TextOptions
  ) -> Bool {
    let options = options.effective
    let kinds = (typing.element(of: collection), typing.kind(of: element))
    let wanted = options.isEmpty ? Self.read(value(element), as: kinds.0) : value(element)
    let isConstant = (collection.isConstant, element.isConstant)
    return evaluate(collection).elements.contains { found in
      let found = options.isEmpty ? Self.read(found.value, as: kinds.1) : found.value
      return compare(.equal, found, wanted, options, isConstant: isConstant)
    }
  }

  private func folded(_ value: Value, _ options: QueryExpression.TextOptions) -> Value {
    value.read(as: .string).text.map { .string(TextFolding.fold($0, options)) } ?? .null
  }

  private static func localized(_ value: Value) -> Value {
    var text = value.text ?? ""
    return .data(Data(text.withUTF8(LocalizedKey.make)))
  }

  private func string(_ expression: QueryExpression) -> String? {
    value(expression).read(as: .string).text
  }

  private func test(
    _ test: QueryExpression.TextTest,
    _ text: String?,
    _ pattern: String?,
    _ options: QueryExpression.TextOptions
  ) -> Bool {
    guard var text, var pattern else { return false }
    if test != .matches { pattern = TextFolding.fold(pattern, options.effective) }
    return text.withUTF8 { text in
      pattern.withUTF8 { testing.holds(test, text, $0, options) { false } ?? false }
    }
  }
}
