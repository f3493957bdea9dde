internal import DepotClient
public import DepotProtocol
public import Foundation

/// A property and the value that ``ModelContext/update(_:where:includeSubclasses:set:)`` gives it.
public struct ModelAssignment<Model: PersistentModel> {
  private let make: () throws -> StoreAssignment

  func lowered() throws -> StoreAssignment { try make() }

  /// Gives an attribute a value.
  public static func set<Value: Codable>(
    _ keyPath: KeyPath<Model, Value>,
    to value: Value
  ) -> ModelAssignment {
    ModelAssignment { .value(try property(keyPath), .value(AttributeCell(value))) }
  }

  /// Sets a to-one relationship to a saved object, or to `nil`.
  public static func set<Target: PersistentModel>(
    _ keyPath: KeyPath<Model, Target?>,
    to target: PersistentIdentifier?
  ) -> ModelAssignment {
    ModelAssignment { .value(try property(keyPath), target.map(Slot.reference) ?? .nothing) }
  }

  /// Adds to a number; an amount below zero subtracts.
  ///
  /// The store adds to the value that it has at that time, so that concurrent additions aren't
  /// lost.
  public static func set<Value: AttributeValue & AdditiveArithmetic>(
    _ keyPath: KeyPath<Model, Value>,
    adding amount: Value
  ) -> ModelAssignment { sum(keyPath, amount.attributeValue) }

  /// Adds to an optional number; `nil` stays `nil`.
  public static func set<Value: AttributeValue & AdditiveArithmetic>(
    _ keyPath: KeyPath<Model, Value?>,
    adding amount: Value
  ) -> ModelAssignment { sum(keyPath, amount.attributeValue) }

  private static func sum(
    _ keyPath: AnyKeyPath,
    _ amount: DepotProtocol.Value
  ) -> ModelAssignment {
    ModelAssignment {
      let property = try property(keyPath)
      if property.opacity != nil {
        throw SwiftDataError.unsupportedKeyPath.about(nil, property.name)
      }
      return .expression(
        property,
        .arithmetic(.add, .attribute(property.name), .value(amount))
      )
    }
  }

  /// Gives an attribute a value that is computed from each object as it was.
  public static func set<Value: Codable & Sendable>(
    _ keyPath: KeyPath<Model, Value>,
    to expression: Expression<Model, Value>
  ) -> ModelAssignment {
    ModelAssignment {
      let property = try property(keyPath)
      return .expression(property, try ModelQuery.value(expression, for: property))
    }
  }

  private static func property(_ keyPath: AnyKeyPath) throws -> PropertyDescription {
    let description = EntityDescription.of(Model.self)
    if let property = description.property(keyPath), !property.isToMany { return property }
    throw SwiftDataError.unsupportedKeyPath.about(description.name)
  }
}

/// The values of an object that is inserted without an object in memory.
public struct ModelRowValues<Model: PersistentModel> {
  private let description: EntityDescription
  private(set) var slots: [Slot]

  init(_ description: EntityDescription, renewing changing: [PropertyDescription]) {
    self.description = description
    slots = description.initialSlots(renewing: changing)
  }

  /// An attribute.
  public subscript<Value: Codable>(keyPath: KeyPath<Model, Value>) -> Value {
    get {
      let slot = description.slot(of: keyPath)
      if case .value(let cell) = slots[slot], let value = cell.any as? Value { return value }
      return description.properties[slot].placeholder(Value.self)
    }
    set { slots[description.slot(of: keyPath)] = .value(AttributeCell(newValue)) }
  }

  /// The target of a to-one relationship.
  public subscript<Target: PersistentModel>(
    keyPath: KeyPath<Model, Target?>
  ) -> PersistentIdentifier? {
    get { slots[description.slot(of: keyPath)].targetIdentifier }
    set { slots[description.slot(of: keyPath)] = newValue.map(Slot.reference) ?? .nothing }
  }
}

extension ModelQuery {
  /// Translates an expression.
  ///
  /// - Parameters:
  ///   - expression: The expression.
  ///   - property: The property that gets its value; `nil` if it is only computed.
  /// - Returns: The service's expression.
  /// - Throws: ``SwiftDataError/unsupportedPredicate`` that names the operation that the service
  ///   lacks.
  static func value<T: PersistentModel, Output>(
    _ expression: Expression<T, Output>,
    for property: PropertyDescription? = nil
  ) throws(SwiftDataError) -> QueryExpression {
    let naming = ModelNaming()
    let description = EntityDescription.of(T.self)
    var lowering = PredicateLowering(
      model: "\(T.self)",
      variable: expression.variable.key,
      names: naming
    )
    do throws(DepotError) {
      let value = naming.finish(try lowering.value(expression.expression), of: description)
      if case .attribute(let path) = value, let property,
        let source = description.property(named: path), source.opacity == property.opacity
      {
        return value
      }
      var walk = QueryWalk(description, naming.entities)
      walk.visit(value)
      if let problem = walk.problem { throw lowering.refusal(problem) }
      if let property, let opacity = property.opacity {
        throw lowering.refusal("an expression for \(property.name), which \(opacity)")
      }
      return value
    } catch {
      throw SwiftDataError(error)
    }
  }
}
