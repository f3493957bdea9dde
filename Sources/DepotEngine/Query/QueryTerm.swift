internal import DepotProtocol

/// The meaning of a part of a query.
enum QueryTerm {
  case operand(Operand)
  case object(QueryObject)
  case collection(QueryCollection)
  /// A composite value, by the condition that it is there.
  case composite(Condition)
}

/// A row that a part of a query stands for, or nothing.
struct QueryObject {
  /// The entity that the row is known to be of.
  var layout: EntityLayout
  /// The identifier; NULL for nothing.
  var identifier: Fragment
  var isNullable: Bool
  /// The number of the scope where the row is, or can be joined.
  var scope: Int
  /// The name of the row in its scope, or how it gets one.
  var place: Place
  /// The conditions for the row to be there, if a cast has left something out.
  var guards: [Fragment] = []
  /// The expression it was made from, for messages.
  var source: QueryExpression

  enum Place {
    case alias(String)
    /// The row whose column has the value.
    case join(column: String, value: Fragment, isInner: Bool, parent: String? = nil)
  }

  /// Returns the value of the row's column, or NULL if a cast has left the row out.
  func guarded(_ value: Fragment) -> Fragment {
    guards.isEmpty
      ? value : "iif(" + .joined(guards[...], by: "AND") + ", " + value + ", NULL)"
  }

  /// The identifier as a value.
  var operand: Operand {
    var operand = Operand(type: .int64, identifier, isNullable: isNullable, source: source)
    operand.root = layout.root
    if case .join(_, _, _, let parent?) = place { operand.row = (scope, parent) }
    return operand
  }
}

extension QueryObject {
  /// An object that isn't known by its place but by an identifier.
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
      place: .join(column: "id", value: identifier, isInner: !isNullable),
      source: source
    )
  }
}

/// A collection that isn't opened yet: nothing is selected from it.
indirect enum QueryCollection {
  /// The rows of an object's to-many relationship, and a path from there.
  case relationship(QueryObject, RelationshipLayout, rest: ArraySlice<String>)
  /// The value of a collection attribute.
  case list(Operand, AttributeType, Attribute.CollectionKind)
  case constants([Value])
  /// A collection that is made from another.
  case expression(QueryExpression)
}

/// A collection from which a sub-select is being made; its scope is the innermost one.
struct OpenCollection {
  /// One element: an operand or object.
  var element: QueryTerm
  /// The order of the elements; `nil` if they have none.
  var order: [Fragment]?
  /// The link of the elements to the object that has them, not yet among the scope's conditions.
  var link: Link?

  struct Link {
    var owner: Fragment
    var near: Fragment
  }

  /// The entity of an element that is an object.
  var layout: EntityLayout? { if case .object(let object) = element { object.layout } else { nil } }

  /// The element as one value; an object's is its identifier.
  var operand: Operand? {
    switch element {
    case .operand(let operand): operand
    case .object(let object): object.operand
    default: nil
    }
  }
}
