/// The type of an attribute's values.
public enum AttributeType: String, Hashable, Sendable, CaseIterable {
  /// Any Unicode text, U+0000 included.
  case string
  /// A signed integer of 64 bits.
  case int64
  /// An IEEE 754 binary64, NaN and infinities included.
  case double
  case bool
  /// A point in time: a double of seconds since 2001-01-01T00:00:00Z.
  case date
  case uuid
  case data
  /// A decimal number of up to 38 digits.
  case decimal
  case url
  /// Any JSON value, stored as its compact text.
  case json
  /// Several attributes under one name, each with a column of its own.
  case composite

  /// The types whose values can be compared, indexed, and put into collections.
  public static let scalars: [AttributeType] = [
    .string, .int64, .double, .bool, .date, .uuid, .data, .decimal, .url,
  ]

  public var isScalar: Bool { self != .json && self != .composite }

  /// Whether values are numbers or dates.
  var isMeasure: Bool { self == .int64 || self == .double || self == .decimal || self == .date }
}
