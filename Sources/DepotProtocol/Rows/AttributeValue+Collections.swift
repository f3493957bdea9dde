extension Array: AttributeValue where Element: AttributeValue {
  public static var attributeType: AttributeType { Element.attributeType }
  public static func describe(_ attribute: inout Attribute) {
    Element.describe(&attribute)
    attribute.isOptional = false
    attribute.describe(.array)
  }
  public static func read(from row: inout RowReader) throws(DepotError) -> [Element] {
    var elements: [Element] = []
    try row.list { (row) throws(DepotError) in elements.append(try Element.read(from: &row)) }
    return elements
  }
  public var attributeValue: Value { .list(map(\.attributeValue)) }
}

extension Set: AttributeValue where Element: AttributeValue {
  public static var attributeType: AttributeType { Element.attributeType }
  public static func describe(_ attribute: inout Attribute) {
    Element.describe(&attribute)
    attribute.isOptional = false
    attribute.describe(.set)
  }
  public static func read(from row: inout RowReader) throws(DepotError) -> Set<Element> {
    Set(try [Element].read(from: &row))
  }
  public var attributeValue: Value { .list(map(\.attributeValue).different) }
}

extension Attribute {
  /// Turns the attribute into a collection; one with elements that are JSON or collections is JSON.
  fileprivate mutating func describe(_ kind: CollectionKind) {
    if type.isScalar, collection == nil {
      collection = kind
    } else {
      type = .json
      collection = nil
    }
  }
}
