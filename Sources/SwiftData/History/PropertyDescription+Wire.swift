internal import DepotClient
internal import DepotProtocol

/// Values of properties as events and the history tell them.
extension PropertyDescription {
  /// Whether the history keeps the value of a deleted object.
  var isPreserved: Bool { attribute?.options.contains(.preserveValueOnDeletion) ?? false }

  /// Returns the value of an attribute among values of the wire.
  ///
  /// - Parameters:
  ///   - members: The values by the names of columns.
  ///   - known: The value from which the missing parts of a composite are taken.
  /// - Returns: The value; `nil` if it isn't among them, or isn't told as a whole.
  func attributeValue(in members: [String: JSONValue], over known: Any? = nil) -> Any? {
    guard let codec else { return nil }
    let rest = known.flatMap { try? codec.values($0) }
    var columns: [String] = []
    var isTold = false
    for (index, suffix) in codec.suffixes.enumerated() {
      if let member = members[name + suffix] {
        guard !member.isLength else { return nil }
        columns.append(member.text)
        isTold = true
      } else if let rest, index < rest.count {
        var writer = JSONWriter()
        writer.write(rest[index])
        columns.append(String(decoding: writer.bytes, as: UTF8.self))
      } else {
        return nil
      }
    }
    guard isTold else { return nil }
    let bytes = Array("[[\(columns.joined(separator: ","))]]".utf8)
    return try? bytes.withUnsafeBufferPointer { bytes -> Any in
      var reader = try RowReader(bytes)
      _ = try reader.beginRow()
      let value = try codec.read(&reader)
      try reader.endRow()
      return value
    }
  }
}

extension JSONValue {
  /// Whether it stands for a value that isn't told because it is stored outside its row.
  fileprivate var isLength: Bool { self["$length"] != nil }
}

extension PersistentIdentifier {
  /// Returns the identifier of an object of the same store.
  func sibling(_ description: EntityDescription, _ row: Int64) -> PersistentIdentifier {
    PersistentIdentifier(
      EntityKey.of(
        store: storeIdentifier,
        entity: description.name,
        root: description.root.name
      ),
      .row(row)
    )
  }
}
