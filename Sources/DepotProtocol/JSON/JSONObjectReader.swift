/// A reader of an object's members that notices those nobody asked for.
package struct JSONObjectReader {
  package let node: JSONNode
  private let members: [(name: JSONNode, value: JSONNode)]
  private var unread: Set<Int>

  /// - Throws: ``DepotError`` `request.type` if `node` isn't an object.
  package init(_ node: JSONNode) throws(DepotError) {
    self.node = node
    members = try node.members()
    unread = Set(members.indices)
  }

  /// Returns the member named `name`, which is ASCII, or `nil` if there is none.
  package mutating func optional(_ name: StaticString) -> JSONNode? {
    for (index, member) in members.enumerated() where member.name.isString(name) {
      unread.remove(index)
      return member.value
    }
    return nil
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

  package mutating func bool(
    _ name: StaticString,
    default value: Bool
  ) throws(DepotError) -> Bool {
    try optional(name)?.bool() ?? value
  }

  /// Returns a whole number in `range`.
  ///
  /// - Throws: ``DepotError`` `request.type` or `request.number_range`.
  package mutating func optionalInt(
    _ name: StaticString,
    in range: ClosedRange<Int> = 0...Int.max
  ) throws(DepotError) -> Int? {
    guard let node = optional(name) else { return nil }
    let value = Int(try node.int64())
    guard range.contains(value) else {
      throw DepotError(
        .numberRange,
        "\"\(name)\" must be from \(range.lowerBound) to \(range.upperBound)."
      ).at(node.pointer)
    }
    return value
  }

  /// - Throws: ``DepotError`` `request.unknown_member` if a member was never asked for.
  package func finish() throws(DepotError) {
    guard let index = unread.min() else { return }
    let name = members[index].name
    throw DepotError(.unknownMember, "There is no member \"\(try name.string())\" here.")
      .at(name.pointer)
  }
}
