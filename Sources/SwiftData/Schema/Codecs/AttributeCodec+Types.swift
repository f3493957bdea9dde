internal import DepotProtocol
internal import Foundation
internal import Synchronization

extension AttributeCodec {
  /// Returns the codec of a type.
  static func of<Content>(_ type: Content.Type, _ attribute: Schema.Attribute?) -> AttributeCodec {
    if let transformer = attribute?.transformer { return TransformableCodec(type, transformer) }
    if attribute?.isCodable == true, let codec = json(type) { return codec }
    if let scalar = scalar(type) { return scalar }
    if let type = type as? any OptionalType.Type { return type.codec(nil) }
    if let type = type as? any RawRepresentable.Type, let codec = raw(type) { return codec }
    if let type = type as? any StorableCollection.Type, let codec = collection(type) {
      return codec
    }
    if let type = type as? any Codable.Type {
      return named(type) ?? composite(type) ?? whole(type)
    }
    return UnstorableCodec("\(type) isn't Codable.")
  }

  /// Returns the codec of a type that one column holds as it is; `nil` for others.
  private static func scalar<Content>(_ type: Content.Type) -> AttributeCodec? {
    switch type {
    case is Duration.Type:
      return ConvertedCodec(
        ScalarCodec(Decimal.self),
        placeholder: Duration.zero,
        \.decimalSeconds,
        { Duration(decimal: $0) }
      )
    case is URL.Type:
      return ConvertedCodec(
        ScalarCodec(URL.self),
        placeholder: Placeholder.of(URL.self),
        { try $0.withoutBase },
        { $0 }
      )
    case is CGFloat.Type:
      return ConvertedCodec(
        ScalarCodec(Double.self),
        placeholder: CGFloat(0),
        { Double($0) },
        { CGFloat($0) }
      )
    default: break
    }
    guard let type = type as? any AttributeValue.Type else { return nil }
    return plain(type)
  }

  private static func plain<Content: AttributeValue>(_ type: Content.Type) -> AttributeCodec? {
    var attribute = Attribute(name: "", type: Content.attributeType)
    Content.describe(&attribute)
    // The service doesn't read optional elements of a collection, or collections of collections.
    let plain = (type as? any OptionalType.Type)?.wrappedType ?? type
    if let elements = plain as? any StorableCollection.Type, elements.hasOptionalElements {
      return nil
    }
    // A URL is checked before it is stored.
    return attribute.type == .json || attribute.type == .url ? nil : ScalarCodec(type)
  }

  /// Returns the codec of a type that is stored by its raw value; `nil` if raw values can't be stored in
  /// one column.
  private static func raw<Content: RawRepresentable>(_ type: Content.Type) -> AttributeCodec? {
    let codec = of(Content.RawValue.self, nil)
    guard codec.problem == nil, codec.attribute.type.isScalar else { return nil }
    let placeholder =
      TypeKind.cases(of: type)?.first
      ?? (codec.placeholder as? Content.RawValue).flatMap { Content(rawValue: $0) }
    return ConvertedCodec(
      codec,
      placeholder: placeholder,
      { $0.rawValue },
      { Content(rawValue: $0) }
    )
  }

  private static func collection<Content: StorableCollection>(
    _ type: Content.Type
  ) -> AttributeCodec? { CollectionCodec(type) }

  /// The codecs of structures by their types; `nil` for structures without columns of their own.
  private static let composites = Mutex<[ObjectIdentifier: KnownCodec]>([:])
  /// The structures whose codecs are being made; a structure may contain itself.
  @TaskLocal private static var unfinished: Set<ObjectIdentifier> = []

  private static func composite<Content: Codable>(_ type: Content.Type) -> AttributeCodec? {
    let key = ObjectIdentifier(type)
    if let known = composites.withLock({ $0[key] }) { return known.codec }
    if unfinished.contains(key) { return nil }
    // because trying a structure takes long, and others wait for no lock then
    let codec = $unfinished.withValue(unfinished.union([key])) { CompositeCodec(type) }
    let known = KnownCodec(codec: codec)
    composites.withLock { $0[key] = known }
    return codec
  }

  /// The codec of a structure, if it has one.
  // because codecs are immutable
  private struct KnownCodec: @unchecked Sendable {
    let codec: AttributeCodec?
  }

  /// Returns the codec that stores a type as a whole; `nil` if it isn't `Codable`.
  private static func json<Content>(_ type: Content.Type) -> AttributeCodec? {
    if let type = type as? any OptionalType.Type, type.wrappedType is any Codable.Type {
      return type.codec(Schema.Attribute(.codable))
    }
    return (type as? any Codable.Type).map { whole($0) }
  }

  private static func whole<Content: Codable>(_ type: Content.Type) -> AttributeCodec {
    JSONCodec(type)
  }
}

extension URL {
  /// The URL; throws if it is relative, since it would be read as another one.
  fileprivate var withoutBase: URL {
    get throws {
      guard let baseURL else { return self }
      throw SwiftDataError(
        .modelValidationFailure,
        "The URL \(relativeString) is relative to \(baseURL), which wouldn't be stored.",
        hint: "Store its absoluteURL: a relative URL would be read back as another value."
      )
    }
  }
}

extension StorableCollection {
  fileprivate static var hasOptionalElements: Bool { Element.self is any OptionalType.Type }
}

extension Duration {
  /// The duration in seconds, exactly.
  fileprivate var decimalSeconds: Decimal {
    let (seconds, attoseconds) = components
    return Decimal(seconds) + Decimal(sign: .plus, exponent: -18, significand: Decimal(attoseconds))
  }

  fileprivate init?(decimal: Decimal) {
    var whole = Decimal()
    var value = decimal
    NSDecimalRound(&whole, &value, 0, decimal < 0 ? .up : .down)
    let rest = (decimal - whole) * Decimal(sign: .plus, exponent: 18, significand: 1)
    guard let seconds = Int64("\(whole)"), let attoseconds = Int64("\(rest)") else { return nil }
    self.init(secondsComponent: seconds, attosecondsComponent: attoseconds)
  }
}
