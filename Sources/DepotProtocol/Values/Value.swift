public import FoundationEssentials

/// A value of an attribute.
public enum Value: Hashable, Sendable {
  case null
  case bool(Bool)
  case int64(Int64)
  case double(Double)
  case string(String)
  case date(Date)
  case uuid(UUID)
  case data(Data)
  case decimal(Decimal)
  case url(URL)
  /// A JSON value as its compact text.
  case json(String)
  /// The elements of a collection.
  case list([Value])
}

extension Value {
  /// The type of attribute that stores the value, or `nil` for ``null`` and for lists.
  public var type: AttributeType? {
    switch self {
    case .null: nil
    case .bool: .bool
    case .int64: .int64
    case .double: .double
    case .string: .string
    case .date: .date
    case .uuid: .uuid
    case .data: .data
    case .decimal: .decimal
    case .url: .url
    case .json: .json
    case .list: nil
    }
  }

  /// Whether there is no value.
  public var isNull: Bool { self == .null }

  /// Whether both values have the same bits, so that NaN is the same as NaN and -0 isn't 0.
  public func isIdentical(to other: Value) -> Bool {
    switch (self, other) {
    case (.double(let left), .double(let right)):
      left.bitPattern == right.bitPattern || left.isNaN && right.isNaN
    case (.date(let left), .date(let right)):
      left.timeIntervalSinceReferenceDate.bitPattern
        == right.timeIntervalSinceReferenceDate.bitPattern
        || left.timeIntervalSinceReferenceDate.isNaN && right.timeIntervalSinceReferenceDate.isNaN
    case (.string(let left), .string(let right)):
      left.utf8.elementsEqual(right.utf8)
    case (.list(let left), .list(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.isIdentical(to: $1) }
    default:
      self == other
    }
  }
}
