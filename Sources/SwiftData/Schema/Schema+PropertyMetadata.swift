internal import DepotProtocol

extension Schema {
  /// One property of a model class, as `@Model` describes it.
  @Memberwise
  public struct PropertyMetadata {
    /// The name of the property.
    public let name: String
    /// The key path of the property.
    public let keypath: AnyKeyPath
    /// The value that new objects begin with; `nil` if the initializer gives it.
    public let defaultValue: Any?
    /// The options of the property, as in `@Relationship`.
    public let metadata: (any SchemaProperty)?

    /// Does the same as the initializer, spelled as in Apple's macro expansions.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static func PropertyMetadata(
      name: String,
      keypath: AnyKeyPath,
      defaultValue: Any? = nil,
      metadata: (any SchemaProperty)? = nil
    ) -> Self {
      Self(name: name, keypath: keypath, defaultValue: defaultValue, metadata: metadata)
    }
  }
}
