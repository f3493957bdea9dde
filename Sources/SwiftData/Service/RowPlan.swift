internal import DepotProtocol

/// The columns that are read of an entity's rows, and the properties that get their values.
///
/// Rows of a hierarchy have the columns of all subclasses of the entity; each class reads its own
/// columns and skips the others.
final class RowPlan {
  /// The columns to ask for, `$entity` first if rows may be of several classes.
  private(set) var select: [String] = []
  let description: EntityDescription
  /// Whether rows contain the name of their entity.
  let hasEntity: Bool
  /// The columns of values in external storage.
  private(set) var externalColumns: Set<String> = []
  /// Whether all properties are read, except the ones that are always read on demand.
  let isComplete: Bool
  private let store: String
  private var parts: [Part] = []
  private var layouts: [ObjectIdentifier: RowLayout] = [:]

  /// A property with its columns, or a column that isn't used.
  private struct Part {
    /// The class that has the property; `nil` for an unused column.
    var owner: EntityDescription?
    var slot: Int
    var width: Int
    /// The indexes of the property's values among the columns, if they differ from the row's order.
    var places: [Int]?
  }

  /// Makes the plan of reading properties of an entity and its subclasses, all if `slots` is `nil`.
  ///
  /// External properties aren't read then.
  init(
    _ description: EntityDescription,
    slots: [Int]?,
    descendants: [EntityDescription],
    store: String
  ) {
    self.description = description
    self.store = store
    hasEntity = !descendants.isEmpty
    isComplete = slots == nil
    if hasEntity { select.append("$entity") }
    let wanted = slots.map { $0.map { description.properties[$0] } } ?? description.properties
    for property in wanted where !property.isToMany {
      if slots == nil, property.isExternal { continue }
      // The service has the parts of a composite in an order of its own.
      let paths = property.paths
      select += paths
      if property.isExternal { externalColumns.formUnion(paths) }
      parts.append(Part(owner: description, slot: property.slot, width: paths.count))
    }
    guard slots == nil else { return }
    let own = descendants.flatMap { heir in
      heir.ownProperties.filter { !$0.isToMany && !$0.isExternal }.map { (heir, $0) }
    }
    for (heir, property) in own {
      // Classes that this program doesn't know may have the same path.
      select += property.paths.map { "\(heir.name).\($0)" }
      parts.append(Part(owner: heir, slot: property.slot, width: property.paths.count))
    }
  }

  /// Makes the plan of reading columns that the store has chosen, behind the identifier and version.
  init(_ description: EntityDescription, columns: [String], store: String) {
    self.description = description
    self.store = store
    hasEntity = columns.first == "$entity"
    isComplete = true
    var rest = columns[(hasEntity ? 1 : 0)...]
    while let first = rest.first {
      let name = first.prefix { $0 != "." }
      let own = rest.prefix { $0 == name || $0.hasPrefix(name + ".") }
      rest = rest.dropFirst(own.count)
      var part = Part(owner: nil, slot: 0, width: own.count)
      if let property = description.property(named: String(name)), !property.isToMany,
        !property.isExternal
      {
        let places = property.paths.compactMap { own.firstIndex(of: $0) }
          .map { $0 - own.startIndex }
        if places.count == property.paths.count {
          part.owner = description
          part.slot = property.slot
          if places != Array(0..<own.count) { part.places = places }
        }
      }
      parts.append(part)
    }
  }

  /// Returns the steps that read a row of a class.
  func layout(for type: EntityDescription) -> RowLayout {
    let key = ObjectIdentifier(type)
    if let known = layouts[key] { return known }
    let steps = parts.map { part in
      guard let owner = part.owner, type.isKind(of: owner) else { return RowStep.skip(part.width) }
      let property = type.properties[part.slot]
      if let codec = property.codec {
        guard let places = part.places else {
          return .value(part.slot, .passUnretained(codec), part.width)
        }
        return .parts(part.slot, codec, places, part.width)
      }
      let target = property.destination.map { EntityDescription.of($0) } ?? type
      return .reference(part.slot, target.key(in: store))
    }
    let layout = RowLayout(steps: steps, slots: SlotSet(steps.compactMap(\.index)))
    layouts[key] = layout
    return layout
  }
}

