internal import DepotProtocol

/// The attributes and relationships of a record by their order and by their properties.
public struct RecordAttributes<Model: Sendable>: Sendable, ExpressibleByArrayLiteral {
  /// The names of the columns that a row's values belong to, in order.
  public let names: [String]
  /// The paths that are selected to read the values.
  package let selection: [String]
  let all: [RecordAttribute<Model>]
  private let byHash: [Int: [RecordAttribute<Model>]]
  private let byMemberHash: [Int: [RecordAttribute<Model>]]

  /// Creates the list from the pairs in the order of a row's values.
  public init(_ attributes: [RecordAttribute<Model>]) {
    all = attributes
    names = attributes.flatMap { $0.content.columns($0.name) }
    selection = attributes.flatMap { attribute in
      attribute.readsLength
        ? ["\(attribute.name).\(KeyPathSyntax.length)"]
        : attribute.content.columns(attribute.name)
    }
    precondition(Set(names).count == names.count, "A record names each attribute once.")
    // A key path that isn't known to be Sendable can't be looked up among Sendable ones, but its
    // hash can.
    byHash = Dictionary(grouping: attributes) { $0.keyPath.hashValue }
    byMemberHash = Dictionary(grouping: attributes) { $0.member().hashValue }
  }

  public init(arrayLiteral attributes: RecordAttribute<Model>...) {
    self.init(attributes)
  }

  /// Returns the attribute of a property, or `nil`.
  subscript(keyPath: AnyKeyPath) -> RecordAttribute<Model>? {
    byHash[keyPath.hashValue]?.first { $0.keyPath == keyPath }
  }

  /// Returns the attribute of a property of a ``Related``, or `nil`.
  subscript(member keyPath: AnyKeyPath) -> RecordAttribute<Model>? {
    byMemberHash[keyPath.hashValue]?.first { $0.member() == keyPath }
  }
}

extension AnyKeyPath {
  /// The key path as it stands in source, as far as the program knows.
  var shortDescription: String {
    let text = "\(self)"
    guard let start = text.firstRange(of: "<computed")?.lowerBound else { return text }
    return text[..<start] + "(a computed property)"
  }
}
