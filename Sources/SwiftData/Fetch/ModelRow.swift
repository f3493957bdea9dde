internal import DepotProtocol

/// An object as a row for queries, with its current values.
struct ModelRow: EvaluationRow {
  let link: ObjectReference

  init(_ link: ObjectReference) { self.link = link }

  private var storage: ModelStorage { link.storage }

  var entityName: String { storage.description.name }
  var identifier: Int64 { storage.identifier.id.queryNumber }
  var version: Int64 { storage.version }

  func value(at path: String) -> Value {
    let name = path.prefix { $0 != "." }
    guard let property = storage.description.property(named: String(name)),
      let codec = property.codec
    else { return .null }
    if case .unloaded = storage.slots[property.slot] { storage.load(property.slot) }
    let suffix = path.dropFirst(name.count)
    guard case .value(let cell) = storage.slots[property.slot],
      let values = try? codec.values(cell.any),
      let position = codec.suffixes.firstIndex(where: { $0 == suffix }), position < values.count
    else { return .null }
    return values[position]
  }

  /// Whether there is nothing at a path.
  func lacks(_ path: some StringProtocol) -> Bool {
    let name = String(path.prefix { $0 != "." })
    guard let property = storage.description.property(named: name) else { return false }
    if property.codec != nil { return value(at: String(path)).isNull }
    guard let next = storage.target(property.slot) else { return true }
    let rest = path.dropFirst(name.count + 1)
    return !rest.isEmpty && ModelRow(next).lacks(rest)
  }

  func object(_ relationship: String) -> (any EvaluationRow)? {
    guard let property = storage.description.property(named: relationship) else { return nil }
    return storage.target(property.slot).map(ModelRow.init)
  }

  func objects(_ relationship: String) -> [any EvaluationRow] {
    guard let property = storage.description.property(named: relationship),
      let list = storage.targets(property.slot)
    else { return [] }
    return storage.visible(storage.resolved(list, property.slot)).map(ModelRow.init)
  }
}
