/// The identifier of a row of one entity, written `Package/42`.
public struct Identifier<Model>: Hashable, Sendable {
  /// The number, which is different for each row of the entity and never used again.
  public var value: Int64

  /// Creates an identifier from its number.
  public init(_ value: Int64) {
    self.value = value
  }
}

extension Identifier: Comparable {
  public static func < (left: Identifier, right: Identifier) -> Bool { left.value < right.value }
}

extension Identifier: CustomStringConvertible, LosslessStringConvertible where Model: Record {
  /// Reads the form `Package/42`; `nil` if it isn't one or names another entity.
  public init?(_ description: String) {
    let parts = description.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == Model.entity, let value = Int64(parts[1]), value > 0 else {
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
