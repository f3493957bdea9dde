internal import DepotProtocol

/// One column of the rows of a request.
struct InputColumn {
  let name: String
  let target: Target

  enum Target {
    /// The row's own identifier, temporary in inserts.
    case identifier
    /// An attribute, and the place of its column; `nil` if it is checked but not kept.
    case attribute(FieldRule, place: Int?)
    /// A composite as a whole.
    case composite(CompositeInput)
    /// A to-one relationship, and the place of its column.
    case reference(Link, ReferenceColumn, place: Int)
    /// A to-one relationship that its inverse stores.
    case foreign(Link)
    /// A to-many relationship.
    case toMany(Link)
    /// Something that was looked at before, or isn't to be written.
    case ignored
  }

  /// Whether it is a reference to a row that notices, or that has an order for it.
  var hasConsequences = false

  /// The places of the stored columns; only a composite has several.
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
  /// Returns the columns that names in a request mean, in the same order; `isKeyed` if they are the
  /// members of an object.
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
        // Beside its parts, the name of an optional composite says only whether it is there.
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

  /// Resolves the columns of a save's changed rows.
  func changedColumns(_ names: [String], at pointer: String) throws -> [InputColumn] {
    let columns = try columns(
      names.filter { $0 != "$version" },
      at: pointer,
      identifier: true
    )
    guard let place = names.firstIndex(of: "$version") else { return columns }
    let version = InputColumn(name: "$version", target: .ignored)
    return columns[..<place] + [version] + columns[place...]
  }

  private func hasConsequences(_ target: InputColumn.Target) throws -> Bool {
    guard case .reference(let link, let column, _) = target else { return false }
    return try link.isSymmetric || column.isUnique || column.orderPlace != nil
      || entities.inverse(of: link)?.isLimited == true
  }

  private func target(_ name: String) throws -> InputColumn.Target? {
    if let position = layout.position(of: name) {
      if let expression = layout.fields[position].attribute.derivation {
        throw DepotError(.usage, "\(layout.name).\(name) is derived and can't be set.")
          .hint("The store computes it: \(expression).")
          .details(["entity": .string(layout.name), "attribute": .string(name)])
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

extension EntityLayout {
  /// Returns the error that there is no column `name`, with the nearest name as the hint.
  func unknownAttribute(_ name: String) -> DepotError {
    let names = fields.map(\.path) + relationships.filter(\.relationship.isToMany).map(\.name)
    let nearest = Spelling.nearest(to: name, in: names + ["$id", "$version"])
    return DepotError(.unknownAttribute, "\(self.name) has no attribute \"\(name)\".")
      .hint(nearest.map { "Did you mean \"\($0)\"?" } ?? "It has \(names.joined(separator: ", ")).")
      .details(nearest.map { ["didYouMean": .string($0)] } ?? [:])
  }
}
