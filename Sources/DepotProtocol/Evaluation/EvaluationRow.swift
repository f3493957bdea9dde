/// An object in memory that queries can be evaluated for.
package protocol EvaluationRow {
  /// The name of its entity.
  var entityName: String { get }
  var identifier: Int64 { get }
  var version: Int64 { get }

  /// Returns the value of a field by its path, as in `home.city`; a collection is a list.
  ///
  /// The field of an optional composite attribute is a truth value: whether the composite is
  /// present.
  func value(at path: String) -> Value

  /// Returns the object that a to-one relationship refers to.
  func object(_ relationship: String) -> (any EvaluationRow)?

  /// Returns the objects that a to-many relationship refers to, in its order if it has one.
  func objects(_ relationship: String) -> [any EvaluationRow]
}

/// The value of a part of a query for one object.
enum Evaluated {
  case value(Value)
  case object((any EvaluationRow)?)
  case list([Evaluated])
  /// A composite value: whether it is present.
  case composite(Bool)

  /// The value; of an object, its identifier.
  var value: Value {
    switch self {
    case .value(let value): value
    case .object(let object): object.map { .int64($0.identifier) } ?? .null
    case .list, .composite: .null
    }
  }

  var elements: [Evaluated] {
    if case .list(let elements) = self { elements } else { [] }
  }
}
