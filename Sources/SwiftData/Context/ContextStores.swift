/// The stores of a context, by the entities that they keep.
final class ContextStores {
  /// The open stores, which last as long as this.
  let core: any OpenStores
  /// The stores, in the order of the configurations.
  let all: [any ContextStore]
  /// The identifiers of the stores, the same in every process.
  lazy var identifiers = Set(all.map(\.identifier))
  private let byEntity: [String: any ContextStore]
  /// The names of the entities that others descend from.
  private let superclasses: Set<String>
  /// The class that the container was found to know last, and most often is asked for again.
  @exclusivity(unchecked) private var latest: EntityDescription?

  init(_ core: any OpenStores) {
    self.core = core
    var byEntity: [String: any ContextStore] = [:]
    all = core.stores.map { handle in
      let store = core.contextStore(of: handle)
      for entity in handle.entities { byEntity[entity] = store }
      return store
    }
    self.byEntity = byEntity
    superclasses = Set(core.descriptions.values.compactMap { $0.parent?.name })
  }

  /// Whether there is a save with an unknown outcome.
  var isInDoubt: Bool { all.contains { $0.isInDoubt } }

  /// Returns the store of an entity.
  ///
  /// - Throws: ``SwiftDataError/unknownSchema`` if the container doesn't know it.
  func store(of description: EntityDescription) throws -> any ContextStore {
    guard knows(description), let store = byEntity[description.name] else {
      throw unknownSchema(description)
    }
    return store
  }

  /// Returns the store of an entity, whose rows are about to be changed.
  ///
  /// - Throws: ``SwiftDataError`` `unknownSchema` if the container doesn't know it, `storeFailure` if the
  ///   store may only be read.
  func writableStore(of description: EntityDescription) throws -> any ContextStore {
    let store = try store(of: description)
    guard store.allowsSave else { throw readOnly(description) }
    return store
  }

  /// Whether the container has a class, and not another one of the same name.
  func knows(_ description: EntityDescription) -> Bool {
    if description === latest { return true }
    guard core.descriptions[description.name] === description else { return false }
    latest = description
    return true
  }

  /// The description of the entity that an identifier names.
  func description(of identifier: PersistentIdentifier) -> EntityDescription? {
    core.descriptions[identifier.entityName]
  }

  /// Whether objects of an entity may be of subclasses.
  func hasSubclasses(_ description: EntityDescription) -> Bool {
    superclasses.contains(description.name)
  }

  /// The error that the container doesn't know a class.
  func unknownSchema(_ description: EntityDescription) -> SwiftDataError {
    let isOther = core.descriptions[description.name] != nil
    return SwiftDataError(
      .unknownSchema,
      isOther
        ? "The container knows another \(description.name) than \(description.type)."
        : "The container doesn't know \(description.name).",
      hint: "Name \(description.name) among the models of the container.",
      entity: description.name
    )
  }

  /// The error that a store may only be read.
  func readOnly(_ description: EntityDescription) -> SwiftDataError {
    SwiftDataError(
      .storeFailure,
      "The store of \(description.name) may only be read.",
      hint: "Its configuration says allowsSave: false.",
      entity: description.name
    )
  }
}
