public import DepotProtocol

/// A property of a record and the attribute that it stands for.
public struct RecordAttribute<Model>: Sendable {
  let keyPath: any PartialKeyPath<Model> & Sendable
  let name: String

  /// Creates a pair of a property and the name of an attribute.
  public init<Content: AttributeValue>(
    _ keyPath: any KeyPath<Model, Content> & Sendable,
    _ name: String
  ) {
    self.init(keyPath: keyPath, name: name)
  }

  private init(keyPath: any PartialKeyPath<Model> & Sendable, name: String) {
    self.keyPath = keyPath
    self.name = name
  }

  /// Names the property that holds the row's identifier.
  ///
  /// It isn't read or written with the values; predicates and sort descriptors may use it.
  public static func identifier(
    _ keyPath: any KeyPath<Model, Identifier<Model>?> & Sendable
  ) -> RecordAttribute {
    RecordAttribute(keyPath: keyPath, name: "$id")
  }

  /// Names the property that holds the row's version.
  ///
  /// It isn't read or written with the values; predicates and sort descriptors may use it.
  public static func version(_ keyPath: any KeyPath<Model, Int64> & Sendable) -> RecordAttribute {
    RecordAttribute(keyPath: keyPath, name: "$version")
  }
}

/// The attributes of a record by their order and by their properties.
public struct RecordAttributes<Model>: Sendable, ExpressibleByArrayLiteral {
  /// The names of the attributes that a row's values belong to, in order.
  public let names: [String]
  private let byHash: [Int: [RecordAttribute<Model>]]

  /// Creates the list from the pairs in the order of a row's values.
  public init(_ attributes: [RecordAttribute<Model>]) {
    names = attributes.map(\.name).filter { !$0.hasPrefix("$") }
    precondition(Set(names).count == names.count, "A record names each attribute once.")
    // A key path that isn't known to be Sendable can't be looked up among those that are, but its
    // hash can.
    byHash = Dictionary(grouping: attributes) { $0.keyPath.hashValue }
  }

  public init(arrayLiteral attributes: RecordAttribute<Model>...) {
    self.init(attributes)
  }

  /// Returns the name of the attribute that a property stands for, or `nil`.
  func name(of keyPath: AnyKeyPath) -> String? {
    byHash[keyPath.hashValue]?.first { $0.keyPath == keyPath }?.name
  }
}

extension Record {
  /// Returns the name of the attribute that a property stands for.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if ``attributes`` doesn't list it.
  static func attributeName(of keyPath: AnyKeyPath) throws(DepotError) -> String {
    if let name = attributes.name(of: keyPath) { return name }
    throw DepotError(
      .predicate,
      "\(keyPath.shortDescription) isn't one of \(Self.self).attributes."
    ).hint("A property must be listed there to be used in predicates, sorting, and updates.")
  }
}

extension AnyKeyPath {
  /// What the key path looks like in source, as far as the program knows.
  var shortDescription: String {
    let text = "\(self)"
    guard let start = text.firstRange(of: "<computed")?.lowerBound else { return text }
    return text[..<start] + "(a computed property)"
  }
}
