public import DepotProtocol

/// The row that a relationship leads to: its identifier, and the record if it was prefetched.
///
/// The record's properties are there under their names, `nil` if it wasn't prefetched. A predicate
/// needs no prefetching: `$0.country?.name == "Norway"`, `$0.tags.contains { $0.name == "new" }`.
@dynamicMemberLookup
public struct Related<Destination: Sendable>: Sendable {
  /// The identifier of the row.
  public let id: Identifier<Destination>
  private let box: RecordBox<Destination>?

  /// Refers to the row that has an identifier, which may be temporary.
  public init(_ id: Identifier<Destination>) {
    self.id = id
    box = nil
  }

  /// Refers to the row that a record was read from.
  public init(_ id: Identifier<Destination>, _ record: Destination) {
    self.id = id
    box = RecordBox(record)
  }

  init(_ id: Identifier<Destination>, box: RecordBox<Destination>?) {
    self.id = id
    self.box = box
  }

  /// The record; `nil` if it wasn't prefetched.
  public var record: Destination? { box?.record }

  /// A property of the record; `nil` if it wasn't prefetched.
  public subscript<Content>(dynamicMember keyPath: KeyPath<Destination, Content>) -> Content? {
    box?.record[keyPath: keyPath]
  }

  /// A property of the record; `nil` if it has no value or wasn't prefetched.
  public subscript<Content>(dynamicMember keyPath: KeyPath<Destination, Content?>) -> Content? {
    box?.record[keyPath: keyPath]
  }
}

/// A record that everything which refers to it shares.
@Memberwise("record")
final class RecordBox<Destination: Sendable>: Sendable {
  let record: Destination
}

extension Related: Hashable {
  /// Whether both lead to the same row.
  public static func == (left: Related, right: Related) -> Bool { left.id == right.id }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
  }
}

/// It is encoded as its identifier, so that predicates can capture it.
extension Related: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(try Identifier(from: decoder))
  }

  public func encode(to encoder: any Encoder) throws {
    try id.encode(to: encoder)
  }
}

extension Related: CustomStringConvertible where Destination: Record {
  public var description: String { id.description }
}

/// The type of a relationship's property: an ``Identifier`` or a ``Related``.
public protocol Reference: AttributeValue {
  associatedtype Destination: Record
}

extension Identifier: Reference where Model: Record {
  public typealias Destination = Model
}

extension Related: AttributeValue, Reference where Destination: Record {
  public static var attributeType: AttributeType { .int64 }

  /// Reads the identifier, and finds the record if it was prefetched.
  public static func read(from row: inout RowReader) throws(DepotError) -> Related {
    let scope = row.relatives as? RelatedScope
    let column = row.column
    let id = try Identifier<Destination>.read(from: &row)
    return Related(id, box: try scope?.record(at: column, id))
  }

  public var attributeValue: Value { id.attributeValue }
}

extension Array where Element: RelatedElement {
  /// The stand-in for each row in the key path of a prefetch beyond a to-many relationship:
  /// `\.tags.every.owner`.
  public var every: Element { first ?? Element.nothing }
}

/// A ``Related``, as the element of an array.
public protocol RelatedElement {
  /// A relationship that leads to no row.
  static var nothing: Self { get }
}

extension Related: RelatedElement {
  public static var nothing: Related { Related(Identifier(0)) }
}
