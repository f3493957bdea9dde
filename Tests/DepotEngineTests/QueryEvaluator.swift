import DepotProtocol
import Foundation

/// The meaning of predicates, written down as plainly as possible, to compare the SQL with.
struct QueryEvaluator {
  let entity: Entity
  let row: [Value]
  let identifier: Int64

  func isTrue(_ expression: QueryExpression) -> Bool {
    switch expression {
    case .and(let parts): parts.allSatisfy(isTrue)
    case .or(let parts): parts.contains(where: isTrue)
    case .not(let part): !isTrue(part)
    case .comparison(let comparison, let left, let right, let options):
      compare(comparison, fold(value(left), options), fold(value(right), options))
    case .between(let value, let low, let high):
      compare(.greaterOrEqual, self.value(value), self.value(low))
        && compare(.lessOrEqual, self.value(value), self.value(high))
    case .in(let value, let list, let options):
      list.contains {
        compare(.equal, fold(self.value(value), options), fold(self.value($0), options))
      }
    case .text(let test, let text, let pattern, let options):
      self.test(test, value(text), value(pattern), options)
    default: value(expression) == .bool(true)
    }
  }

  private func value(_ expression: QueryExpression) -> Value {
    switch expression {
    case .value(let value): value
    case .attribute("$id"): .int64(identifier)
    case .attribute("$version"): .int64(1)
    case .attribute(let name):
      row[entity.attributes.firstIndex { $0.name == name } ?? 0]
    case .negate(let part): arithmetic(.multiply, value(part), .int64(-1))
    case .arithmetic(let operation, let left, let right):
      arithmetic(operation, value(left), value(right))
    default: .bool(isTrue(expression))
    }
  }

  private func compare(
    _ comparison: QueryExpression.Comparison,
    _ left: Value,
    _ right: Value
  ) -> Bool {
    if left == .null || right == .null {
      return comparison == .equal
        ? left == right : comparison == .notEqual ? left != right : false
    }
    let order = Self.order(left, right)
    return switch comparison {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order == -1
    case .lessOrEqual: order == -1 || order == 0
    case .greater: order == 1
    case .greaterOrEqual: order == 1 || order == 0
    }
  }

  /// Returns -1, 0, or 1, or `nil` if a value is NaN.
  private static func order(_ left: Value, _ right: Value) -> Int? {
    switch (left, right) {
    case (.int64(let left), .int64(let right)): order(left, right)
    case (.double(let left), .double(let right)): order(left, right)
    case (.int64(let left), .double(let right)): order(left, exactly: right)
    case (.double(let left), .int64(let right)): order(right, exactly: left).map { -$0 }
    case (.decimal(let left), .decimal(let right)): order(left, right)
    case (.decimal(let left), .int64(let right)): order(left, Decimal(right))
    case (.int64(let left), .decimal(let right)): order(Decimal(left), right)
    case (.decimal(let left), .double(let right)): order(left, decimal: right)
    case (.double(let left), .decimal(let right)): order(right, decimal: left).map { -$0 }
    case (.date(let left), .date(let right)):
      order(left.timeIntervalSinceReferenceDate, right.timeIntervalSinceReferenceDate)
    case (.bool(let left), .bool(let right)): order(left ? 1 : 0, right ? 1 : 0)
    case (.uuid(let left), .uuid(let right)): order(left, right)
    case (.data(let left), .data(let right)):
      left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    default: order(text(left), text(right))
    }
  }

  private static func order<Number: Comparable>(_ left: Number, _ right: Number) -> Int? {
    left < right ? -1 : left > right ? 1 : left == right ? 0 : nil
  }

  private static func order(_ left: Int64, exactly right: Double) -> Int? {
    if right.isNaN { return nil }
    let floor = right.rounded(.down)
    if floor >= 0x1p63 { return -1 }
    if floor < -0x1p63 { return 1 }
    let whole = Int64(floor)
    return left < whole ? -1 : left > whole ? 1 : right > floor ? -1 : 0
  }

  private static func order(_ left: Decimal, decimal right: Double) -> Int? {
    if right.isNaN { return nil }
    if right.isInfinite { return right > 0 ? -1 : 1 }
    return Decimal(string: "\(right)").flatMap { order(left, $0) }
  }

