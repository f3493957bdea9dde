internal import DepotProtocol
internal import Foundation

extension Schema {
  /// A structure whose fields are stored in columns of their own.
  // because it is changed only while a schema is built
  public final class CompositeAttribute: Attribute, @unchecked Sendable {
    /// The fields.
    public var properties: [Attribute]

    init(_ properties: [Attribute]) {
      self.properties = properties
      super.init()
    }

    /// Creates an attribute that is described without a class; the type determines its fields.
    public override init(
      name: String,
      originalName: String? = nil,
      options: [Option] = [],
      valueType: any Any.Type,
      defaultValue: Any? = nil,
      hashModifier: String? = nil
    ) {
      func parts<Value>(_: Value.Type) -> [Attribute] {
        AttributeCodec.of(Value.self, nil).attribute.parts
      }
      properties = parts(valueType)
      super.init(
        name: name,
        originalName: originalName,
        options: options,
        valueType: valueType,
        defaultValue: defaultValue,
        hashModifier: hashModifier
      )
    }

    public override var debugDescription: String { "\(super.debugDescription) \(properties)" }

    private enum CodingKeys: String, CodingKey {
      case properties, composites
    }

    public required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      properties =
        try container.decode([Attribute].self, forKey: .properties)
        + container.decode([CompositeAttribute].self, forKey: .composites)
      try super.init(from: decoder)
    }

    public override func encode(to encoder: any Encoder) throws {
      try super.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      let composites = properties.compactMap { $0 as? CompositeAttribute }
      try container.encode(
        properties.filter { !($0 is CompositeAttribute) },
        forKey: .properties
      )
      try container.encode(composites, forKey: .composites)
    }
  }
}

extension Schema.Attribute {
  /// Creates the description of a part of a composite.
  static func part(_ attribute: DepotProtocol.Attribute) -> Schema.Attribute {
    let result =
      attribute.properties.isEmpty
      ? Schema.Attribute() : Schema.CompositeAttribute(attribute.parts)
    result.name = attribute.name
    result.originalName = attribute.originalName ?? attribute.name
    result.isOptional = attribute.isOptional
    result.valueType = attribute.swiftType
    return result
  }
}

extension DepotProtocol.Attribute {
  /// The descriptions of the parts that are stored.
  var parts: [Schema.Attribute] {
    properties.filter { !$0.options.contains(.transient) }.map(Schema.Attribute.part)
  }

  /// A Swift type that has such values.
  fileprivate var swiftType: Any.Type {
    switch type {
    case .string: String.self
    case .int64: Int64.self
    case .double: Double.self
    case .bool: Bool.self
    case .date: Date.self
    case .uuid: UUID.self
    case .data: Data.self
    case .decimal: Decimal.self
    case .url: URL.self
    case .json, .composite: Any.self
    }
  }
}
