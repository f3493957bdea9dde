internal import DepotProtocol

/// The place of a row in an order, to go on after it.
struct RowPosition {
  let parts: [Part]

  struct Part {
    var term: RowOrder.Term
    /// The value that the term has in the row.
    var bound: Fragment
    var isNull: Bool

    /// The condition that a row has another value, one that comes later; `nil` if none does.
    fileprivate var later: Fragment? {
      let value = term.value
      if isNull { return term.isDescending ? nil : value + " IS NOT NULL" }
      guard term.isDescending else { return value + " > " + bound }
      let less = value + " < " + bound
      return term.isNullable ? "(" + less + " OR " + value + " IS NULL)" : less
    }

    /// The condition that a row has the same value.
    fileprivate var same: Fragment {
      isNull ? term.value + " IS NULL" : term.value + " = " + bound
    }
  }

  /// The conditions that rows after the place satisfy, one for each statement whose rows follow upon
  /// each other.
  ///
  /// Each begins with a range of the first term, so that an index on it finds the place.
  var conditions: [Fragment] {
    guard let first = parts.first else { return [.true] }
    if let comparison { return [comparison] }
    if first.isNull {
      return [first.term.isDescending ? first.same + " AND " + expanded : expanded]
    }
    let symbol = first.term.isDescending ? "<=" : ">="
    let range = first.term.value + " \(symbol) " + first.bound + " AND " + expanded.parenthesized
    guard first.term.isDescending, first.term.isNullable else { return [range] }
    // Nulls come last, and no single range of an index has them too.
    return [range, first.term.value + " IS NULL"]
  }

  /// The place as one comparison of rows, which an index on several of the terms serves.
  ///
  /// It is right if all terms have the same direction and nulls are on the near side or don't occur.
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

  /// The place term by term.
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
