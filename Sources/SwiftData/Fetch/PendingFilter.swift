internal import DepotClient
internal import DepotProtocol
internal import Foundation

/// The division of a fetch between the store and the memory of the program.
///
/// In memory, a predicate that the store understands is evaluated just as the store does it.
struct PendingFilter<T: PersistentModel> {
  let descriptor: FetchDescriptor<T>
  /// The condition for the store; all objects if `nil`.
  let expression: QueryExpression?
  /// How the store sorts; `nil` if it can't, so that the objects are sorted in memory.
  let sort: [SortKey]?
  /// Why the store finds more than the predicate's objects; `nil` if it finds exactly these.
  let problem: DepotError?
  /// The relationships that the predicate and the order go through, and their targets.
  let prefixes: [Prefix]
  /// The sort keys that memory can compute, up to the search rank, which only the store knows;
  /// `nil` for a key that the store can't sort by.
  private let keys: [SortKey?]
  private let memory = Memory()

  /// A path of relationships.
  typealias Prefix = QueryWalk.Prefix

  /// The values that are worked out once for all objects.
  private final class Memory {
    var schema: DepotProtocol.Schema?
    var now = Date()
    var keys: [ObjectIdentifier: [Value]] = [:]
  }

  /// Finds out which parts of the descriptor the store can evaluate.
  ///
  /// A predicate that the store doesn't understand at all is evaluated in memory over all objects.
  ///
  /// - Parameters:
  ///   - descriptor: The objects that are wanted.
  ///   - stores: The identifiers of the stores that are asked; any if `nil`.
  ///   - refusal: Why the store takes no part of the predicate, if it has said so.
  /// - Throws: ``SwiftDataError/unsupportedSortDescriptor`` if there is nothing to rank by, and
  ///   ``SwiftDataError/unsupportedPredicate`` if the words of a search can't be read.
  init(
    _ descriptor: FetchDescriptor<T>,
    stores: Set<String>? = nil,
    refusal: DepotError? = nil
  ) throws {
    self.descriptor = descriptor
    var part = ModelQuery.Part(problem: refusal)
    if let predicate = descriptor.predicate, refusal == nil {
      do throws(DepotError) {
        part = try ModelQuery.part(predicate, stores: stores)
      } catch {
        throw SwiftDataError(error, .unsupportedPredicate)
      }
    }
    expression = descriptor.predicate == nil ? nil : part.expression
    problem = part.problem
    let keys = descriptor.sortBy.map(ModelQuery.sortKey)
    sort = keys.contains { $0 == nil } ? nil : keys.compactMap { $0 }
    self.keys = Array(keys.prefix { $0?.isRank != true })
    if self.keys.count < keys.count {
      try Self.checkRank(expression, isSorted: sort != nil)
    }
    var walk = QueryWalk(EntityDescription.of(T.self))
    if let expression { walk.visit(expression) }
    for key in sort ?? [] { walk.visit(key.expression) }
    prefixes = walk.prefixes
  }

  /// - Throws: ``SwiftDataError/unsupportedSortDescriptor`` if the store can't sort by rank.
  private static func checkRank(_ expression: QueryExpression?, isSorted: Bool) throws {
    let entity = EntityDescription.of(T.self).name
    guard expression?.searches.isEmpty == false else {
      throw SwiftDataError(
        .unsupportedSortDescriptor,
        "The predicate has no search of \(entity) by which its objects could be ranked.",
        hint: "Search a property that is marked .spotlight, as $0.title.matches(text: \"words\").",
        entity: entity
      )
    }
    guard isSorted else {
      throw SwiftDataError(
        .unsupportedSortDescriptor,
        "Only the store knows ranks, and it doesn't know another key that \(entity) is sorted by.",
        entity: entity
      )
    }
  }

  /// Whether the store sorts by rank.
  ///
  /// Unsaved objects have no rank: they follow objects that are equal in the keys before.
  var isRanked: Bool { keys.count < descriptor.sortBy.count }

  /// Whether the store finds exactly the predicate's objects, and no more.
  var isExact: Bool { problem == nil }

  /// Whether an object satisfies the predicate as it is now.
  ///
  /// - Throws: ``SwiftDataError/unsupportedPredicate`` if the predicate can't be evaluated.
  func matches(_ model: T) throws -> Bool {
    guard let predicate = descriptor.predicate else { return true }
    if let expression {
      guard let evaluator = evaluator(model) else { return try holds(predicate, model) }
      guard evaluator.isTrue(expression) else { return false }
      if isExact { return true }
    }
    return try holds(predicate, model)
  }

  private func holds(_ predicate: Predicate<T>, _ model: T) throws -> Bool {
    do {
      return try predicate.evaluate(model)
    } catch let error as PredicateError where error == .forceUnwrapFailure {
      return false
    } catch {
      throw SwiftDataError(
        .unsupportedPredicate,
        "The predicate \(predicate) can't be evaluated: \(error)"
      )
    }
  }

  /// Whether one object comes before another, as far as the descriptor says.
  func areInOrder(_ left: T, _ right: T) -> Bool {
    guard let first = values(of: left), let second = values(of: right) else {
      return descriptor.sortBy.areInOrder(left, right)
    }
    for (index, key) in keys.enumerated() {
      guard let key else {
        let order = descriptor.sortBy[index].compare(left, right)
        if order != .orderedSame { return order == .orderedAscending }
        continue
      }
      let order = Self.order(first[index], second[index], isLocalized: key.isLocalized)
      if order != 0 { return (order < 0) != key.isDescending }
    }
    return false
  }

  private static func order(_ left: Value, _ right: Value, isLocalized: Bool) -> Int {
    guard isLocalized, let left = left.text, let right = right.text else {
      return left.sortOrder(right)
    }
    let (first, second) = (SortedText(left), SortedText(right))
    return first < second ? -1 : second < first ? 1 : 0
  }

  /// Returns the values of the keys; `nil` if a program's own type keeps the object's values.
  private func values(of model: T) -> [Value]? {
    if let known = memory.keys[ObjectIdentifier(model)] { return known }
    guard let evaluator = evaluator(model) else { return nil }
    let values = keys.map { key in key.map { evaluator.value($0.expression) } ?? .null }
    memory.keys[ObjectIdentifier(model)] = values
    return values
  }

  /// Returns an evaluator of queries about an object; `nil` if a program's own type keeps its
  /// values.
  private func evaluator(_ model: T) -> QueryEvaluator? {
    guard let link = model.ownStorage?.link, let schema = schema(link) else { return nil }
    return QueryEvaluator(
      ModelRow(link),
      of: EntityDescription.of(T.self).name,
      in: schema,
      now: memory.now
    )
  }

  private func schema(_ link: ObjectReference) -> DepotProtocol.Schema? {
    if let schema = memory.schema { return schema }
    let types: [any PersistentModel.Type] = [T.self, link.storage.description.type]
    let descriptions =
      link.storage.context.map { Array($0.descriptions.values) }
      ?? EntityCollection(types).descriptions
    memory.schema = try? SchemaLowering(descriptions).schema(nil)
    return memory.schema
  }
}

extension SortKey {
  /// Whether objects are sorted by how well they match searches.
  fileprivate var isRank: Bool { expression == .function(.rank, []) }
}

extension Array {
  /// Whether one object comes before another by the first descriptor that distinguishes them.
  func areInOrder<T>(_ left: T, _ right: T) -> Bool where Element == SortDescriptor<T> {
    for key in self {
      switch key.compare(left, right) {
      case .orderedAscending: return true
      case .orderedDescending: return false
      case .orderedSame: continue
      }
    }
    return false
  }
}
