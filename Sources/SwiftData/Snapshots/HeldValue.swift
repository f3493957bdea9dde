/// The value of one property in a snapshot.
// because values of attributes are copies, which nobody changes in place
enum HeldValue: @unchecked Sendable {
  /// The value of an attribute, of the property's type.
  case attribute(Any)
  /// The target of a to-one relationship.
  case one(PersistentIdentifier?)
  /// The targets of a to-many relationship; `nil` if there is no collection.
  case many([PersistentIdentifier]?)
  /// The decoded value of a property that no class has, or one of another type than the property's.
  case tree(CodedTree)
}

extension HeldValue {
  /// Returns the value with other identifiers in it.
  func replacing(_ identifiers: [PersistentIdentifier: PersistentIdentifier]) -> HeldValue {
    switch self {
    case .one(let target?): .one(identifiers[target] ?? target)
    case .many(let targets?): .many(targets.map { identifiers[$0] ?? $0 })
    default: self
    }
  }

  /// Returns the value as a property of `description` holds it; `nil` if the types don't fit.
  func slot(of property: PropertyDescription) -> Slot? {
    switch (property.kind, self) {
    case (.attribute(let codec), .attribute(let value)):
      if codec.accepts(value) { return .value(any: value) }
      guard let tree = CodedTree(value) else { return nil }
      return HeldValue.tree(tree).slot(of: property)
    case (.attribute, .tree(let tree)):
      return tree.value(of: property).map(Slot.value(any:))
    case (.toOne, .one(let target)):
      return target.map { .reference($0) } ?? .nothing
    case (.toMany(_, let isOptional), .many(let targets)):
      if targets == nil, isOptional { return .many(nil) }
      return .many(ObjectReferenceList(targets ?? []))
    case (.toOne, .tree(let tree)):
      if case .null = tree { return .nothing }
      return tree.decoded(PersistentIdentifier.self).map { .reference($0) }
    case (.toMany, .tree(let tree)):
      return tree.decoded([PersistentIdentifier].self).map { .many(ObjectReferenceList($0)) }
    // A relationship that has become one to many, or the other way around.
    case (.toMany, .one(let target)): return .many(ObjectReferenceList(target.map { [$0] } ?? []))
    case (.toOne, .many(let targets)): return targets?.first.map { .reference($0) } ?? .nothing
    default: return nil
    }
  }
}

extension AttributeCodec {
  /// Whether a value is of the type that the codec is for.
  fileprivate func accepts(_ value: Any) -> Bool { (try? values(value)) != nil }
}
