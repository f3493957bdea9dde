package import DepotProtocol

/// The property that a key path of any length leads to.
///
/// Key paths don't have names on Linux. A key path is compared with the ones that records list,
/// alone and appended to each other.
package struct PropertyPath {
  /// The path on the wire.
  package let path: String
  let content: PropertyContent

  /// The type of the values on the wire.
  package var type: AttributeType { content.type }

  /// How many properties a key path may have.
  private static let depth = 4

  /// Finds the property of a record or composite that `keyPath` leads to; `nil` if there is none.
  ///
  /// Properties of its composites and relationships are found too.
  package init?<Model: RowConvertible>(_ keyPath: AnyKeyPath, of model: Model.Type) {
    if let attribute = Model.attributes[keyPath] {
      self.init(path: attribute.name, content: attribute.content)
      return
    }
    for known in Self.all(of: model) where known.matches(keyPath) {
      self.init(known)
      return
    }
    return nil
  }

  package init(_ known: Known) {
    self.init(path: known.path, content: known.content)
  }

  private init(path: String, content: PropertyContent) {
    (self.path, self.content) = (path, content)
  }

  /// A key path from a record, or from one of its properties, and its meaning.
  package struct Known {
    package let keyPath: AnyKeyPath
    let path: String
    let content: PropertyContent
    /// The description of the key path, if it can't be made itself.
    var description: String?

    fileprivate func matches(_ wanted: AnyKeyPath) -> Bool {
      description.map { $0 == "\(wanted)" } ?? (keyPath == wanted)
    }
  }

  /// The key paths that lead on from the properties of a type.
  package static func all<Model: RowConvertible>(of model: Model.Type) -> some Sequence<Known> {
    sequence(first: Model.steps) { $0.flatMap(next) }.prefix(depth).lazy.flatMap { $0 }
  }

  private static func next(_ known: Known) -> [Known] {
    guard known.description == nil else { return [] }
    if case .composite(let type, isOptional: true) = known.content {
      return type.steps.map { step in
        // `\.home?.city` can't be made of `\.home` and `\.city`, but both have a description.
        let suffix = "\(step.keyPath)".dropFirst("\\\(type)".count)
        let isWrapped = !("\(Swift.type(of: step.keyPath).valueType)".hasPrefix("Optional<"))
        return Known(
          keyPath: step.keyPath,
          path: "\(known.path).\(step.path)",
          content: step.content,
          description: "\(known.keyPath)?\(suffix)\(isWrapped ? "?" : "")"
        )
      }
    }
    return known.content.steps.compactMap { step in
      known.keyPath.appending(path: step.keyPath).map { keyPath in
        Known(keyPath: keyPath, path: "\(known.path).\(step.path)", content: step.content)
      }
    }
  }
}

extension RowConvertible {
  /// Returns the meaning of a property, or of a property behind a relationship.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if ``attributes`` doesn't list it.
  package static func property(_ keyPath: AnyKeyPath) throws(DepotError) -> PropertyPath {
    if let property = PropertyPath(keyPath, of: Self.self) { return property }
    throw DepotError.unlisted(keyPath, Self.self)
  }

  static func propertyName(at keyPath: AnyKeyPath) -> String? { attributes[keyPath]?.name }
  static var propertyNames: [String] { attributes.all.map(\.name) }
  static var columnNames: [String] { attributes.names }
}

extension DepotError {
  /// The error that a property isn't listed.
  package static func unlisted(_ keyPath: AnyKeyPath, _ type: Any.Type) -> DepotError {
    DepotError(.predicate, "\(keyPath.shortDescription) isn't one of \(type).attributes.")
      .hint("A property must be listed there to be used in predicates, sorting, and updates.")
  }
}
