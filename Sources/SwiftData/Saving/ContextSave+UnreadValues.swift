internal import DepotClient
internal import DepotProtocol

/// Changed objects whose rows others have deleted, and whose save doesn't contain all values.
///
/// A policy that stores such a row again makes it from the values in the save. Values that were
/// never read, or that are too large to be sent as base values, would be lost.
extension ContextSave {
  /// Finds the objects whose rows are deleted, before a save stores these again.
  ///
  /// Their values are read from the history then, and large ones are sent with the save.
  ///
  /// - Throws: ``SwiftDataError/saveConflict`` if a value of such an object is lost.
  func checkRowsToMakeAgain() throws {
    guard context.mergePolicy == .mergeByPropertyObjectTrump || context.mergePolicy == .overwrite
    else { return }
    let partial = context.pending.changed.current.filter { $0.storage.isSavedInPart }
    if partial.isEmpty { return }
    for group in partial.filter({ $0.storage.newer?.isGone != true }).byClass {
      let description = group[0].storage.description
      let rows = group.compactMap(\.storage.identifier.row)
      guard
        let here = try context.stores.store(of: description).existingRows(
          among: rows,
          of: description
        )
      else { continue }
      let gone = group.map(\.storage).filter { !here.contains($0.identifier.row ?? 0) }
      context.noteDeletions(of: gone)
    }
    for link in partial where link.storage.newer?.isGone == true {
      if let slot = link.storage.unknownSlot { throw unknown(slot, of: link.storage) }
    }
  }

  private func unknown(_ slot: Int, of storage: ModelStorage) -> SwiftDataError {
    let (entity, property) = (storage.description.name, storage.description.properties[slot].name)
    var error = SwiftDataError(
      .saveConflict,
      "Others have deleted the \(entity) \(storage.identifier). It can't be stored again, since its "
        + "\(property) was never read.",
      hint: "Give \(property) a value, or take the changes back.",
      entity: entity,
      property: property
    )
    error.code = DepotError.Code.merge.rawValue
    var conflict = SaveConflict(
      .updateOfDeleted,
      entity: entity,
      identifier: storage.identifier.row ?? 0,
      pointer: ""
    )
    conflict.properties = [property]
    error.conflicts = [conflict]
    return error
  }
}

extension ModelStorage {
  /// Whether a save that changes the row doesn't contain all of its values.
  fileprivate final var isSavedInPart: Bool {
    guard identifier.row != nil else { return false }
    if description.hasExternalValues { return true }
    return slots.indices.contains { slot in
      switch slots[slot] {
      case .value(let cell): cell.isLarge
      case .unloaded: isUnknown(slot)
      default: false
      }
    }
  }

  /// A column whose value was neither read nor given by the program.
  fileprivate final var unknownSlot: Int? { slots.indices.first(where: isUnknown) }

  private final func isUnknown(_ slot: Int) -> Bool {
    isUnloaded(slot) && !changed.contains(slot) && description.properties[slot].hasColumn
  }
}
