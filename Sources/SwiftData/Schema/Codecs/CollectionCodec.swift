internal import DepotProtocol

/// A collection that one column can hold.
protocol StorableCollection: Sequence {
  static var kind: Attribute.CollectionKind { get }
  init(_ elements: [Element])
}

extension Array: StorableCollection {
  static var kind: Attribute.CollectionKind { .array }
}

extension ContiguousArray: StorableCollection {
  static var kind: Attribute.CollectionKind { .array }
  init(_ elements: [Element]) { self = elements.withUnsafeBufferPointer { ContiguousArray($0) } }
}

extension Set: StorableCollection {
  static var kind: Attribute.CollectionKind { .set }
  init(_ elements: [Element]) { self = elements.reduce(into: []) { $0.insert($1) } }
}

/// The codec of a collection of values that one column each could hold.
final class CollectionCodec<Content: StorableCollection>: AttributeCodec {
  private let codec: AttributeCodec

  /// Returns `nil` if an element needs several columns, or may be missing.
  init?(_: Content.Type) {
    codec = .of(Content.Element.self, nil)
    let attribute = codec.attribute
    guard codec.problem == nil, attribute.type.isScalar, attribute.collection == nil,
      !attribute.isOptional
    else { return nil }
  }

  override var attribute: Attribute {
    var attribute = codec.attribute
    attribute.collection = Content.kind
    return attribute
  }

  override var placeholder: Any { Content([]) }

  override func read(_ row: inout RowReader) throws -> Any {
    if try row.skipNull() { return placeholder }
    var elements: [Content.Element] = []
    var failure: (any Error)?
    try row.list { (row) throws(DepotError) in
      do {
        guard failure == nil, let element = try codec.read(&row) as? Content.Element else { return }
        elements.append(element)
      } catch let error as DepotError {
        throw error
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return Content(elements)
  }

  override func values(_ value: Any) throws -> [Value] {
    let value = try cast(value, to: Content.self)
    let elements = try value.flatMap { try codec.values($0) }
    return [.list(Content.kind == .set ? elements.different : elements)]
  }
}
