internal import DepotProtocol

/// A part of a predicate that has a value.
@Memberwise("fragment")
struct Operand {
  /// The type of the value; `nil` if it is always null.
  var type: AttributeType?
  var fragment: Fragment
  /// The value if it is the same for all rows.
  var constant: Value?
  var isNullable: Bool
  /// The entity whose table has the row, if this is the identifier of one that a path leads to.
  var root: String?
  /// The scope and name of the row whose column it is, if it is one.
  var row: (scope: Int, alias: String)?
  /// A fragment that is null if and only if the value is, if that is easier to find out.
  var presence: Fragment?
  /// The expression it was made from, for messages.
  var source: QueryExpression

  init(constant: Value, source: QueryExpression) {
    type = constant.type
    fragment = .bound(StoredValue.encode(constant))
    self.constant = constant
    isNullable = constant.isNull
    self.source = source
  }

  var isNull: Bool { type == nil }
  var isConstant: Bool { constant != nil }
  var isText: Bool { type == .string || type == .url }
  var isNumber: Bool {
    root == nil && (type == .int64 || type == .double || type == .decimal)
  }
  /// Whether it is a constant that equals nothing.
  var isAlwaysNaN: Bool { constant?.isNaN ?? false }
  /// Whether the value of some row may be NaN.
  var canBeNaN: Bool { constant == nil && (type == .double || type == .date) }
}
