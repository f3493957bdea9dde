/// A value that every row of an entity has.
@Memberwise
public struct Attribute: Hashable, Sendable {
  public var name: String
  /// The type of the value; of a collection's elements.
  public var type: AttributeType
  /// How wide a number is, if it is narrower than its type.
  public var width: NumberWidth?
  /// Whether the value is a collection of values of ``type``.
  public var collection: CollectionKind?
  /// The attributes that a value of type `composite` consists of.
  public var properties: [Attribute] = []
  /// Whether the value may be null.
  public var isOptional: Bool = false
  /// The value that is stored by an insert that doesn't name the attribute.
  public var defaultValue: Value?
  /// Whether no two rows may have the same value.
  ///
  /// Null isn't the same as null here.
  public var isUnique: Bool = false
  /// Whether there is an index of this attribute alone; a unique attribute has one anyway.
  public var isIndexed: Bool = false
  public var options: Options = []
  public var validation: Validation = Validation()
  /// The expression in the predicate language whose value the store keeps here.
  public var derivation: String?
  /// The name of the attribute in the version before.
  public var originalName: String?
  /// A text that makes the attribute differ from one with the same properties.
  public var hashModifier: String?
}

extension Attribute {
  /// The kinds of collections.
  public enum CollectionKind: String, Hashable, Sendable, CaseIterable {
    /// Values in an order, which may repeat.
    case array
    /// Different values without an order; they are kept sorted.
    case set
  }

  /// Special treatment of an attribute.
  @Memberwise
  public struct Options: OptionSet, Hashable, Sendable {
    public let rawValue: Int

    /// Large values live outside the row and are read and written in parts; text and data only.
    public static let externalStorage = Options(rawValue: 1)
    /// Values are checked but not stored; a fetch finds the default.
    public static let ephemeral = Options(rawValue: 2)
    /// The history of a deletion keeps the value.
    public static let preserveValueOnDeletion = Options(rawValue: 4)
    /// The text can be searched for words.
    public static let spotlight = Options(rawValue: 8)
    /// The attribute is the programs' own; the store neither takes nor gives values.
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
    /// The only values that there may be, as the raw values or case names of an enumeration.
    public var cases: [Value] = []

    /// Whether every value will do.
    public var isEmpty: Bool { self == Validation() }
  }
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
