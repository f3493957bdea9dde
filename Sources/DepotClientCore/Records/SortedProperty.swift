internal import DepotProtocol
internal import Synchronization

/// A property to be sorted by, which Foundation's descriptors can't compare as wanted.
package struct SortedProperty<Model, Content>: Hashable, Sendable {
  private let known: any KeyPath<Model, Content> & Sendable

  package init(_ keyPath: any KeyPath<Model, Content> & Sendable) { known = keyPath }

  package var keyPath: KeyPath<Model, Content> { known }

  package static func == (left: Self, right: Self) -> Bool { left.keyPath == right.keyPath }

  package func hash(into hasher: inout Hasher) { hasher.combine(keyPath) }
}

/// A type of values that are sorted in another way than Foundation does.
package protocol SortedContent {
  associatedtype Sortable: Comparable
  /// The value in the service's sort order.
  var sortable: Sortable { get }
}

extension Bool: SortedContent {
  package var sortable: Int { self ? 1 : 0 }
}

extension String: SortedContent {
  package var sortable: SortedText { SortedText(self) }
}

/// Text in the service's order of localized text.
package struct SortedText: Comparable {
  private let text: String
  private let key: [UInt8]

  package init(_ text: String) {
    var text = text
    key = text.withUTF8(LocalizedKey.make)
    self.text = text
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.text.utf8.elementsEqual(right.text.utf8)
  }

  package static func < (left: Self, right: Self) -> Bool {
    if left.key == right.key { return left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }
    return left.key.lexicographicallyPrecedes(right.key)
  }
}

/// The key paths that sort by a property in another way than Foundation does.
package enum SortedKeyPaths {
  private static let known = Mutex<[KnownKeyPath<AnyKeyPath>: KnownKeyPath<AnyKeyPath>]>([:])

  /// Returns a key path that sorts by a property, and keeps which property that is.
  package static func keep<Model, Value>(
    _ sorted: any KeyPath<Model, Value> & Sendable,
    for property: PartialKeyPath<Model>
  ) -> any KeyPath<Model, Value> & Sendable {
    let key = KnownKeyPath<AnyKeyPath>(keyPath: sorted)
    let value = KnownKeyPath<AnyKeyPath>(keyPath: property)
    known.withLock { if $0[key] == nil { $0[key] = value } }
    return sorted
  }

  /// Returns the property that a key path sorts by, and whether it is in a localized order.
  ///
  /// It returns `nil` if the key path is a property itself.
  package static func property(
    _ sorted: AnyKeyPath
  ) -> (keyPath: AnyKeyPath, isLocalized: Bool)? {
    let key = KnownKeyPath(keyPath: sorted)
    let type = type(of: sorted).valueType
    return known.withLock { $0[key] }
      .map { ($0.keyPath, type == SortedText.self || type == SortedText?.self) }
  }
}
