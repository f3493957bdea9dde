internal import DepotClient
internal import DepotProtocol

/// The attributes whose values are stored in another form than before: by parts instead of as a whole, or
/// the other way.
///
/// The program reads them in the old form, and writes them in the new one.
struct ConvertedForms {
  /// How many rows are changed at once.
  private static let batch = 2000

  private var attributes: [Converted] = []

  fileprivate struct Converted {
    let property: PropertyDescription
    let description: EntityDescription
    /// The entity's old name.
    let entity: String
    let old: Attribute
    let new: Attribute
  }

  /// Finds the attributes.
  ///
  /// - Parameters:
  ///   - descriptions: The entities of the program.
  ///   - stored: The schema of the store.
  ///   - schema: The schema that it is to have.
  init(
    of descriptions: [EntityDescription],
    from stored: DepotProtocol.Schema,
    to schema: DepotProtocol.Schema
  ) {
    let inference = SchemaInference(from: stored, to: schema)
    for description in descriptions {
      guard let entity = inference.origins[description.name] else { continue }
      for attribute in inference.attributes[description.name] ?? [] {
        guard let old = attribute.old?.property, let new = attribute.new?.property,
          old.hasOtherForm(than: new),
          let property = description.ownProperties.first(where: { $0.name == new.name })
        else { continue }
        attributes.append(
          Converted(
            property: property,
            description: description,
            entity: entity,
            old: old,
            new: new
          )
        )
      }
    }
  }

  var isEmpty: Bool { attributes.isEmpty }

  /// Converts the values of a store in its copy, which has the new schema.
  ///
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` about a value that can't be converted.
  func convert(from store: BlockingConnection, to copy: BlockingConnection) throws {
    try read(store) { try copy.save($0) }
  }

  /// Converts the values that can be, for a stage that may see to the others.
  func convertSome(from store: BlockingConnection, to copy: BlockingConnection) throws {
    try read(store, isLenient: true) { try copy.save($0) }
  }

  /// Reads the values in their old forms; returns a function that writes the new ones.
  ///
  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` about a value that can't be converted, unless
  ///   it `isLenient`.
  func read(
    _ store: BlockingConnection,
    isLenient: Bool = false,
    _ write: (SaveRequest) throws -> Void
  ) throws {
    for attribute in attributes {
      var changes = attribute.changes
      var count = 0
      _ = try store.fetch(
        FetchRequest(entity: attribute.entity, select: attribute.old.storedPaths())
      ) {
        row in
        let identifier = row.identifier
        let form = try StoredForm(attribute.old, &row)
        if case .missing = form { return }
        let slot: Slot
        do {
          slot = try attribute.slot(form)
        } catch {
          if isLenient { return }
          throw attribute.failure(identifier, error)
        }
        try changes.rows.appendRow { writer in
          writer.append(Value.int64(identifier))
          try attribute.description.write(slot, of: attribute.property.slot, to: &writer)
        }
        count += 1
        if count.isMultiple(of: Self.batch) {
          try write(SaveRequest(updates: [changes]))
          changes = attribute.changes
        }
      }
      if !count.isMultiple(of: Self.batch) { try write(SaveRequest(updates: [changes])) }
    }
  }
}

extension ConvertedForms.Converted {
  /// A change of rows, without any yet.
  fileprivate var changes: SaveRequest.Change {
    SaveRequest.Change(
      entity: description.name,
      columns: ["$id"] + property.paths,
      rows: RowBatch()
    )
  }

  /// Returns the value that was stored in another form.
  fileprivate func slot(_ form: StoredForm) throws -> Slot {
    guard let type = property.decodableType else { throw form.mismatch(Any.self) }
    return .value(any: try form.content(type))
  }

  fileprivate func failure(_ row: Int64, _ cause: any Error) -> SwiftDataError {
    SwiftDataError(
      .loadIssueModelContainer,
      "\(property.qualifiedName) is stored as \(old.typeDescription), not as \(new.typeDescription), "
        + "and the value of \(entity)/\(row) can't be converted: \(cause)",
      hint: "Give the property another name, or convert it in a custom stage.",
      entity: description.name,
      property: property.name
    )
  }
}

extension Attribute {
  /// Whether values are stored as a whole in one of two versions and otherwise in the other.
  fileprivate func hasOtherForm(than new: Attribute) -> Bool {
    guard type == .composite, new.type == .composite else {
      return type != new.type && [type, new.type].contains { $0 == .composite || $0 == .json }
    }
    return new.storedParts.contains { part in
      let names = [part.name, part.originalName]
      let before = storedParts.first { names.contains($0.name) }
      return before?.hasOtherForm(than: part) == true
    }
  }
}
