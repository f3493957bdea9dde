internal import DepotProtocol
internal import Foundation

/// Work on many objects at once, by a context that is made for it, since a store of the program's
/// own doesn't know expressions.
extension CustomStore {
  func update(
    _ query: StoreQuery,
    _ assignments: [StoreAssignment],
    in context: ModelContext
  ) throws -> Int {
    let work = try MemoryBatch(context)
    let links = try work.objects(query)
    // Everything is computed from the objects as they were.
    let values = try links.map { try work.values(assignments, of: $0, query.description) }
    for (link, values) in zip(links, values) {
      for (property, slot) in values { link.storage.set(property, slot) }
    }
    try work.save()
    return links.count
  }

  func insert(
    _ rows: [[Slot]],
    of description: EntityDescription,
    in context: ModelContext
  ) throws {
    let work = try MemoryBatch(context)
    for slots in rows {
      let link = description.makeObject(nil)
      work.insert(link)
      for property in description.properties where !property.isToMany {
        link.storage.set(property, try work.loaded(slots[property.slot], property, description))
      }
    }
    try work.save()
  }

  func aggregate(_ request: StoreAggregation, in context: ModelContext) throws -> [[Value]] {
    let work = try MemoryBatch(context)
    let rows = try work.objects(request.query).map { link in
      try work.row(link, request)
    }
    return try request.groups(rows).map { try request.result($0) }
  }
}

/// Objects as they are stored, in a context of their own.
private struct MemoryBatch {
  private let context: ModelContext
  private let schema: DepotProtocol.Schema
  private let now = Date()

  init(_ other: ModelContext) throws {
    context = ModelContext(other.container)
    context.author = other.author
    let descriptions = Array(context.core.descriptions.values)
    schema = try SchemaLowering(descriptions).schema(nil)
  }

  /// Fetches the objects that a query describes.
  func objects(_ query: StoreQuery) throws -> [ObjectReference] {
    let links = try context.stores.store(of: query.description).fetch(query, into: context)
    return query.request.includesSubentities
      ? links : links.filter { $0.storage.description === query.description }
  }

  func insert(_ link: ObjectReference) { context.insert(link.storage) }

  func save() throws { try context.save() }

  private func evaluator(
    _ link: ObjectReference,
    _ description: EntityDescription
  ) -> QueryEvaluator {
    QueryEvaluator(ModelRow(link), of: description.name, in: schema, now: now)
  }

  // MARK: - New values

  /// Returns the new values of an object's properties.
  func values(
    _ assignments: [StoreAssignment],
    of link: ObjectReference,
    _ description: EntityDescription
  ) throws -> [(PropertyDescription, Slot)] {
    try assignments.map { assignment in
      switch assignment {
      case .value(let property, let slot): (property, try loaded(slot, property, description))
      case .expression(let property, let expression):
        (property, try computed(expression, property, link, description))
      }
    }
  }

  private func computed(
    _ expression: QueryExpression,
    _ property: PropertyDescription,
    _ link: ObjectReference,
    _ description: EntityDescription
  ) throws -> Slot {
    guard let codec = property.codec, codec.suffixes == [""] else {
      throw SwiftDataError.unsupportedKeyPath.about(description.name, property.name)
    }
    let attribute = codec.attribute
    let value = evaluator(link, description).value(expression)
    try context.errors.throwOfRead()
    guard let fitting = value.converted(to: attribute.type), attribute.isOptional || !value.isNull
    else {
      throw SwiftDataError(
        .modelValidationFailure,
        "The new value of \(property.qualifiedName) of \(link.storage.identifier) is none of its type.",
        entity: description.name,
        property: property.name
      )
    }
    return .value(any: try codec.value(of: [fitting.jsonBytes]))
  }

  /// Returns a value with the object that a relationship leads to.
  func loaded(
    _ slot: Slot,
    _ property: PropertyDescription,
    _ description: EntityDescription
  ) throws -> Slot {
    guard case .reference(let identifier) = slot, let type = property.destination else {
      return slot
    }
    let target = EntityDescription.of(type)
    let link =
      try context.registered(identifier)?.link
      ?? context.stores.store(of: target).rows([identifier], of: target, slots: nil, into: context)
      .first
    if let link { return .link(link) }
    var error = SwiftDataError(
      .modelValidationFailure,
      "\(property.qualifiedName) can't lead to \(identifier): there is no such object.",
      entity: description.name,
      property: property.name
    )
    error.code = "constraint.reference"
    throw error
  }

  // MARK: - Groups

  /// Returns the values of an object that an aggregation is about.
  func row(_ link: ObjectReference, _ request: StoreAggregation) throws -> AggregatedRow {
    let evaluator = evaluator(link, request.query.description)
    let row = AggregatedRow(
      keys: request.keys.map(evaluator.value),
      values: request.values.map { _, expression in expression.map(evaluator.value) ?? .null }
    )
    try context.errors.throwOfRead()
    return row
  }
}

/// The values of an object that an aggregation is about.
private struct AggregatedRow {
  var keys: [Value]
  var values: [Value]

  func comes(before other: AggregatedRow) -> Bool {
    for (left, right) in zip(keys, other.keys) {
      let order = left.sortOrder(right)
      if order != 0 { return order < 0 }
    }
    return false
  }
}

extension StoreAggregation {
  /// Divides objects by their keys; without keys, they are one group.
  fileprivate func groups(_ rows: [AggregatedRow]) -> [[AggregatedRow]] {
    guard !keys.isEmpty else { return [rows] }
    var groups: [[AggregatedRow]] = []
    for row in rows.sorted(by: { $0.comes(before: $1) }) {
      if let last = groups.last?.last, !last.comes(before: row) {
        groups[groups.count - 1].append(row)
      } else {
        groups.append([row])
      }
    }
    return groups
  }

  /// Returns the keys of a group and the aggregates of its objects.
  ///
  /// - Throws: ``SwiftDataError/storeFailure`` if a sum is beyond the numbers of its type.
  fileprivate func result(_ group: [AggregatedRow]) throws -> [Value] {
    try (group.first?.keys ?? [])
      + values.indices.map { index in
        let (function, expression) = values[index]
        let all = group.map { $0.values[index] }
        let known = all.filter { !$0.isNull }
        switch function {
        case .count: return .int64(Int64(expression == nil ? all.count : known.count))
        case .min: return known.min { $0.sortOrder($1) < 0 } ?? .null
        case .max: return known.max { $0.sortOrder($1) < 0 } ?? .null
        default:
          var aggregation = ValueAggregation(function, of: type(of: expression))
          for value in known { aggregation.add(value) }
          let result = aggregation.result
          guard result.isNull, function == .sum else { return result }
          throw SwiftDataError(
            DepotError(.overflow, "The sum is beyond the numbers of its type.")
              .hint("Convert the values to double before adding them up.")
          )
        }
      }
  }

  /// The type of the values that an expression has.
  private func type(of expression: QueryExpression?) -> AttributeType {
    guard case .attribute(let name)? = expression else { return .double }
    return query.description.property(named: name)?.codec?.attribute.type ?? .double
  }
}

extension ModelStorage {
  /// Gives a property, that isn't a to-many relationship, a value.
  fileprivate final func set(_ property: PropertyDescription, _ value: Slot) {
    switch value {
    case .link(let link): setTarget(property.slot, link)
    case .nothing: setTarget(property.slot, nil)
    case .unloaded: break
    default:
      willChange(property.slot)
      slots[property.slot] = value
    }
  }
}
