internal import DepotClient
internal import DepotProtocol

/// Values of properties in the JSON of events and the history.
extension PropertyDescription {
  /// Whether the history keeps the value of a deleted object.
  var isPreserved: Bool { attribute?.options.contains(.preserveValueOnDeletion) ?? false }

  /// Returns the property's value from the JSON of values.
  ///
  /// - Parameters:
  ///   - members: The values by the names of columns.
  ///   - known: The value whose parts complete a composite.
  ///   - identifier: Returns the identifier of a row that a relationship leads to.
  /// - Returns: The value; unloaded if it isn't among them or is incomplete, and for a to-many
  ///   relationship.
  func slot(
    in members: [String: [UInt8]],
    over known: Slot = .unloaded,
    _ identifier: (any PersistentModel.Type, Int64) -> PersistentIdentifier?
  ) -> Slot {
    switch kind {
    case .attribute(let codec): return value(codec, in: members, over: known)
    case .toOne(let type, _):
      guard let member = members[name] else { return .unloaded }
      return member.identifier.flatMap { identifier(type, $0) }.map(Slot.reference) ?? .nothing
    case .toMany: return .unloaded
    }
  }

  private func value(
    _ codec: AttributeCodec,
    in members: [String: [UInt8]],
    over known: Slot
  ) -> Slot {
    var rest: [Value] = []
    if case .value(let cell) = known { rest = (try? codec.values(cell.any)) ?? [] }
    var columns: [[UInt8]] = []
    var isTold = false
    for (index, suffix) in codec.suffixes.enumerated() {
      if let member = members[name + suffix] {
        guard !member.isLength else { return .unloaded }
        columns.append(member)
        isTold = true
      } else if index < rest.count {
        columns.append(rest[index].jsonBytes)
      } else {
        return .unloaded
      }
    }
    return isTold ? (try? codec.value(of: columns)).map(Slot.value(any:)) ?? .unloaded : .unloaded
  }
}

extension [UInt8] {
  /// The identifier whose JSON it is; `nil` for another value.
  var identifier: Int64? {
    withUnsafeBufferPointer { bytes in
      var reader = RowReader(value: bytes)
      return (try? reader.field())?.int64
    }
  }

  /// Whether it is the length of a value that is stored outside its row.
  fileprivate var isLength: Bool { starts(with: "{\"$length\":".utf8) }
}
