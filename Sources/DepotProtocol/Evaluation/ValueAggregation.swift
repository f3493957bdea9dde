internal import FoundationEssentials

/// An aggregate of many values, added one by one; null values don't count.
package struct ValueAggregation {
  private let aggregate: QueryExpression.Aggregate
  private let type: AttributeType
  private var count = 0
  private var sum = ExactSum()
  private var whole = Int128(0)
  private var decimal: Decimal? = Decimal(0)
  /// The values, for aggregates that need all of them.
  private var values: [Value] = []

  /// - Parameters:
  ///   - aggregate: The sum, average, median, mode, or standard deviation.
  ///   - type: The type of the values.
  package init(_ aggregate: QueryExpression.Aggregate, of type: AttributeType) {
    self.aggregate = aggregate
    self.type = type
  }

  package mutating func add(_ value: Value) {
    guard !value.isNull else { return }
    count += 1
    switch aggregate {
    case .sum, .average: addUp(value)
    default: values.append(value)
    }
  }

  private mutating func addUp(_ value: Value) {
    switch value {
    case .int64(let number) where type == .double: sum.add(Double(number))
    case .int64(let number): whole += Int128(number)
    case .double(let number): sum.add(number)
    case .decimal(let number):
      decimal = decimal.map { $0 + number }.flatMap { $0.isNaN ? nil : $0 }
    default: break
    }
  }

  /// The result; null if there is none.
  package var result: Value {
    switch aggregate {
    case .sum: return total
    case .average: return count == 0 ? .null : average
    case .median: return median
    case .mode: return mode
    case .stddev: return deviation
    default: return .null
    }
  }

  private var total: Value {
    switch type {
    case .int64: Int64(exactly: whole).map(Value.int64) ?? .null
    case .decimal: decimal.map(Value.decimal) ?? .null
    default: sum.value.map(Value.double) ?? .null
    }
  }

  private var average: Value {
    switch type {
    case .int64: return .double(Double(whole) / Double(count))
    case .decimal:
      guard let decimal, let sum = ValueArithmetic.double(.decimal(decimal)) else { return .null }
      return .double(sum / Double(count))
    default: return .double(sum.mean(of: count))
    }
  }

  private var median: Value {
    if type == .decimal { return decimalMedian }
    let numbers = values.compactMap(ValueArithmetic.double)
    guard !numbers.isEmpty, !numbers.contains(where: \.isNaN) else {
      return numbers.isEmpty ? .null : .double(.nan)
    }
    let sorted = numbers.sorted()
    let middle = sorted.count / 2
    guard sorted.count.isMultiple(of: 2) else { return .double(sorted[middle]) }
    let (low, high) = (sorted[middle - 1], sorted[middle])
    return .double(low == high ? low : low / 2 + high / 2)
  }

  /// The median of decimals, which is exact before it becomes a double.
  private var decimalMedian: Value {
    let sorted = values.compactMap(ValueArithmetic.decimal).sorted()
    guard !sorted.isEmpty else { return .null }
    let middle = sorted.count / 2
    let (low, high) = (sorted[sorted.count.isMultiple(of: 2) ? middle - 1 : middle], sorted[middle])
    let mean =
      low == high
      ? low : DecimalParts.product(low + high, Decimal(sign: .plus, exponent: -1, significand: 5))
    return mean.flatMap { ValueArithmetic.double(.decimal($0)) }.map(Value.double) ?? .null
  }

  private var mode: Value {
    let sorted = values.sorted { $0.sortOrder($1) < 0 }
    var best: (value: Value, count: Int)?
    var run = 0
    for (index, value) in sorted.enumerated() {
      run = index > 0 && sorted[index - 1].sortOrder(value) == 0 ? run + 1 : 1
      if run > best?.count ?? 0 { best = (sorted[index - run + 1], run) }
    }
    return best?.value ?? .null
  }

  private var deviation: Value {
    let numbers = values.compactMap(ValueArithmetic.double)
    guard let greatest = numbers.map(\.magnitude).max() else { return .null }
    // Scaling by a power of 2 keeps all digits, and keeps squares within range.
    let power = greatest.isFinite && greatest > 0 ? Int(greatest.exponent) + 1 : 0
    func scaled(_ number: Double, _ power: Int) -> Double {
      Double(sign: .plus, exponent: power, significand: number)
    }
    var sum = ExactSum()
    for number in numbers { sum.add(scaled(number, -power)) }
    let mean = sum.mean(of: numbers.count)
    var squares = ExactSum()
    for number in numbers {
      let difference = scaled(number, -power) - mean
      squares.add(difference * difference)
    }
    return .double(scaled(squares.mean(of: numbers.count).squareRoot(), power))
  }
}

extension Value {
  /// Returns the total order that rows are sorted in: null is first and NaN last.
  ///
  /// Lists and JSON are in the order of their texts.
  package func sortOrder(_ other: Value) -> Int {
    if let order = order(other) { return order }
    if isNull || other.isNull { return isNull ? (other.isNull ? 0 : -1) : 1 }
    if isNaN || other.isNaN { return isNaN ? (other.isNaN ? 0 : 1) : -1 }
    return Self.order(bytes: jsonText.utf8, other.jsonText.utf8)
  }
}

extension [Value] {
  /// The distinct values in order.
  package var different: [Value] {
    var different: [Value] = []
    for value in sorted(by: { $0.sortOrder($1) < 0 }) where different.last?.sortOrder(value) != 0 {
      different.append(value)
    }
    return different
  }
}
