/// A reader of an object's members that notices unknown ones.
package struct JSONObjectReader {
  package let node: JSONNode
  /// A bit for each of the first 64 members that was never read; no operation has as many.
  private var unread: UInt64

  /// - Throws: ``DepotError`` `request.type` if `node` isn't an object.
  package init(_ node: JSONNode) throws(DepotError) {
    guard node.kind == .object else { throw node.wrongType("an object") }
    self.node = node
    unread = node.count < 64 ? (1 << UInt64(node.count)) - 1 : .max
  }

  /// Returns the member named `name`, which is ASCII, or `nil` if there is none.
  package mutating func optional(_ name: StaticString) -> JSONNode? {
    guard let (position, value) = node.member(name) else { return nil }
    unread &= ~(1 << UInt64(position))
    return value
  }

  /// - Throws: ``DepotError`` `request.missing_member` if there is no member named `name`.
  package mutating func required(_ name: StaticString) throws(DepotError) -> JSONNode {
    guard let value = optional(name) else {
      throw DepotError(.missingMember, "The member \"\(name)\" is missing.").at(node.pointer)
    }
    return value
  }

  package mutating func string(_ name: StaticString) throws(DepotError) -> String {
    try required(name).string()
  }

  package mutating func optionalString(_ name: StaticString) throws(DepotError) -> String? {
    try optional(name)?.string()
  }

  /// Returns a whole number in `range`.
  ///
  /// - Throws: ``DepotError`` `request.type` or `request.number_range`.
  package mutating func optionalInt(
    _ name: StaticString,
    in range: ClosedRange<Int> = 0...Int.max
  ) throws(DepotError) -> Int? {
    guard let node = optional(name) else { return nil }
    return try Self.int(node, name, in: range)
  }

  /// Returns a whole number in `range`, the value of the member `name`.
  ///
  /// - Throws: ``DepotError`` `request.type` or `request.number_range`.
  static func int(
    _ node: JSONNode,
    _ name: StaticString,
    in range: ClosedRange<Int>
  ) throws(DepotError) -> Int {
    let value = Int(try node.int64())
    guard range.contains(value) else {
      throw DepotError(
        .numberRange,
        "\"\(name)\" must be from \(range.lowerBound) to \(range.upperBound)."
      ).at(node.pointer)
    }
    return value
  }

  /// Whether every member was read, so that there can't be others.
  package var isAtEnd: Bool { unread == 0 }

  /// - Throws: ``DepotError`` `request.unknown_member` if a member was never asked for.
  package func finish() throws(DepotError) {
    guard unread != 0 else { return }
    let name = try node.members()[unread.trailingZeroBitCount].name
    throw DepotError(.unknownMember, "There is no member \"\(try name.string())\" here.")
      .at(name.pointer)
  }
}
