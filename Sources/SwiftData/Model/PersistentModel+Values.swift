/// The values of properties, which the accessors that `@Model` makes read and write.
extension PersistentModel {
  /// Returns the value of an attribute.
  public func getValue<V: Decodable>(forKey key: KeyPath<Self, V>) -> V {
    guard let storage = ownStorage else { return persistentBackingData.getValue(forKey: key) }
    return storage.attribute(key)
  }

  /// Returns the object that a relationship leads to, which always is one.
  public func getValue<V: PersistentModel>(forKey key: KeyPath<Self, V>) -> V {
    guard let storage = ownStorage else { return persistentBackingData.getValue(forKey: key) }
    return storage.object(key)
  }

  /// Returns the object that a relationship leads to; `nil` if there is none.
  public func getValue<V: PersistentModel>(forKey key: KeyPath<Self, V?>) -> V? {
    guard let storage = ownStorage else { return persistentBackingData.getValue(forKey: key) }
    return storage.optionalObject(key)
  }

  /// Returns the objects that a relationship leads to.
  public func getValue<V: RelationshipCollection, O>(
    forKey key: KeyPath<Self, V>
  ) -> V where O == V.PersistentElement {
    guard let storage = ownStorage else { return persistentBackingData.getValue(forKey: key) }
    return storage.objects(key)
  }

  /// Returns the objects that a relationship leads to.
  public func getValue<V: Decodable & RelationshipCollection, O>(
    forKey key: KeyPath<Self, V>
  ) -> V where O == V.PersistentElement {
    guard let storage = ownStorage else { return persistentBackingData.getValue(forKey: key) }
    return storage.objects(key)
  }

  /// Returns the value of an attribute of any type.
  public func getTransformableValue<V>(forKey key: KeyPath<Self, V>) -> V {
    guard let storage = ownStorage else {
      return persistentBackingData.getTransformableValue(forKey: key)
    }
    return storage.attribute(key)
  }

  /// Sets the value of an attribute.
  public func setValue<V: Encodable>(forKey key: KeyPath<Self, V>, to newValue: V) {
    ownStorage?.setAttribute(key, newValue)
      ?? persistentBackingData.setValue(forKey: key, to: newValue)
  }

  /// Sets the object that a relationship leads to.
  public func setValue<V: PersistentModel>(forKey key: KeyPath<Self, V>, to newValue: V) {
    ownStorage?.setObject(key, newValue)
      ?? persistentBackingData.setValue(forKey: key, to: newValue)
  }

  /// Sets the object that a relationship leads to.
  public func setValue<V: PersistentModel>(forKey key: KeyPath<Self, V?>, to newValue: V?) {
    ownStorage?.setObject(key, newValue)
      ?? persistentBackingData.setValue(forKey: key, to: newValue)
  }

  /// Sets the objects that a relationship leads to.
  public func setValue<V: RelationshipCollection, O>(
    forKey key: KeyPath<Self, V>,
    to newValue: V
  ) where O == V.PersistentElement {
    ownStorage?.setObjects(key, newValue)
      ?? persistentBackingData.setValue(forKey: key, to: newValue)
  }

  /// Sets the objects that a relationship leads to.
  public func setValue<V: Encodable & RelationshipCollection, O>(
    forKey key: KeyPath<Self, V>,
    to newValue: V
  ) where O == V.PersistentElement {
    ownStorage?.setObjects(key, newValue)
      ?? persistentBackingData.setValue(forKey: key, to: newValue)
  }

  /// Sets the value of an attribute of any type.
  public func setTransformableValue<V>(forKey key: KeyPath<Self, V>, to newValue: V) {
    ownStorage?.setAttribute(key, newValue)
      ?? persistentBackingData.setTransformableValue(forKey: key, to: newValue)
  }
}
