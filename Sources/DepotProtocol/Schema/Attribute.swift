/// An attribute of an entity: a value in each of its rows.
@Memberwise
public struct Attribute: Hashable, Sendable {
  public var name: String
  /// The type of the value; for a collection, the type of its elements.
  public var type: AttributeType
  /// The width of a number, if it is narrower than its type.
  public var width: NumberWidth?
  /// Whether the value is a collection of values of ``type``.
  public var collection: CollectionKind?
  /// The attributes that a value of type `composite` consists of.
  public var properties: [Attribute] = []
  /// Whether the value may be null.
  public var isOptional: Bool = false
  /// The value for inserts that leave the attribute out.
  public var defaultValue: Value?
  /// Whether values must differ between rows.
  ///
  /// Null values may repeat.
  public var isUnique: Bool = false
  /// Whether there is an index of this attribute alone; a unique attribute has one anyway.
  public var isIndexed: Bool = false
  public var options: Options = []
  public var validation: Validation = Validation()
  /// The expression, in the predicate language, that the store computes the value from.
  public var derivation: String?
  /// The name of the attribute in the previous version.
  public var originalName: String?
  /// A text that distinguishes the attribute from one with equal properties.
  public var hashModifier: String?
}

extension Attribute {
  /// The kinds of collections.
  public enum CollectionKind: String, Hashable, Sendable, CaseIterable {
    /// Ordered values that may repeat.
    case array
    /// Distinct values without an order; they are stored sorted.
    case set
  }

  /// Special treatment of an attribute.
  @Memberwise
  public struct Options: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    /// Large values live outside the row and are read and written in parts; text and data only.
    public static let externalStorage = Options(rawValue: 1)
    /// Values are checked but not stored; a fetch returns the default.
    public static let ephemeral = Options(rawValue: 2)
    /// The history keeps the value when a row is deleted.
    public static let preserveValueOnDeletion = Options(rawValue: 4)
    /// Full-text search covers the text.
    public static let spotlight = Options(rawValue: 8)
    /// The attribute exists in programs only; the store neither accepts nor returns values.
    public static let transient = Options(rawValue: 16)
  }

  /// The rules that a value must satisfy to be stored.
  @Memberwise
  public struct Validation: Hashable, Sendable {
    /// The least number or date.
    public var minimum: Value?
    /// The greatest number or date.
    public var maximum: Value?
    /// The least number of characters of a text, bytes of data, or elements of a collection.
    public var minLength: Int?
    /// The greatest number of characters of a text, bytes of data, or elements of a collection.
    public var maxLength: Int?
    /// The regular expression that a whole text must match.
    public var pattern: String?
    /// The only allowed values, such as the raw values or case names of an enumeration.
    public var cases: [Value] = []

    /// Whether every value is valid.
    public var isEmpty: Bool { self == Validation() }
  }
}

extension Attribute {
  /// The type's name in the JSON form; for narrow numbers, the name of the width.
  package var typeName: String { width?.rawValue ?? type.rawValue }
}

/// The widths of numbers that are stored in a wider type.
public enum NumberWidth: String, Hashable, Sendable, CaseIterable {
  case int8
  case int16
  case int32
  case uint8
  case uint16
  case uint32
  /// A whole number from 0 to 18,446,744,073,709,551,615; a decimal.
  case uint64
  /// An IEEE 754 binary32; a double.
  case float

  /// The type of attribute that holds such numbers.
  public var type: AttributeType {
    switch self {
    case .int8, .int16, .int32, .uint8, .uint16, .uint32: .int64
    case .uint64: .decimal
    case .float: .double
    }
  }
}
