internal import DepotProtocol
internal import DepotSQLite

extension QueryCompiler {
  /// Translates a comparison of whole composite values or collections; `nil` if neither is one.
  func compareWhole(
    _ comparison: QueryExpression.Comparison,
    _ terms: (QueryTerm, QueryTerm)
  ) throws(DepotError) -> Condition? {
    let isEqual: Condition
    switch terms {
    case (.composite(let isThere), .operand(let other)),
      (.operand(let other), .composite(let isThere)):
      guard other.isNull else { throw notWhole() }
      isEqual = Condition("NOT " + isThere.strict.parenthesized)
    case (.composite, _), (_, .composite):
      throw notWhole()
    case (.collection(let left), .collection(let right)):
      isEqual = try same(left, right)
    case (.collection(.list(let list, _, _)), .operand(let other)),
      (.operand(let other), .collection(.list(let list, _, _))):
      guard other.isNull else { throw notList() }
      isEqual = Condition(list.fragment + " IS NULL")
    case (.collection(.constants), .operand(let other)),
      (.operand(let other), .collection(.constants)):
      guard other.isNull else { throw notList() }
      isEqual = .always(false)
    case (.collection, _), (_, .collection):
      throw notList()
    default:
      return nil
    }
    switch comparison {
    case .equal: return isEqual
    case .notEqual: return Condition("NOT " + isEqual.strict.parenthesized)
    default: throw invalid("Only values have an order.")
    }
  }

  private func same(
    _ left: QueryCollection,
    _ right: QueryCollection
  ) throws(DepotError) -> Condition {
    switch (left, right) {
    case (.list(let list, let type, let kind), .constants(let values)),
      (.constants(let values), .list(let list, let type, let kind)):
      let packed = try pack(values, as: type, kind)
      let call =
        "depot_same(" + list.fragment + ", " + .bound(packed) + ", \(type.functionCode))"
      return Condition(call, isNullable: true)
    case (.list(let left, let leftType, let leftKind), .list(let right, let type, let kind)):
      guard leftType == type, leftKind == kind else {
        throw invalid("The collections are of different types.")
      }
      let call = "depot_same(" + left.fragment + ", " + right.fragment + ", \(type.functionCode))"
      let none = left.fragment + " IS NULL AND " + right.fragment + " IS NULL"
      return Condition(("ifnull(" + call + ", " + none + ")").parenthesized)
    default:
      throw notList()
    }
  }

  /// Returns constants as the elements of a collection; those of a set are sorted.
  private func pack(
    _ values: [Value],
    as type: AttributeType,
    _ kind: Attribute.CollectionKind
  ) throws(DepotError) -> SQLiteValue {
    var elements = try values.map { value throws(DepotError) in
      guard value.isNull || value.converted(to: type) != nil else {
        throw invalid("An element of the list can't be read as \(type.rawValue).")
      }
      return value.converted(to: type) ?? .null
    }
    if kind == .set { elements = elements.different }
    return .list(elements.map(StoredValue.encode))
  }

  private func notWhole() -> DepotError {
    invalid("A composite value can't be compared as a whole.")
      .hint("Compare its parts, as in \"home.city\", or hold it against null.")
  }

  private func notList() -> DepotError {
    invalid("A collection can be compared only with one of the same type, or null.")
      .hint("Ask whether it contains something, or whether ANY or ALL of it satisfy something.")
  }
}
