internal import DepotProtocol

/// A part of a query with a single value.
@Memberwise("fragment")
struct Operand {
  /// The type of the value; `nil` if it is always null.
  var type: AttributeType?
  var fragment: Fragment
  /// The value, if it is a constant.
  var constant: Value?
  var isNullable: Bool
  /// The root entity of the row, if this is the identifier of the row at the end of a path.
  var root: String?
  /// The scope and alias of the row, if this is one of its columns.
  var row: (scope: Int, alias: String)?
  /// A simpler fragment that is null if and only if the value is null, if there is one.
  var presence: Fragment?
  /// The fragment for reading the value, if it differs from the one for comparing it.
  var selection: Fragment?
  /// Its other forms, if the value may be large.
  var large: LargeValue?
  /// The expression it was translated from, for messages.
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
  /// Whether it is the constant NaN, which equals nothing.
  var isAlwaysNaN: Bool { constant?.isNaN ?? false }
  /// Whether the value may be NaN for some row.
  var canBeNaN: Bool { constant == nil && (type == .double || type == .date) }
}
