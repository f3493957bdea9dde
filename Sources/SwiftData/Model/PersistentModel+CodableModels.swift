/// Relationships to models that are `Codable` themselves, which could be taken for attributes.
extension PersistentModel {
  /// Returns the object that a relationship leads to, which always is one.
  public func getValue<V: PersistentModel & Decodable>(forKey key: KeyPath<Self, V>) -> V {
    ownStorage?.object(key) ?? persistentBackingData.getValue(forKey: key)
  }

  /// Returns the object that a relationship leads to; `nil` if there is none.
  public func getValue<V: PersistentModel & Decodable>(forKey key: KeyPath<Self, V?>) -> V? {
    guard let storage = ownStorage else { return persistentBackingData.getValue(forKey: key) }
    return storage.optionalObject(key)
  }

  /// Sets the object that a relationship leads to.
  public func setValue<V: PersistentModel & Encodable>(
    forKey key: KeyPath<Self, V>,
    to newValue: V
  ) {
    ownStorage?.setObject(key, newValue)
      ?? persistentBackingData.setValue(forKey: key, to: newValue)
  }

  /// Sets the object that a relationship leads to.
  public func setValue<V: PersistentModel & Encodable>(
    forKey key: KeyPath<Self, V?>,
    to newValue: V?
  ) {
    ownStorage?.setObject(key, newValue)
      ?? persistentBackingData.setValue(forKey: key, to: newValue)
  }
}

/// Relationships to models that are `Codable` themselves, which could be taken for attributes.
extension BackingData {
  /// Returns the object that a relationship leads to, which always is one.
  public func getValue<V: PersistentModel & Decodable>(forKey key: KeyPath<Model, V>) -> V {
    object(key)
  }

  /// Returns the object that a relationship leads to; `nil` if there is none.
  public func getValue<V: PersistentModel & Decodable>(forKey key: KeyPath<Model, V?>) -> V? {
    optionalObject(key)
  }

  /// Sets the object that a relationship leads to.
  public func setValue<V: PersistentModel & Encodable>(
    forKey key: KeyPath<Model, V>,
    to newValue: V
  ) { setObject(key, newValue) }

  /// Sets the object that a relationship leads to.
  public func setValue<V: PersistentModel & Encodable>(
    forKey key: KeyPath<Model, V?>,
    to newValue: V?
  ) { setOptionalObject(key, newValue) }

  private func object<V: PersistentModel>(_ key: KeyPath<Model, V>) -> V { getValue(forKey: key) }

  private func optionalObject<V: PersistentModel>(_ key: KeyPath<Model, V?>) -> V? {
    getValue(forKey: key)
  }

  private func setObject<V: PersistentModel>(_ key: KeyPath<Model, V>, _ newValue: V) {
    setValue(forKey: key, to: newValue)
  }

  private func setOptionalObject<V: PersistentModel>(
    _ key: KeyPath<Model, V?>,
    _ newValue: V?
  ) {
    setValue(forKey: key, to: newValue)
  }
}
