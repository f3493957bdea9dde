internal import DepotProtocol

/// Converts values of the history to the form that their attributes have since a migration.
struct PresentForm {
  let layout: EntityLayout
  let identifier: Int64
  private let arena = CellArena()

  init(_ layout: EntityLayout, _ identifier: Int64) {
    self.layout = layout
    self.identifier = identifier
  }

  /// Returns the values as the migration converted those in rows.
  ///
  /// - Throws: ``DepotError`` `history.no_values` if one can't be converted.
  func values(_ values: [String: HistoryValue]) throws -> [String: HistoryValue] {
    var result = values
    for (path, value) in values {
      guard let attribute = layout.position(of: path).map({ layout.fields[$0].attribute }) else {
        continue
      }
      let form = RowColumn.Form(attribute)
      guard !value.isNull, value.form != form || attribute.width == .float else { continue }
      guard let old = Attribute(path, value.form), form != .external,
        let converted = try convert(value, from: old, to: attribute)
      else { throw otherForm(path) }
      result[path] = HistoryValue(converted, form)
    }
    return result
  }

  private func convert(
    _ value: HistoryValue,
    from old: Attribute,
    to new: Attribute
  ) throws -> Cell? {
    let cell = value.cell(in: arena)
    guard let conversion = ValueConversion(from: old, to: new) else { return cell }
    return try conversion.convert(cell, in: arena)
  }

  private func otherForm(_ path: String) -> DepotError {
    DepotError(
      .historyNoValues,
      "A migration has changed how \(layout.name)/\(identifier).\(path) is stored since then."
    )
    .hint("Set its value by hand, or restore a backup from before the migration.")
    .details(["entity": .string(layout.name), "attribute": .string(path)])
  }
}

extension Attribute {
  /// Makes an attribute that stores its values in a form; `nil` for a form of several attributes.
  fileprivate init?(_ name: String, _ form: RowColumn.Form) {
    switch form {
    case .scalar(let type): self.init(name: name, type: type)
    case .list(let type): self.init(name: name, type: type, collection: .array)
    case .json: self.init(name: name, type: .json)
    case .external, .entity, .identifiers: return nil
    }
  }
}
