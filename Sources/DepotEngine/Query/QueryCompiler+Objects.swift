internal import DepotProtocol

extension QueryCompiler {
  /// Translates whether an object is of an entity or a descendant.
  mutating func kind(of part: QueryExpression, is entity: String) throws(DepotError) -> Condition {
    let object = try object(part)
    guard let kinds = try kinds(of: entity, among: object.layout) else {
      return Condition(object.isNullable ? object.identifier + " IS NOT NULL" : .true)
    }
    let alias = try alias(of: object)
    let condition = Fragment(sql: "\(alias).kind IN (\(kinds))")
    let guarded = Fragment.joined((object.guards + [condition])[...], by: "AND")
    return Condition(guarded.parenthesized, isNullable: true)
  }

  /// Translates an object as one of an entity; other objects become nothing.
  mutating func cast(_ part: QueryExpression, _ entity: String) throws(DepotError) -> QueryObject {
    var object = try object(part)
    guard let kinds = try kinds(of: entity, among: object.layout) else {
      return object
    }
    let alias = try alias(of: object)
    object.layout = try catalog.layout(of: entity)
    object.guards.append(Fragment(sql: "\(alias).kind IN (\(kinds))"))
    object.identifier = object.guarded(object.identifier)
    object.isNullable = true
    object.rowSource = .alias(alias)
    object.source = subject
    return object
  }

  private mutating func object(_ part: QueryExpression) throws(DepotError) -> QueryObject {
    guard case .object(let object) = try term(part) else {
      throw invalid("\(part.spelling) is no object.")
    }
    return object
  }

  /// Returns the numbers of an entity and its descendants.
  ///
  /// It is `nil` if all objects of `layout` are of the entity.
  private func kinds(of entity: String, among layout: EntityLayout) throws(DepotError) -> String? {
    let wanted = try catalog.layout(of: entity)
    if layout.numbers.keys.allSatisfy({ wanted.numbers[$0] != nil }) { return nil }
    guard wanted.numbers.keys.allSatisfy({ layout.numbers[$0] != nil }) else {
      throw invalid("\(layout.name) is never \(entity).")
        .hint("Name an entity that descends from \(layout.name).")
    }
    return wanted.numbers.keys.sorted().map(String.init).joined(separator: ", ")
  }
}
