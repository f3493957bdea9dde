/// The compiler's message where a model has a property whose values a store can't keep.
extension PersistentModel {
  /// Explains which types a store keeps.
  @available(
    *,
    unavailable,
    message: """
      A model keeps values that are Codable, models, optional models, and collections of models; \
      anything else needs @Transient or @Attribute(.transformable(by:))
      """
  )
  @_disfavoredOverload
  public func getValue<V>(forKey key: KeyPath<Self, V>) -> V { getTransformableValue(forKey: key) }

  /// Explains which types a store keeps.
  @available(
    *,
    unavailable,
    message: """
      A model keeps values that are Codable, models, optional models, and collections of models; \
      anything else needs @Transient or @Attribute(.transformable(by:))
      """
  )
  @_disfavoredOverload
  public func setValue<V>(forKey key: KeyPath<Self, V>, to newValue: V) {
    setTransformableValue(forKey: key, to: newValue)
  }
}

extension BackingData {
  /// Explains which types a store keeps.
  @available(
    *,
    unavailable,
    message: """
      A model keeps values that are Codable, models, optional models, and collections of models; \
      anything else needs @Transient or @Attribute(.transformable(by:))
      """
  )
  @_disfavoredOverload
  public func setValue<V>(forKey key: KeyPath<Model, V>, to newValue: V) {
    setTransformableValue(forKey: key, to: newValue)
  }
}
