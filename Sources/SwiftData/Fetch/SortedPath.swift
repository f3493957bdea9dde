internal import DepotClient
internal import DepotProtocol
internal import Foundation
internal import Synchronization

/// The path by which a sort descriptor sorts.
struct SortedPath {
  let path: String
  let isLocalized: Bool

  /// Finds the property; `nil` if the service can't sort like the descriptor.
  static func find<T: PersistentModel>(_ descriptor: SortDescriptor<T>) -> SortedPath? {
    guard let keyPath = descriptor.keyPath else { return nil }
    if let comparator = descriptor.stringComparator, comparator != .lexical { return nil }
    let key = KnownKeyPath<AnyKeyPath>(keyPath: keyPath)
    if let path = known.withLock({ $0[key] }) { return path }
    let path = search(keyPath, T.self)
    known.withLock { $0[key] = .some(path) }
    return path
  }

  /// The paths that were found for key paths.
  private static let known = Mutex<[KnownKeyPath<AnyKeyPath>: SortedPath?]>([:])

  private static func search<T: PersistentModel>(_ keyPath: AnyKeyPath, _: T.Type) -> SortedPath? {
    let property = SortedKeyPaths.property(keyPath)
    guard let known = ModelPath.find(property?.keyPath ?? keyPath, of: T.self), known.isComparable,
      property != nil || known.isSortedAsStored
    else { return nil }
    return SortedPath(path: known.path, isLocalized: property?.isLocalized ?? false)
  }
}
