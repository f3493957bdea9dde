/// A small JSON document as a value: error details, statistics, and the like; never rows.
public indirect enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case int64(Int64)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])
}

extension JSONValue {
  /// The member named `name` of an object, or `nil`.
  public subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The elements of an array, or `nil`.
  public var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members of an object, or `nil`.
  public var object: [String: JSONValue]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// The characters of a string, or `nil`.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The number as a whole number, or `nil`.
  public var int64: Int64? {
    switch self {
    case .int64(let value): value
    case .double(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// The number, or `nil`.
  public var double: Double? {
    switch self {
    case .int64(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// The truth value, or `nil`.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }
}
