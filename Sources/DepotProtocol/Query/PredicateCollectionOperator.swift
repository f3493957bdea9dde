/// An operator after `@` in a path.
enum PredicateCollectionOperator {
  case aggregate(QueryExpression.Aggregate)
  /// All elements of all collections, which a path gives without an operator too.
  case union
  case distinctUnion

  /// The operators that give one value, with their spelling.
  static let aggregates: [(name: String, aggregate: QueryExpression.Aggregate)] = [
    ("count", .count), ("distinctCount", .countDistinct), ("sum", .sum), ("min", .min),
    ("max", .max), ("avg", .average), ("median", .median), ("mode", .mode), ("stddev", .stddev),
  ]

  private static let others: [String: PredicateCollectionOperator] = [
    "average": .aggregate(.average), "countDistinct": .aggregate(.countDistinct),
    "unionOfObjects": .union, "unionOfArrays": .union, "unionOfSets": .union,
    "distinctUnionOfObjects": .distinctUnion, "distinctUnionOfArrays": .distinctUnion,
    "distinctUnionOfSets": .distinctUnion,
  ]

  init?(_ name: String) {
    let word = name.lowercased()
    if let found = Self.aggregates.first(where: { $0.name.lowercased() == word }) {
      self = .aggregate(found.aggregate)
    } else if let found = Self.others.first(where: { $0.key.lowercased() == word }) {
      self = found.value
    } else {
      return nil
    }
  }

  /// Returns the name of an aggregate as it is written after `@`.
  static func name(of aggregate: QueryExpression.Aggregate) -> String {
    aggregates.first { $0.aggregate == aggregate }?.name ?? aggregate.rawValue
  }

  static func unknown(_ name: String, at offset: Int) -> PredicateFailure {
    let names = aggregates.map(\.name) + others.keys.sorted()
    return PredicateFailure("There is no collection operator \"@\(name)\".", at: offset)
      .hint(
        Spelling.hint(for: name, in: names) { "@\($0)" }
          ?? "The operators are \(aggregates.map { "@" + $0.name }.joined(separator: ", "))."
      )
  }
}
