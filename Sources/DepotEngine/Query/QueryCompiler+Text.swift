internal import DepotProtocol
internal import DepotSQLite

extension QueryCompiler {
  mutating func text(
    _ test: QueryExpression.TextTest,
    _ text: QueryExpression,
    _ pattern: QueryExpression,
    _ options: QueryExpression.TextOptions
  ) throws(DepotError) -> Condition {
    let options = options.effective
    if test == .contains, case .collection = try term(text) {
      return try contains(text, pattern, options: options)
    }
    let subject = try textOperand(text)
    let needle = try textOperand(pattern)
    try check(test, needle, options)
    if subject.isNull || needle.isNull { return .always(false) }
    let isNullable = subject.isNullable || needle.isNullable
    if test == .begins, options.isEmpty, case .string(let prefix) = needle.constant {
      return Condition(
        Self.range(of: subject.fragment, beginningWith: prefix),
        isNullable: isNullable
      )
    }
    // The functions fold the first argument themselves, but need a folded second one; a constant is
    // folded here only once.
    let folded =
      test == .matches ? needle.fragment : try self.folded(needle, options).fragment
    let call = "depot_\(test.rawValue)(" + subject.fragment + ", " + folded
    return Condition(call + ", \(options.rawValue))", isNullable: isNullable)
  }

  private mutating func textOperand(_ part: QueryExpression) throws(DepotError) -> Operand {
    let operand = try operand(part)
    return try asText(operand)
  }

  private func asText(_ operand: Operand) throws(DepotError) -> Operand {
    if operand.type == .json { return scalar(operand, as: .string) }
    guard operand.isText || operand.isNull else {
      throw invalid("\(operand.source.spelling) is of type \(operand.typeName), not text.")
    }
    guard let value = operand.constant?.converted(to: .string) else { return operand }
    return Operand(constant: value, source: operand.source)
  }

  /// Returns text after folding for the options.
  func folded(
    _ operand: Operand,
    _ options: QueryExpression.TextOptions
  ) throws(DepotError) -> Operand {
    var operand = try asText(operand)
    guard !options.isEmpty, !operand.isNull else { return operand }
    if case .string(let text) = operand.constant {
      let folded = TextFolding.fold(text, options)
      return Operand(constant: .string(folded), source: operand.source)
    }
    operand.fragment = "depot_fold(" + operand.fragment + ", \(options.rawValue))"
    return operand
  }

  /// Returns the key that sorts folded text as in a dictionary, rather than by code point.
  func localized(_ operand: Operand) -> Operand {
    guard !operand.isNull else { return operand }
    var operand = operand
    operand.constant = nil
    operand.fragment = "depot_localized(" + operand.fragment + ")"
    return operand
  }

  private mutating func check(
    _ test: QueryExpression.TextTest,
    _ needle: Operand,
    _ options: QueryExpression.TextOptions
  ) throws(DepotError) {
    guard test == .like || test == .matches else { return }
    if test == .matches { isSlow = true }
    guard case .string(let pattern) = needle.constant else { return }
    guard pattern.utf8.count <= TextPattern.byteLimit else {
      throw invalid("A pattern can't be longer than \(TextPattern.byteLimit) bytes.")
    }
    if test == .matches {
      do throws(PatternFailure) {
        _ = try TextPattern(pattern, options)
      } catch {
        throw invalid(error.message).hint(error.hint)
          .details(["patternOffset": .int64(Int64(error.offset))])
      }
    }
  }

  /// A condition that can use an index on `column`, since text sorts by code point.
  private static func range(of column: Fragment, beginningWith prefix: String) -> Fragment {
    guard !prefix.isEmpty else { return column + " IS NOT NULL" }
    let low = column + " >= " + .bound(.text(prefix))
    guard let next = successor(of: prefix) else { return low }
    return (low + " AND " + column + " < " + .bound(.text(next))).parenthesized
  }

  /// Returns the least text greater than all with a `prefix`, or `nil` if there is none.
  static func successor(of prefix: String) -> String? {
    var scalars = Array(prefix.unicodeScalars)
    while let last = scalars.popLast() {
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      if let scalar = Unicode.Scalar(next) {
        var result = String.UnicodeScalarView()
        result.append(contentsOf: scalars)
        result.append(scalar)
        return String(result)
      }
    }
    return nil
  }
}
