/// The values that backing data of a program's own type holds.
struct ForeignValues<Data: BackingData> {
  private let data: Data
  private(set) var values: [String: HeldValue] = [:]

  init(_ data: Data) {
    self.data = data
    for property in EntityDescription.of(Data.Model.self).properties {
      values[property.name] = value(of: property)
    }
  }

  private func value(of property: PropertyDescription) -> HeldValue? {
    switch property.kind {
    case .attribute:
      guard let type = property.decodableType else { return nil }
      return attribute(type, property)
    case .toOne(let type, let isOptional):
      return isOptional ? optionalOne(type, property) : one(type, property)
    case .toMany:
      guard
        let type = Swift.type(of: property.keyPath).valueType as? any RelationshipCollection.Type
      else { return nil }
      return many(type, property)
    }
  }

  private func attribute<Value: Decodable>(
    _: Value.Type,
    _ property: PropertyDescription
  ) -> HeldValue? {
    (property.keyPath as? KeyPath<Data.Model, Value>).map { .attribute(data.getValue(forKey: $0)) }
  }

  private func one<Target: PersistentModel>(
    _: Target.Type,
    _ property: PropertyDescription
  ) -> HeldValue? {
    (property.keyPath as? KeyPath<Data.Model, Target>).map {
      .one(data.getValue(forKey: $0).persistentModelID)
    }
  }

  private func optionalOne<Target: PersistentModel>(
    _: Target.Type,
    _ property: PropertyDescription
  ) -> HeldValue? {
    (property.keyPath as? KeyPath<Data.Model, Target?>).map { keyPath in
      let target: Target? = data.getValue(forKey: keyPath)
      return .one(target?.persistentModelID)
    }
  }

  private func many<Targets: RelationshipCollection>(
    _: Targets.Type,
    _ property: PropertyDescription
  ) -> HeldValue? {
    (property.keyPath as? KeyPath<Data.Model, Targets>).map { keyPath in
      let targets: Targets = data.getValue(forKey: keyPath)
      return .many(targets._$storages?.map(\.identifier))
    }
  }
}
