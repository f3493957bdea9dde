internal import DepotProtocol
internal import DepotSQLite
internal import FoundationEssentials

extension QueryCompiler {
  /// Returns a condition for a range index that all rows of a predicate satisfy.
  ///
  /// Some other rows may satisfy it too. It uses constant bounds of several numbers or dates that
  /// the predicate requires together, or of a single one that has no index of its own.
  func rangeCondition(_ expression: QueryExpression) -> Fragment? {
    let indexes = catalog.rangeIndexes(covering: row.layout)
    guard !indexes.isEmpty else { return nil }
    var bounds: [String: Bounds] = [:]
    collect(expression, into: &bounds)
    guard !bounds.isEmpty else { return nil }
    var best: (index: RangeIndex, count: Int)?
    for index in indexes {
      let named = index.paths.filter { bounds[$0] != nil }
      guard named.count > 1 || named.count == 1 && !hasOwnIndex(named[0]) else { continue }
      if named.count > best?.count ?? 0 { best = (index, named.count) }
    }
    guard let index = best?.index else { return nil }
    var conditions: [Fragment] = []
    for (dimension, path) in index.paths.enumerated() {
      guard let range = bounds[path] else { continue }
      if let low = range.low {
        conditions.append("max\(dimension) >= " + .bound(.real((low - Self.slack).nextDown)))
      }
      if let high = range.high {
        conditions.append("min\(dimension) <= " + .bound(.real((high + Self.slack).nextUp)))
      }
    }
    return "t0.id IN (SELECT id FROM \"\(index.name)\" WHERE "
      + .joined(conditions[...], by: "AND") + ")"
  }

  /// The margin for numbers that are too small to be exact as floats.
  ///
  /// SQLite rounds other numbers outwards for the index.
  private static let slack = 1e-36

  /// The bounds of a number or date in a predicate, rounded to a double.
  private struct Bounds {
    var low: Double?
    var high: Double?

    mutating func raise(_ value: Double) { low = low.map { max($0, value) } ?? value }

    mutating func lower(_ value: Double) { high = high.map { min($0, value) } ?? value }
  }

  private func hasOwnIndex(_ path: String) -> Bool {
    guard let position = row.layout.position(of: path) else { return false }
    let attribute = row.layout.fields[position].attribute
    let lineage = catalog.schema.lineage(of: row.layout.entity)
    return attribute.isIndexed || attribute.isUnique
      || lineage.contains { ($0.indexes + $0.uniques).contains { $0.first == path } }
  }

  private func collect(_ expression: QueryExpression, into bounds: inout [String: Bounds]) {
    switch expression {
    case .and(let parts):
      for part in parts { collect(part, into: &bounds) }
    case .comparison(let comparison, .attribute(let path), let constant, let options):
      guard options.isEmpty, let value = number(constant, as: path) else { return }
      demand(comparison, value, of: path, &bounds)
    case .comparison(let comparison, let constant, .attribute(let path), let options):
      guard options.isEmpty, let value = number(constant, as: path) else { return }
      demand(comparison.mirrored, value, of: path, &bounds)
    case .between(.attribute(let path), let low, let high):
      if let value = number(low, as: path) { bounds[path, default: Bounds()].raise(value) }
      if let value = number(high, as: path) { bounds[path, default: Bounds()].lower(value) }
    default: break
    }
  }

  private func demand(
    _ comparison: QueryExpression.Comparison,
    _ value: Double,
    of path: String,
    _ bounds: inout [String: Bounds]
  ) {
    if [.greater, .greaterOrEqual, .equal].contains(comparison) {
      bounds[path, default: Bounds()].raise(value)
    }
    if [.less, .lessOrEqual, .equal].contains(comparison) {
      bounds[path, default: Bounds()].lower(value)
    }
  }

  /// Returns a constant that is compared with an attribute, as the nearest double.
  ///
  /// It is `nil` if there is none.
  private func number(_ expression: QueryExpression, as path: String) -> Double? {
    guard let position = row.layout.position(of: path) else { return nil }
    let type = row.layout.fields[position].attribute.type
    let value: Value
    switch expression {
    case .value(let constant): value = constant.converted(to: type) ?? constant
    case .now: value = .date(now)
    default: return nil
    }
    let number: Double?
    if case .date(let date) = value, type == .date {
      number = date.timeIntervalSinceReferenceDate
    } else {
      number = type == .date ? nil : ValueArithmetic.double(value)
    }
    return number.flatMap { $0.isNaN ? nil : $0 }
  }
}

extension QueryExpression.Comparison {
  /// The comparison with exchanged operands.
  fileprivate var mirrored: Self {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .equal, .notEqual: self
    }
  }
}
