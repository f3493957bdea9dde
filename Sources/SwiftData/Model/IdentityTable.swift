private import DepotLinux
private import Foundation

/// The registered objects of a context, one for each identifier.
final class IdentityMap {
  /// The objects by the topmost entities of their stores.
  private var tablesByRoot: [ObjectIdentifier: IdentityTable] = [:]
  /// The objects of the entity that was asked for last, and most often is again.
  @exclusivity(unchecked) private var latest: IdentityTable?
  /// Its entity, which lasts as long as the process.
  @exclusivity(unchecked) private var latestRoot: ObjectIdentifier?
  /// The context, which owns this.
  unowned(unsafe) var context: (any ObjectContext)?
  /// The use of the context by threads.
  let accessGuard = ContextAccessGuard()

  /// Finds the storage of an object.
  subscript(identifier: PersistentIdentifier) -> ModelStorage? {
    known(identifier.entity.rootIdentity)?[identifier.key]
  }

  /// Returns the objects of a hierarchy.
  func table(of entity: EntityKey) -> IdentityTable {
    let root = entity.rootIdentity
    if let table = known(root) { return table }
    let table = IdentityTable(context, accessGuard)
    tablesByRoot[root] = table
    return table
  }

  @inline(__always)
  private func known(_ root: ObjectIdentifier) -> IdentityTable? {
    if root == latestRoot { return latest }
    guard let table = tablesByRoot[root] else { return nil }
    (latestRoot, latest) = (root, table)
    return table
  }

  /// The tables of all hierarchies.
  var tables: [IdentityTable] { Array(tablesByRoot.values) }
}

/// The registered objects of one hierarchy of entities in one store, by their keys.
///
/// The table keeps nothing alive: an object removes itself when it ends, on the thread of its last
/// owner. All other work is done on the context's thread. An object whose values are kept after its
/// end isn't found any more, and makes room for another one.
final class IdentityTable {
  private typealias Entry = Unmanaged<ModelStorage>

  /// The context; `nil` after its end.
  @exclusivity(unchecked) private(set) unowned(unsafe) var context: (any ObjectContext)?
  /// The use of the context by threads.
  let accessGuard: ContextAccessGuard
  private let locked = RegistrationLock()
  /// The objects with numbers.
  @exclusivity(unchecked) private var numbered = NumberedObjects()
  /// The objects with text keys instead of numbers.
  @exclusivity(unchecked) private var others: [PersistentIdentifier.Key: Entry] = [:]

  fileprivate init(_ context: (any ObjectContext)?, _ accessGuard: ContextAccessGuard) {
    self.context = context
    self.accessGuard = accessGuard
  }

  subscript(key: PersistentIdentifier.Key) -> ModelStorage? {
    let storage = locked {
      if let number = key.number { numbered.entry(number)?.ifAlive } else { others[key]?.ifAlive }
    }
    return storage?.model == nil ? nil : storage
  }

  /// Registers an object for its identifier; returns the one that was registered before.
  @discardableResult
  func add(_ storage: ModelStorage) -> ModelStorage? {
    let entry = Entry.passUnretained(storage)
    let displaced = locked { () -> ModelStorage? in
      let old =
        if let number = storage.identifier.key.number {
          numbered.update(entry, number)
        } else {
          others.updateValue(entry, forKey: storage.identifier.key)
        }
      return old?.toOpaque() == entry.toOpaque() ? nil : old?.ifAlive
    }
    displaced?.table = nil
    storage.table = self
    return displaced
  }

  /// Unregisters an object, if it is the one for its identifier.
  func remove(_ storage: ModelStorage) {
    let entry = Entry.passUnretained(storage)
    locked {
      let key = storage.identifier.key
      if let number = key.number {
        numbered.remove(entry, number)
      } else if others[key]?.toOpaque() == entry.toOpaque() {
        others[key] = nil
      }
    }
    storage.table = nil
  }

  /// Unregisters all objects at the context's end, and returns their storages.
  func end() -> [ModelStorage] {
    context = nil
    defer {
      locked {
        numbered = NumberedObjects()
        others = [:]
      }
    }
    return everything
  }

  /// The objects that are registered now, kept alive.
  var links: [ObjectReference] { everything.compactMap(\.link) }

  /// The storages of the objects that are registered now.
  var all: [ModelStorage] { everything.filter { $0.model != nil } }

  /// The storages, also of objects that have ended.
  private var everything: [ModelStorage] {
    locked { (numbered.all + others.values).compactMap { $0.ifAlive } }
  }
}

extension PersistentIdentifier.Key {
  /// The number of the object, below 0 if it was never saved; `nil` if it has a text.
  fileprivate var number: Int64? {
    switch self {
    case .row(let number): number
    case .temporary(let number): ~Int64(bitPattern: number)
    case .custom: nil
    }
  }
}

/// Objects by their numbers: a hash table with open addressing.
///
/// Nobody gains by choosing numbers that collide: they are the store's.
private struct NumberedObjects: ~Copyable {
  typealias Entry = Unmanaged<ModelStorage>

  private struct Place {
    var number: Int64 = 0
    var entry: Entry?
  }

  /// Memory of the system, which is zero at first: free places needn't be written.
  private var places = UnsafeMutableBufferPointer<Place>(start: nil, count: 0)
  private var count = 0

  deinit { free(places.baseAddress) }

  var all: [Entry] { places.compactMap(\.entry) }

  func entry(_ number: Int64) -> Entry? {
    places.isEmpty ? nil : places[index(of: number)].entry
  }

  /// Puts an object in the place of another one; returns that.
  mutating func update(_ entry: Entry, _ number: Int64) -> Entry? {
    if (count + 1) * 2 > places.count { grow() }
    let index = index(of: number)
    let old = places[index].entry
    places[index] = Place(number: number, entry: entry)
    if old == nil { count += 1 }
    return old
  }

  /// Removes an object if it is the one with a number.
  mutating func remove(_ entry: Entry, _ number: Int64) {
    if places.isEmpty { return }
    var hole = index(of: number)
    guard places[hole].entry?.toOpaque() == entry.toOpaque() else { return }
    count -= 1
    let mask = places.count - 1
    var next = (hole + 1) & mask
    while places[next].entry != nil {
      // An object behind the hole moves into it, unless its search begins behind the hole.
      if (next - start(places[next].number)) & mask >= (next - hole) & mask {
        places[hole] = places[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    places[hole].entry = nil
  }

  /// Returns the place of a number, or the first free one for it.
  private func index(of number: Int64) -> Int {
    var index = start(number)
    while places[index].entry != nil, places[index].number != number {
      index = (index + 1) & (places.count - 1)
    }
    return index
  }

  /// Returns the place where the search for a number begins.
  private func start(_ number: Int64) -> Int {
    let product = number.multipliedFullWidth(by: 0x1E37_79B9_7F4A_7C15)
    return Int(truncatingIfNeeded: product.high ^ Int64(bitPattern: product.low))
      & (places.count - 1)
  }

  private mutating func grow() {
    let old = places
    let count = max(16, old.count * 2)
    guard let memory = calloc(count, MemoryLayout<Place>.stride) else {
      preconditionFailure("There is no memory left.")
    }
    let start = memory.bindMemory(to: Place.self, capacity: count)
    places = UnsafeMutableBufferPointer(start: start, count: count)
    for place in old where place.entry != nil { places[index(of: place.number)] = place }
    free(old.baseAddress)
  }
}
