internal import DepotProtocol

/// The position of a row in an order, for continuing after it.
struct RowPosition {
  let parts: [Part]

  struct Part {
    var term: RowOrder.Term
    /// The value of the term in the row.
    var bound: Fragment
    var isNull: Bool

    /// The condition for a row with a later value; `nil` if there can be none.
    fileprivate var later: Fragment? {
      let value = term.value
      if isNull { return term.isDescending ? nil : value + " IS NOT NULL" }
      guard term.isDescending else { return value + " > " + bound }
      let less = value + " < " + bound
      return term.isNullable ? "(" + less + " OR " + value + " IS NULL)" : less
    }

    /// The condition for a row with an equal value.
    fileprivate var same: Fragment {
      isNull ? term.value + " IS NULL" : term.value + " = " + bound
    }
  }

  /// The conditions for the rows after the position, one for each of the statements to concatenate.
  ///
  /// Each starts with a range of the first term, so that an index on it finds the position.
  var conditions: [Fragment] {
    guard let first = parts.first else { return [.true] }
    if let comparison { return [comparison] }
    if first.isNull {
      return [first.term.isDescending ? first.same + " AND " + expanded : expanded]
    }
    let symbol = first.term.isDescending ? "<=" : ">="
    let range = first.term.value + " \(symbol) " + first.bound + " AND " + expanded.parenthesized
    guard first.term.isDescending, first.term.isNullable else { return [range] }
    // Nulls come last, and aren't in the same range of an index.
    return [range, first.term.value + " IS NULL"]
  }

  /// The position as a comparison of row values, which can use an index on several terms.
  ///
  /// It is valid if all terms have the same direction, and nulls come first or don't occur.
  private var comparison: Fragment? {
    guard let first = parts.first,
      parts.allSatisfy({ part in
        !part.isNull && part.term.isDescending == first.term.isDescending
          && !(part.term.isDescending && part.term.isNullable)
      })
    else { return nil }
    let symbol = first.term.isDescending ? "<" : ">"
    let values = Self.list(parts.map(\.term.value))
    return values + " \(symbol) " + Self.list(parts.map(\.bound))
  }

  private static func list(_ fragments: [Fragment]) -> Fragment {
    fragments.count > 1 ? Fragment.list(fragments).parenthesized : .list(fragments)
  }

  /// The position as separate comparisons of the terms.
  private var expanded: Fragment {
    var result = Fragment.false
    for (index, part) in parts.enumerated().reversed() {
      let later = part.later
      guard index < parts.count - 1 else {
        result = later ?? .false
        continue
      }
      let tie = (part.same + " AND " + result.parenthesized).parenthesized
      result = later.map { $0 + " OR " + tie } ?? tie
    }
    return result.parenthesized
  }
}
