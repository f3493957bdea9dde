internal import DepotClient
internal import DepotProtocol

extension SortDescriptor where Compared: PersistentModel {
  /// Sorts by a truth value, false first.
  public init(_ keyPath: any KeyPath<Compared, Bool> & Sendable, order: SortOrder = .forward) {
    let sorted = \Compared.[falseFirst: SortedProperty(keyPath: keyPath)]
    self.init(SortedPath.keep(sorted, for: keyPath), order: order)
  }

  /// Sorts by a truth value that may be missing, nil first and false before true.
  public init(_ keyPath: any KeyPath<Compared, Bool?> & Sendable, order: SortOrder = .forward) {
    let sorted = \Compared.[falseFirst: SortedProperty(keyPath: keyPath)]
    self.init(SortedPath.keep(sorted, for: keyPath), order: order)
  }

  /// Sorts text as people expect it: without regard to case and marks first, and `9` before `10`.
  ///
  /// With the comparator `.lexical`, text is sorted by its code points.
  public init(_ keyPath: any KeyPath<Compared, String> & Sendable, order: SortOrder = .forward) {
    let sorted = \Compared.[localized: SortedProperty(keyPath: keyPath)]
    self.init(SortedPath.keep(sorted, for: keyPath, isLocalized: true), order: order)
  }

  /// Sorts text that may be missing as people expect it, nil first.
  ///
  /// With the comparator `.lexical`, text is sorted by its code points.
  public init(_ keyPath: any KeyPath<Compared, String?> & Sendable, order: SortOrder = .forward) {
    let sorted = \Compared.[localized: SortedProperty(keyPath: keyPath)]
    self.init(SortedPath.keep(sorted, for: keyPath, isLocalized: true), order: order)
  }

  /// Sorts text as people expect it: without regard to case and marks first, and `9` before `10`.
  public init(
    _ keyPath: any KeyPath<Compared, String> & Sendable,
    comparator: LocalizedTextComparator,
    order: SortOrder = .forward
  ) {
    self.init(keyPath, order: order)
  }

  /// Sorts text that may be missing as people expect it, nil first.
  public init(
    _ keyPath: any KeyPath<Compared, String?> & Sendable,
    comparator: LocalizedTextComparator,
    order: SortOrder = .forward
  ) {
    self.init(keyPath, order: order)
  }

  /// Sorts by a property of any type as the initializer for its type does.
  init<Value: Comparable>(
    property keyPath: any KeyPath<Compared, Value> & Sendable,
    order: SortOrder
  ) {
    if let text = keyPath as? KeyPath<Compared, String> {
      self.init(text.shared, order: order)
    } else {
      self.init(keyPath, order: order)
    }
  }

  /// Sorts by a property of any type that may be missing as the initializer for its type does.
  init<Value: Comparable>(
    property keyPath: any KeyPath<Compared, Value?> & Sendable,
    order: SortOrder
  ) {
    if let text = keyPath as? KeyPath<Compared, String?> {
      self.init(text.shared, order: order)
    } else {
      self.init(keyPath, order: order)
    }
  }
}

extension KeyPath {
  /// The key path, for anybody.
  var shared: any KeyPath<Root, Value> & Sendable {
    // Key paths of properties have nothing that could change.
    unsafeBitCast(self, to: (any KeyPath<Root, Value> & Sendable).self)
  }
}

/// The orders of text that `String.StandardComparator` has on Apple's systems only.
public enum LocalizedTextComparator: Sendable {
  /// As people expect it.
  case localizedStandard
  /// As people expect it, too; the order depends on no language.
  case localized
}

/// A property to be sorted by, which Foundation's descriptors can't compare as wanted.
// because it is made of key paths that are, or only compared with such:
struct SortedProperty<Model, Content>: Hashable, @unchecked Sendable {
  let keyPath: KeyPath<Model, Content>
}

extension PersistentModel {
  subscript(falseFirst value: SortedProperty<Self, Bool>) -> Int {
    self[keyPath: value.keyPath] ? 1 : 0
  }

  subscript(falseFirst value: SortedProperty<Self, Bool?>) -> Int? {
    self[keyPath: value.keyPath].map { $0 ? 1 : 0 }
  }

  subscript(localized value: SortedProperty<Self, String>) -> SortedText {
    SortedText(self[keyPath: value.keyPath])
  }

  subscript(localized value: SortedProperty<Self, String?>) -> SortedText? {
    self[keyPath: value.keyPath].map(SortedText.init)
  }
}

/// Text in the order in which the service sorts localized text.
struct SortedText: Comparable {
  let text: String
  private let key: [UInt8]

  init(_ text: String) {
    var text = text
    key = text.withUTF8(LocalizedKey.make)
    self.text = text
  }

  static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  static func < (left: Self, right: Self) -> Bool {
    if left.key == right.key { return left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }
    return left.key.lexicographicallyPrecedes(right.key)
  }
}
