internal import DepotProtocol

/// The plan for reading the rows of a request, prepared once.
struct InputPlan {
  let columns: [InputColumn]
  /// The same for the common case, without references, so that a value costs no counting of them.
  let plain: [PlainColumn]
  /// The places that rows have values for.
  let places: [Int]
  /// Whether a column isn't an attribute.
  let hasLinks: Bool

  struct PlainColumn {
    var form: ValueForm
    /// The place of the stored column; -1 if there is none.
    var place: Int
    var isAttribute: Bool
    /// Whether a reference matters to other rows, or to the row's order among others.
    var hasConsequences = false
    var isOptional: Bool
    var hasCheck: Bool
  }

  init(_ columns: [InputColumn]) {
    self.columns = columns
    plain = columns.map { column in
      guard case .attribute(let rule, let place) = column.target else {
        return PlainColumn(
          form: .scalar(.int64),
          place: column.places.first ?? -1,
          isAttribute: false,
          hasConsequences: column.hasConsequences,
          isOptional: true,
          hasCheck: false
        )
      }
      return PlainColumn(
        form: rule.form,
        place: place ?? -1,
        isAttribute: true,
        isOptional: rule.isOptional,
        hasCheck: rule.check != nil
      )
    }
    places = columns.flatMap(\.places)
    hasLinks = plain.contains { !$0.isAttribute }
  }
}

extension InputPlan {
  /// The plan for rows that write only the columns at some positions.
  func masked(to positions: [Int]) -> InputPlan {
    InputPlan(
      columns.enumerated().map { position, column in
        if case .identifier = column.target { return column }
        return positions.contains(position)
          ? column : InputColumn(name: column.name, target: .ignored)
      }
    )
  }
}

/// Where the row that is being read stands in the request.
enum RowPlace {
  /// A row of a batch, whose values are counted.
  case row(base: String, Int)
  /// The values of an update, which are named.
  case set(base: String)
  /// A row whose values stand at several places.
  case scattered(row: String, values: [String])

  /// The JSON pointer to the row.
  var pointer: String {
    switch self {
    case .row(let base, let row): "\(base)/\(row)"
    case .set(let base): base
    case .scattered(let row, _): row
    }
  }

  /// The JSON pointer to one of its values.
  func pointer(_ index: Int, _ column: InputColumn) -> String {
    switch self {
    case .set(let base): "\(base)/\(column.name)"
    case .row: "\(pointer)/\(index)"
    case .scattered(let row, let values): values.indices.contains(index) ? values[index] : row
    }
  }
}

/// The reference of a row for a to-one relationship that is stored in it.
struct RowReference {
  /// The place among the request's columns.
  var index: Int
  var target: Int64?
}

/// The relationships of a row, besides the cells.
struct RowLinks {
  /// To-one relationships that are stored in the row.
  var references: [RowReference] = []
  /// The relationships that others store.
  var changes: [Change] = []
  /// The temporary identifier, and the text of a permanent one.
  var temporary: String?
  var identifier: Int64?
  /// The places of parts of composites that the row's columns stand for, but leave as they are.
  var kept: Set<Int> = []

  typealias Change = (link: Link, edit: LinkEdit, pointer: String)

  mutating func removeAll() {
    references.removeAll(keepingCapacity: true)
    changes.removeAll(keepingCapacity: true)
    temporary = nil
    identifier = nil
    kept.removeAll(keepingCapacity: true)
  }
}
