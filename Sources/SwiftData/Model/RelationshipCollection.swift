/// A type of to-many relationships.
///
/// Its requirements have underscores, as they aren't for programs to call.
// swift-format-ignore: NoLeadingUnderscores
public protocol RelationshipCollection {
  associatedtype PersistentElement: PersistentModel

  /// Creates the collection of some objects; `nil` makes the empty one, or `nil` if it can be.
  init(_$storages: [ModelStorage]?)

  /// The storages of the objects; `nil` if there is no collection.
  var _$storages: [ModelStorage]? { get }

  /// Returns the part of an earlier collection that has changed; `nil` if that can't be
  /// determined.
  ///
  /// `removed` is its range, `count` how many objects the earlier collection has, and `added` are
  /// the storages of the objects that replace the part.
  func _$edit(
    since earlier: Self
  ) -> (removed: Range<Int>, count: Int, added: [ModelStorage])?
}

extension RelationshipCollection {
  // swift-format-ignore: NoLeadingUnderscores
  public func _$edit(
    since earlier: Self
  ) -> (removed: Range<Int>, count: Int, added: [ModelStorage])? { nil }
}

// Not for programs to call.
// swift-format-ignore: NoLeadingUnderscores
extension Array: RelationshipCollection where Element: PersistentModel {
  public typealias PersistentElement = Element

  public init(_$storages: [ModelStorage]?) {
    self.init()
    guard let storages = _$storages else { return }
    reserveCapacity(storages.count)
    for storage in storages {
      if let model = storage.model as? Element { append(model) }
    }
  }

  public var _$storages: [ModelStorage]? {
    var storages: [ModelStorage] = []
    storages.reserveCapacity(count)
    for element in self {
      if let storage = element.ownStorage { storages.append(storage) }
    }
    return storages
  }

  public func _$edit(
    since earlier: [Element]
  ) -> (removed: Range<Int>, count: Int, added: [ModelStorage])? {
    let (start, end) = commonEnds(earlier)
    let added = Array(self[start..<count - end])._$storages ?? []
    return (start..<earlier.count - end, earlier.count, added)
  }

  /// Returns how many objects another array has in common with this one at the beginning, and how many
  /// others at the end.
  private func commonEnds(_ other: [Element]) -> (start: Int, end: Int) {
    withUnsafeBytes { left in
      other.withUnsafeBytes { right in
        // Objects are compared by their addresses, without being retained.
        let (left, right) = (left.bindMemory(to: UInt.self), right.bindMemory(to: UInt.self))
        let limit = Swift.min(left.count, right.count)
        var start = 0
        while start < limit, left[start] == right[start] { start += 1 }
        var end = 0
        while end < limit - start, left[left.count - 1 - end] == right[right.count - 1 - end] {
          end += 1
        }
        return (start, end)
      }
    }
  }
}

// Not for programs to call.
// swift-format-ignore: NoLeadingUnderscores
extension Optional: RelationshipCollection where Wrapped: RelationshipCollection {
  public typealias PersistentElement = Wrapped.PersistentElement

  public init(_$storages: [ModelStorage]?) { self = _$storages.map { Wrapped(_$storages: $0) } }

  public var _$storages: [ModelStorage]? { flatMap(\._$storages) }

  public func _$edit(
    since earlier: Wrapped?
  ) -> (removed: Range<Int>, count: Int, added: [ModelStorage])? {
    guard let self, let earlier else { return nil }
    return self._$edit(since: earlier)
  }
}
