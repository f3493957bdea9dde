/// An optional of any type.
protocol OptionalType {
  static var wrappedType: Any.Type { get }
  static var none: Self { get }
  /// Returns the codec of the optional.
  static func codec(_ attribute: Schema.Attribute?) -> AttributeCodec
  /// The key path that a `!` adds to others.
  static var forced: AnyKeyPath { get }
  var wrapped: Any? { get }
}

extension Optional: OptionalType {
  static var wrappedType: Any.Type { Wrapped.self }
  static func codec(_ attribute: Schema.Attribute?) -> AttributeCodec {
    OptionalCodec(Wrapped.self, .of(Wrapped.self, attribute))
  }
  static var forced: AnyKeyPath { \Self.self! }
  var wrapped: Any? { map { $0 } }
}
