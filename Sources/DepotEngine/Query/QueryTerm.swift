internal import DepotProtocol

/// The translation of a part of a query.
enum QueryTerm {
  case operand(Operand)
  case object(QueryObject)
  case collection(QueryCollection)
  /// A composite value, by the condition that it is present.
  case composite(Condition)
}

/// A row in a query, or nothing.
struct QueryObject {
  /// The known entity of the row.
  var layout: EntityLayout
  /// The identifier; NULL for nothing.
  var identifier: Fragment
  var isNullable: Bool
  /// An expression that is NULL also if the identifier's row doesn't exist any more.
  var presence: Fragment?
  /// The index of the scope where the row is, or can be joined.
  var scope: Int
  /// The row's alias in its scope, or how to join it.
  var rowSource: RowSource
  /// The conditions for the row to exist, after casts that exclude some rows.
  var guards: [Fragment] = []
  /// The expression it was translated from, for messages.
  var source: QueryExpression

  enum RowSource {
    case alias(String)
    /// The row whose column has the value.
    case join(column: String, value: Fragment, isInner: Bool, parent: String? = nil)
  }

  /// Returns the value of a column, or NULL if a cast has excluded the row.
  func guarded(_ value: Fragment) -> Fragment {
    guards.isEmpty
      ? value : "iif(" + .joined(guards[...], by: "AND") + ", " + value + ", NULL)"
  }

  /// The identifier as an operand.
  var operand: Operand {
    var operand = Operand(type: .int64, identifier, isNullable: isNullable, source: source)
    operand.root = layout.root
    operand.presence = presence
    if case .join(_, _, _, let parent?) = rowSource { operand.row = (scope, parent) }
    return operand
  }
}

extension QueryObject {
  /// Makes an object that is known only by its identifier.
  init(
    _ layout: EntityLayout,
    identifiedBy identifier: Fragment,
    isNullable: Bool,
    scope: Int,
    source: QueryExpression
  ) {
    self.init(
      layout: layout,
      identifier: identifier,
      isNullable: isNullable,
      scope: scope,
      rowSource: .join(column: "id", value: identifier, isInner: !isNullable),
      source: source
    )
  }
}

/// A collection before it is opened as a subquery.
indirect enum QueryCollection {
  /// The rows of an object's to-many relationship, and the rest of a path from there.
  case relationship(QueryObject, RelationshipLayout, rest: ArraySlice<String>)
  /// The value of a collection attribute.
  case list(Operand, AttributeType, Attribute.CollectionKind)
  case constants([Value])
  /// A collection derived from another one.
  case expression(QueryExpression)
}

/// A collection that is open as a subquery, whose scope is the innermost one.
struct OpenCollection {
  /// The element: an operand or an object.
  var element: QueryTerm
  /// The order of the elements; `nil` if they have no order.
  var order: [Fragment]?
  /// The join of the elements with their owner, which isn't yet a condition of the scope.
  var link: OwnerJoin?

  struct OwnerJoin {
    var owner: Fragment
    var near: Fragment
  }

  /// The entity of an element, if it is an object.
  var layout: EntityLayout? { if case .object(let object) = element { object.layout } else { nil } }

  /// The element as a single value; an object's is its identifier.
  var operand: Operand? {
    switch element {
    case .operand(let operand): operand
    case .object(let object): object.operand
    default: nil
    }
  }
}
