internal import DepotProtocol

/// A column of the rows in a request.
struct InputColumn {
  let name: String
  let target: Target

  enum Target {
    /// The row's own identifier, which is temporary in inserts.
    case identifier
    /// The version of the row that the client has read.
    case version
    /// An attribute, and the index of its column; `nil` if it is checked but not stored.
    case attribute(FieldRule, place: Int?)
    /// A composite as a whole.
    case composite(CompositeInput)
    /// A to-one relationship stored in the row, and the index of its column.
    case reference(RelationshipLink, ReferenceColumn, place: Int)
    /// A to-one relationship that is stored in the destination row.
    case foreign(RelationshipLink)
    /// A to-many relationship.
    case toMany(RelationshipLink)
    /// A column that was processed before, or isn't written.
    case ignored
  }

  /// Whether a changed reference also affects the destination row, or an order.
  var hasConsequences = false

  /// The indexes of the stored columns; only a composite has several.
  var places: [Int] {
    switch target {
    case .attribute(_, let place): place.map { [$0] } ?? []
    case .reference(_, _, let place): [place]
    case .composite(let composite): composite.places
    default: []
    }
  }
}

extension EntityWriter {
  /// Returns the columns for names in a request, in the same order.
  ///
  /// `isKeyed` is true if the names are the members of an object.
  func columns(
    _ names: [String],
    at pointer: String,
    identifier: Bool = false,
    isKeyed: Bool = false
  ) throws -> [InputColumn] {
    var seen: Set<String> = []
    return try names.enumerated().map { index, name in
      let place = isKeyed ? "\(pointer)/\(name)" : "\(pointer)/\(index)"
      guard seen.insert(name).inserted else {
        throw DepotError(.usage, "\"\(name)\" is named twice.").at(place)
      }
      if identifier, name == "$id" { return InputColumn(name: name, target: .identifier) }
      do {
        // If parts of a composite are named, its own name only sets its presence.
        let isWhole = !names.contains { $0.hasPrefix(name + ".") }
        if isWhole, let composite = try composite(name) {
          return InputColumn(name: name, target: .composite(composite))
        }
        guard let target = try target(name) else { throw unknown(name) }
        return InputColumn(name: name, target: target, hasConsequences: try hasConsequences(target))
      } catch let error as DepotError {
        throw error.at(place)
      }
    }
  }

  /// Returns the columns of a save's changed rows.
  func changedColumns(_ names: [String], at pointer: String) throws -> [InputColumn] {
    let columns = try columns(
      names.filter { $0 != "$version" },
      at: pointer,
      identifier: true
    )
    guard let place = names.firstIndex(of: "$version") else { return columns }
    let version = InputColumn(name: "$version", target: .version)
    return columns[..<place] + [version] + columns[place...]
  }

  private func hasConsequences(_ target: InputColumn.Target) throws -> Bool {
    guard case .reference(let link, let column, _) = target else { return false }
    return try link.isSymmetric || column.isUnique || column.orderIndex != nil
      || entities.inverse(of: link)?.isLimited == true
  }

  private func target(_ name: String) throws -> InputColumn.Target? {
    if let position = layout.position(of: name) {
      if let expression = layout.fields[position].attribute.derivation {
        throw DepotError(.usage, "\(layout.name).\(name) is derived and can't be set.")
          .hint("The store computes it: \(expression).")
          .details(entity: layout.name, attribute: name)
      }
      guard let name = layout.fields[position].relationship?.name else {
        return .attribute(try rule(position), place: layout.storedPositions[position])
      }
      guard let relationship = layout.relationship(name) else { return nil }
      let link = try entities.link(relationship)
      if case .column(let column) = link.storage, let place = layout.storedPositions[position] {
        return .reference(link, column, place: place)
      }
      return .foreign(link)
    }
    guard let relationship = layout.relationship(name) else { return nil }
    return .toMany(try entities.link(relationship))
  }

  private func unknown(_ name: String) -> DepotError {
    let names = layout.fields.map(\.path) + layout.relationships.map(\.name)
    if names.contains(where: { $0.hasPrefix(name + ".") }) {
      return DepotError(.usage, "\"\(name)\" can't be set as a whole and in parts.")
        .hint(
          "Set it as a whole, or its parts, such as \(names.first { $0.hasPrefix(name + ".") } ?? "")."
        )
    }
    return layout.unknownAttribute(name)
  }
}
