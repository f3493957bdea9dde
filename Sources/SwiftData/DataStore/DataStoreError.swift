/// A refusal of a store of the program's own.
///
/// After one of the two `preferInMemory` errors, the context does that part itself, over all
/// objects of the entity.
public enum DataStoreError: Error, Hashable, Sendable {
  /// The store doesn't have the requested feature.
  case unsupportedFeature
  /// The store leaves predicates to the context.
  case preferInMemoryFilter
  /// The store leaves sorting to the context.
  case preferInMemorySort
  /// The store can't evaluate the predicate.
  case invalidPredicate
}

extension DataStoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unsupportedFeature: "The store doesn't support this."
    case .preferInMemoryFilter: "The store leaves predicates to the context."
    case .preferInMemorySort: "The store leaves sorting to the context."
    case .invalidPredicate: "The store can't evaluate the predicate."
    }
  }
}