  private static func order(_ left: String?, _ right: String?) -> Int? {
    guard let left, let right else { return nil }
    if left.utf8.elementsEqual(right.utf8) { return 0 }
    return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
  }

  private static func text(_ value: Value) -> String? {
    switch value {
    case .string(let text): text
    case .url(let url): url.absoluteString
    default: nil
    }
  }

  private func arithmetic(
    _ operation: QueryExpression.Arithmetic,
    _ left: Value,
    _ right: Value
  ) -> Value {
    switch (left, right) {
    case (.int64(let left), .int64(let right)):
      let (result, isOverflow) =
        switch operation {
        case .add: left.addingReportingOverflow(right)
        case .subtract: left.subtractingReportingOverflow(right)
        case .multiply: left.multipliedReportingOverflow(by: right)
        case .divide: left.dividedReportingOverflow(by: right)
        default: (0, true)
        }
      return isOverflow ? .null : .int64(result)
    case (.int64(let number), .double): return arithmetic(operation, .double(Double(number)), right)
    case (.double, .int64(let number)): return arithmetic(operation, left, .double(Double(number)))
    case (.double(let left), .double(let right)):
      switch operation {
      case .add: return .double(left + right)
      case .subtract: return .double(left - right)
      case .multiply: return .double(left * right)
      case .divide: return right == 0 ? .null : .double(left / right)
      default: return .null
      }
    case (.decimal, .int64(let number)):
      return arithmetic(operation, left, .decimal(Decimal(number)))
    case (.int64(let number), .decimal):
      return arithmetic(operation, .decimal(Decimal(number)), right)
    case (.decimal(let left), .decimal(let right)):
      switch operation {
      case .add: return .decimal(left + right)
      case .subtract: return .decimal(left - right)
      case .multiply: return .decimal(left * right)
      case .divide: return right == 0 ? .null : .decimal(left / right)
      default: return .null
      }
    default: return .null
    }
  }

  private func test(
    _ test: QueryExpression.TextTest,
    _ text: Value,
    _ pattern: Value,
    _ options: QueryExpression.TextOptions
  ) -> Bool {
    guard let text = Self.text(fold(text, options)), let pattern = Self.text(fold(pattern, options))
    else { return false }
    let (bytes, part) = (Array(text.utf8), Array(pattern.utf8))
    switch test {
    case .begins: return bytes.starts(with: part)
    case .ends: return bytes.reversed().starts(with: part.reversed())
    case .contains:
      return part.count <= bytes.count
        && (0...bytes.count - part.count).contains { bytes[$0...].starts(with: part) }
    case .like:
      return Self.like(Array(text.unicodeScalars)[...], Array(pattern.unicodeScalars)[...])
    case .matches: return text.wholeMatch(of: (try? Regex(pattern)) ?? Regex(/a/)) != nil
    }
  }

  private static func like(
    _ text: ArraySlice<Unicode.Scalar>,
    _ pattern: ArraySlice<Unicode.Scalar>
  ) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    switch first {
    case "*":
      return (text.startIndex...text.endIndex).contains { like(text[$0...], pattern.dropFirst()) }
    case "?":
      guard !text.isEmpty else { return false }
      let rest = text.dropFirst().drop { $0.properties.generalCategory == .nonspacingMark }
      return like(rest, pattern.dropFirst())
    case "\\" where pattern.count > 1:
      let plain = pattern.dropFirst()
      return text.first == plain.first && like(text.dropFirst(), plain.dropFirst())
    default: return text.first == first && like(text.dropFirst(), pattern.dropFirst())
    }
  }

  private func fold(_ value: Value, _ options: QueryExpression.TextOptions) -> Value {
    guard !options.isEmpty, let text = Self.text(value) else { return value }
    var scalars = Array(text.decomposedStringWithCanonicalMapping.unicodeScalars)
    if options.contains(.diacriticInsensitive) {
      scalars.removeAll { $0.properties.generalCategory == .nonspacingMark }
    }
    if options.contains(.caseInsensitive) {
      scalars = scalars.flatMap { scalar in
        scalar == "ı" ? [scalar] : Array("\(scalar)".uppercased().lowercased().unicodeScalars)
      }
    }
    var folded = String.UnicodeScalarView()
    folded.append(contentsOf: scalars)
    return .string(String(folded).precomposedStringWithCanonicalMapping)
  }
}
