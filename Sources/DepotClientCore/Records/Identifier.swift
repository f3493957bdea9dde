public import DepotProtocol
internal import Synchronization

/// The identifier of a row of one entity, written `Package/42`.
@Memberwise("value")
public struct Identifier<Model>: Hashable, Sendable {
  /// The number, which is different for each row of the entity and never used again.
  ///
  /// In a ``Save``, a row to be inserted has a temporary, negative number.
  public var value: Int64
}

extension Identifier {
  /// Whether the row isn't stored yet.
  public var isTemporary: Bool { value < 0 }

  /// Returns an identifier that no other row of this program has or had.
  static func temporary() -> Identifier {
    Identifier(TemporaryNumbers.last.subtract(1, ordering: .relaxed).newValue)
  }
}

/// The temporary identifiers, which aren't used twice, so that one of another save is noticed.
private enum TemporaryNumbers {
  static let last = Atomic<Int64>(0)
}

extension Identifier: Comparable {
  public static func < (left: Identifier, right: Identifier) -> Bool { left.value < right.value }
}

extension Identifier: CustomStringConvertible, LosslessStringConvertible where Model: Record {
  /// Reads the form `Package/42`; `nil` if it isn't one or names another entity.
  public init?(_ description: String) {
    let parts = description.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == Model.entity, let value = Int64(parts[1]), value != 0 else {
      return nil
    }
    self.init(value)
  }

  public var description: String { "\(Model.entity)/\(value)" }
}

extension Identifier: Codable {
  public init(from decoder: any Decoder) throws {
    value = try decoder.singleValueContainer().decode(Int64.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

extension Identifier: AttributeValue {
  public static var attributeType: AttributeType { .int64 }
  public static func read(from row: inout RowReader) throws(DepotError) -> Identifier {
    Identifier(try row.next())
  }
  public var attributeValue: Value {
    isTemporary ? .string("#\(value.magnitude)") : .int64(value)
  }
}
