extension Schema {
  /// A value that every object of an entity has.
  // because it is changed only while a schema is built
  public class Attribute: SchemaProperty, CustomDebugStringConvertible, @unchecked Sendable {
    /// The name of the property.
    public var name = ""
    /// The name in the version of the schema before.
    public var originalName: String
    /// The special treatment that it gets.
    public var options: [Option]
    /// The type of the property.
    public var valueType: any Any.Type = Any.self
    /// The value that new objects begin with.
    public var defaultValue: Any?
    /// Whether the value may be `nil`.
    public var isOptional = false
    /// The mark that distinguishes a changed meaning of the attribute from the one in another
    /// version.
    public var hashModifier: String?

    /// Creates an attribute; its name and type come from the property.
    public init(
      _ options: Option...,
      originalName: String? = nil,
      hashModifier: String? = nil
    ) {
      self.originalName = originalName ?? ""
      self.options = options
      self.hashModifier = hashModifier
    }

    /// Creates an attribute that is described without a class.
    public init(
      name: String,
      originalName: String? = nil,
      options: [Option] = [],
      valueType: any Any.Type,
      defaultValue: Any? = nil,
      hashModifier: String? = nil
    ) {
      self.name = name
      self.originalName = originalName ?? name
      self.options = options
      self.valueType = valueType
      self.defaultValue = defaultValue
      self.hashModifier = hashModifier
      isOptional = valueType is any OptionalType.Type
    }

    public var debugDescription: String {
      "\(name): \(valueType)" + (options.isEmpty ? "" : " \(options)")
    }

    public var isAttribute: Bool { true }
    public var isRelationship: Bool { false }
    public var isTransient: Bool { false }
    public var isUnique: Bool { options.contains(.unique) }
    /// The name of the transformer.
    var transformer: String? { options.lazy.compactMap(\.transformer).first }
    /// Whether a transformer makes the data that is stored.
    public var isTransformable: Bool { transformer != nil }
    /// Whether the value is stored as a whole, as JSON.
    public var isCodable: Bool { options.contains(.codable) }

    /// Special treatment of an attribute.
    public struct Option: Hashable, Sendable, Codable, CustomDebugStringConvertible {
      let name: String
      var transformer: String?

      public var debugDescription: String {
        ".\(name)" + (transformer.map { "(by: \($0))" } ?? "")
      }

      /// No two objects have the same value.
      public static let unique = Option(name: "unique")
      /// Large values are stored outside of the rows.
      public static let externalStorage = Option(name: "externalStorage")
      /// It has no effect here.
      public static let allowsCloudEncryption = Option(name: "allowsCloudEncryption")
      /// The history keeps the last value of a deleted object.
      public static let preserveValueOnDeletion = Option(name: "preserveValueOnDeletion")
      /// The value isn't stored; a fetch finds the default, or `nil`.
      public static let ephemeral = Option(name: "ephemeral")
      /// The text can be searched for words.
      public static let spotlight = Option(name: "spotlight")
      /// The value is stored as a whole, as JSON.
      public static let codable = Option(name: "codable")
      /// Values are stored as data, converted by a transformer.
      public static func transformable(by transformer: ValueTransformer.Type) -> Option {
        transformable(by: ValueTransformer.name(of: transformer))
      }
      /// Values are stored as data, converted by the transformer of a name.
      public static func transformable(by name: String) -> Option {
        Option(name: "transformable", transformer: name)
      }
    }

    private enum CodingKeys: String, CodingKey {
      case name, originalName, options, isOptional, hashModifier
    }

    public static func == (left: Attribute, right: Attribute) -> Bool {
      type(of: left) == type(of: right) && left.name == right.name
        && left.originalName == right.originalName
        && left.options == right.options && left.isOptional == right.isOptional
        && left.hashModifier == right.hashModifier
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(options)
    }
  }
}
