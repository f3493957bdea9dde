public import DepotProtocol

/// A new value for an attribute, named by its property.
public struct Assignment<Model: Record>: Sendable {
  let keyPath: any PartialKeyPath<Model> & Sendable
  let value: Value

  /// Gives the attribute of the property `keyPath` the value `content`.
  public static func set<Content: AttributeValue>(
    _ keyPath: any KeyPath<Model, Content> & Sendable,
    to content: Content
  ) -> Assignment {
    Assignment(keyPath: keyPath, value: content.attributeValue)
  }
}