/// The columns of the rows of one class.
@Memberwise
final class RowLayout {
  let steps: [RowStep]
  /// The properties that have columns.
  let slots: SlotSet
}

/// The use of columns of a row.
enum RowStep {
  /// They are the value of an attribute, of so many columns; the class's description keeps the codec.
  case value(Int, Unmanaged<AttributeCodec>, Int)
  /// Among so many columns, these indexes have the values of an attribute.
  case parts(Int, AttributeCodec, [Int], Int)
  /// It is the row that a to-one relationship leads to.
  case reference(Int, EntityKey)
  /// They aren't used.
  case skip(Int)
}

extension PropertyDescription {
  /// The paths of the columns.
  var paths: [String] { codec?.suffixes.map { name + $0 } ?? [name] }
}

extension RowReader {
  /// Moves past values.
  mutating func skip(_ count: Int) throws {
    for _ in 0..<count { _ = try text() }
  }

  /// Reads the slot of a property; unloaded, if the store has a value that isn't one of its type, or
  /// one that is too large for the row.
  ///
  /// - Parameters:
  ///   - step: The property and its columns.
  ///   - storage: The object; a value that can't be taken is noted for it.
  ///   - context: The context of the object.
  /// - Returns: The property and its slot; `nil` if the columns aren't used.
  /// - Throws: ``DepotError`` if the row is malformed.
  mutating func slot(
    _ step: RowStep,
    of storage: ModelStorage,
    in context: ModelContext
  ) throws -> (index: Int, slot: Slot)? {
    switch step {
    case .value(let place, let codec, let width):
      let cell = try cell(of: place, codec, width, of: storage, in: context)
      return (place, cell.map(Slot.value) ?? .unloaded)
    case .parts(let place, let codec, let places, let width):
      var texts: [[UInt8]] = []
      for _ in 0..<width { texts.append(Array(try text())) }
      do {
        return (place, .value(any: try codec.value(of: places.map { texts[$0] })))
      } catch let error where error.isOfValue {
        context.refuse(place, of: storage, error)
        return (place, .unloaded)
      }
    case .reference(let index, let entity):
      if try skipNull() { return (index, .nothing) }
      return (index, .reference(PersistentIdentifier(entity, .row(try next(Int64.self)))))
    case .skip(let count):
      try skip(count)
      return nil
    }
  }
}

extension RowReader {
  /// Reads the value of an attribute from its columns.
  ///
  /// - Returns: The value; `nil` if it can't be taken, which is noted for the object.
  /// - Throws: ``DepotError`` if the row is malformed.
  @inline(__always)
  mutating func cell(
    of place: Int,
    _ codec: Unmanaged<AttributeCodec>,
    _ width: Int,
    of storage: ModelStorage,
    in context: ModelContext
  ) throws -> AttributeCell? {
    let end = column + width
    do {
      return try codec._withUnsafeGuaranteedRef { try $0.cell(&self) }
    } catch let error where error.isOfValue {
      try skip(end - column)
      context.refuse(place, of: storage, error)
      return nil
    }
  }
}

extension StoreQuery {
  /// Returns the request for the columns of a plan.
  func request(_ plan: RowPlan) -> FetchRequest {
    var request = request
    request.select = plan.select
    request.includesSubentityColumns = plan.hasEntity
    // They are only needed to distinguish the rows from prefetched ones.
    request.namesColumns = !request.prefetch.isEmpty
    return request
  }
}

extension Error {
  /// Whether it concerns one value, and the rest of the row can be read.
  fileprivate var isOfValue: Bool { (self as? DepotError)?.isOfLength ?? true }
}
