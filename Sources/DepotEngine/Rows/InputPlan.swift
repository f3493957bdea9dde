internal import DepotProtocol

/// The prepared reading of a request's rows.
struct InputPlan {
  let columns: [InputColumn]
  /// The columns without object references, for the common case, so that no references are counted.
  let plain: [PlainColumn]
  /// The indexes of the columns that rows have values for.
  let places: [Int]
  /// Whether some column isn't an attribute.
  let hasLinks: Bool

  struct PlainColumn {
    var form: ValueForm
    /// The index of the stored column; -1 if there is none.
    var place: Int
    var isAttribute: Bool
    /// Whether a changed reference affects other rows, or the row's order.
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
  /// Returns the plan that writes only the columns at some positions.
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

/// The location of the current row in the request.
enum RowPointer {
  /// A row of a batch, whose values are addressed by index.
  case row(base: String, Int)
  /// The values of an update, which are addressed by name.
  case set(base: String)
  /// A row whose values are at separate locations.
  case scattered(row: String, values: [String])

  /// The pointer to the row.
  var pointer: String {
    switch self {
    case .row(let base, let row): "\(base)/\(row)"
    case .set(let base): base
    case .scattered(let row, _): row
    }
  }

  /// The pointer to one of its values.
  func pointer(_ index: Int, _ column: InputColumn) -> String {
    switch self {
    case .set(let base): "\(base)/\(column.name)"
    case .row: "\(pointer)/\(index)"
    case .scattered(let row, let values): values.indices.contains(index) ? values[index] : row
    }
  }
}

/// The reference of a row for a to-one relationship stored in it.
struct RowReference {
  /// The index among the request's columns.
  var index: Int
  var target: Int64?
}

/// The relationships of the current row, in addition to its cells.
struct RowLinks {
  /// To-one relationships stored in the row.
  var references: [RowReference] = []
  /// Relationships stored in other rows or join tables.
  var changes: [Change] = []
  /// The temporary identifier, or a permanent one as text.
  var temporary: String?
  var identifier: Int64?
  /// The version that the client has read, if it says one.
  var version: Int64?
  /// The indexes of composites' parts that the row's columns include but don't change.
  var kept: Set<Int> = []

  typealias Change = (link: RelationshipLink, edit: TargetEdit, pointer: String)

  mutating func removeAll() {
    references.removeAll(keepingCapacity: true)
    changes.removeAll(keepingCapacity: true)
    temporary = nil
    identifier = nil
    version = nil
    kept.removeAll(keepingCapacity: true)
  }
}
