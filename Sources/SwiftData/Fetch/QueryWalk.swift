internal import DepotProtocol

/// The search of an expression for its relationships, and for parts that the service doesn't know.
struct QueryWalk {
  private let description: EntityDescription
  private let entities: [String: EntityDescription]
  private var variables: [String: Position] = [:]
  /// The elements of the collections around the current part, the innermost last; `nil` for values.
  private var elements: [Position?] = []
  /// The relationships, each by its path from the row.
  private(set) var prefixes: [Prefix] = []
  /// The first part that the service doesn't know or can't compare; `nil` if there is none.
  private(set) var problem: String?

  /// A path of relationships, and the entity that it leads to.
  struct Prefix: Hashable {
    var path: String
    var entity: String
  }

  /// The position of an object: its path and its entity.
  private struct Position {
    var path: String
    var description: EntityDescription
  }

  /// - Parameters:
  ///   - description: The entity that the expression is about.
  ///   - entities: Others that it may name.
  init(_ description: EntityDescription, _ entities: [String: EntityDescription] = [:]) {
    self.description = description
    self.entities = entities
  }

  /// Examines an expression.
  mutating func visit(_ expression: QueryExpression) {
    switch expression {
    case .value, .now, .variable: return
    case .search(let paths, _): search(paths)
    case .attribute, .member: _ = place(of: expression)
    case .comparison(.equal, let left, .value(.null), _),
      .comparison(.notEqual, let left, .value(.null), _):
      // The service knows whether a value is missing, even of types that it can't read.
      if isPath(left) { _ = place(of: left, asWhole: true) } else { visit(left) }
    case .quantified(_, let collection, let name, let test),
      .filtered(let collection, let name, let test):
      visit(collection)
      let outer = variables
      let element = place(of: collection)
      variables[name] = element
      elements.append(element)
      visit(test)
      elements.removeLast()
      variables = outer
    case .element(let collection, _), .slice(let collection, _):
      visit(collection)
      if isUnordered(collection) { problem = problem ?? "the order of a relationship" }
    default: for part in expression.children { visit(part) }
    }
  }

  /// Examines a search of texts of the object, or of the innermost element.
  private mutating func search(_ paths: [String]) {
    guard let start = elements.last ?? Position(path: "", description: description) else {
      problem = problem ?? "a search of a value"
      return
    }
    if paths.isEmpty { check(start.description.properties, of: start.description.name) }
    for path in paths {
      if let place = follow(path, from: start, false) {
        check(place.description.properties, of: place.description.name)
      } else {
        let last = start.description.properties(along: path)?.last
        check(last.map { [$0] } ?? [], of: "\(start.description.name).\(path)")
      }
    }
  }

  /// Checks that the service can search one of the properties.
  private mutating func check(_ properties: [PropertyDescription], of name: String) {
    if !properties.contains(where: \.isSearchable) {
      problem = problem ?? "the words of \(name), which isn't marked .spotlight"
    }
  }

  private func isPath(_ expression: QueryExpression) -> Bool {
    switch expression {
    case .attribute, .member: true
    default: false
    }
  }

  /// Finds the object or objects that an expression leads to; `nil` if it leads to a value.
  ///
  /// If the expression is compared as a whole, only its presence matters.
  private mutating func place(
    of expression: QueryExpression,
    asWhole isWhole: Bool = false
  ) -> Position? {
    switch expression {
    case .attribute(let path):
      return follow(path, from: Position(path: "", description: description), isWhole)
    case .member(let base, let path):
      guard let start = place(of: base) else {
        problem = problem ?? "\(path) of a value"
        return nil
      }
      return follow(path, from: start, isWhole)
    case .variable(let name):
      return variables[name] ?? Position(path: "", description: description)
    case .cast(let part, let entity):
      guard let place = place(of: part), let entity = entities[entity] else { return nil }
      return Position(path: place.path, description: entity)
    case .filtered(let collection, _, _), .element(let collection, _), .slice(let collection, _):
      visit(expression)
      return place(of: collection)
    default:
      visit(expression)
      return nil
    }
  }

  private mutating func follow(_ path: String, from start: Position, _ isWhole: Bool) -> Position? {
    var place = start
    var steps = path.split(separator: ".").map(String.init)[...]
    while let step = steps.popFirst() {
      if step.hasPrefix("$") { return nil }
      guard let property = place.description.property(named: step) else {
        problem = problem ?? "\(place.description.name).\(step)"
        return nil
      }
      if let codec = property.codec {
        check(property, codec, steps, of: "\(place.description.name).\(step)", isWhole)
        return nil
      }
      guard let destination = property.destination else { return nil }
      let whole = place.path.isEmpty ? step : "\(place.path).\(step)"
      place = Position(path: whole, description: EntityDescription.of(destination))
      let prefix = Prefix(path: whole, entity: place.description.name)
      if !prefixes.contains(prefix) { prefixes.append(prefix) }
    }
    return place
  }

  /// Checks that the service can read a part of an attribute.
  private mutating func check(
    _ property: PropertyDescription,
    _ codec: AttributeCodec,
    _ steps: ArraySlice<String>,
    of name: String,
    _ isWhole: Bool
  ) {
    let suffix = steps.map { ".\($0)" }.joined()
    let isKnown = codec.suffixes.contains { $0 == suffix || $0.hasPrefix(suffix + ".") }
    if !isKnown {
      problem = problem ?? "\(name)\(suffix), which is stored as a whole"
    } else if let opacity = property.opacity, !isWhole || !property.isStored {
      problem = problem ?? "the value of \(name), which \(opacity)"
    }
  }

  private func isUnordered(_ expression: QueryExpression) -> Bool {
    guard case .attribute(let path) = expression,
      let last = description.properties(along: path)?.last
    else { return false }
    return last.isToMany && last.relationship?.isOrdered != true
  }
}
