internal import DepotProtocol

/// A newer state of an object's row, from a read or from a transaction.
enum IncomingRow {
  /// The row was read in a version, with some properties.
  case read(version: Int64, slots: SlotSet)
  /// A transaction has changed the row, which has a version since.
  case update(version: Int64)
  /// A transaction has deleted the row, whose last version may be known.
  case deletion(version: Int64?)
}

/// The fate of an object when a newer state of its row arrives.
enum MergeDecision: Equatable {
  /// The object stays as it is.
  case ignore
  /// The properties that aren't loaded get the values that were read.
  case fill
  /// The properties get the new values. Properties that the program has changed keep theirs,
  /// unless a transaction has changed them too and the policy lets the store win.
  case merge
  /// The object is read anew, as the newer state isn't complete.
  case refresh
  /// The object keeps the program's changes, and the next save finds that its row is deleted.
  case dispute
  /// The object is invalidated, as its row is deleted.
  case invalidate
}

extension ModelStorage {
  /// Decides the fate of the object when a newer state of its row arrives.
  ///
  /// All loaded and unchanged values of an object have one version, the known one.
  ///
  /// | The object | Read: older | same | newer, with all that is loaded | newer, with less |
  /// | --- | --- | --- | --- | --- |
  /// | A fault | fill | fill | fill | fill |
  /// | Read before | ignore | fill | merge | refresh |
  ///
  /// | The object | Update: older | same or next | later |
  /// | --- | --- | --- | --- |
  /// | A fault; new, or without a row | ignore | ignore | ignore |
  /// | Read before | ignore | merge | refresh |
  ///
  /// | The object | Deletion: older | else, `error`, `mergeByPropertyObjectTrump`, `overwrite` | else |
  /// | --- | --- | --- | --- |
  /// | Changed by the program | ignore | dispute | invalidate |
  /// | Unchanged, or to be deleted | ignore | invalidate | invalidate |
  final func decision(on incoming: IncomingRow, _ policy: MergePolicy) -> MergeDecision {
    switch incoming {
    case .read(let version, let slots):
      if self.version == 0 || version == knownVersion { return .fill }
      if version < knownVersion { return .ignore }
      return hasAllRead(in: slots) ? .merge : .refresh
    case .update(let version):
      guard phase == .stored || phase == .deleted, !isFault, version >= knownVersion else {
        return .ignore
      }
      return version > knownVersion + 1 ? .refresh : .merge
    case .deletion(let version):
      if let version, version < knownVersion { return .ignore }
      let isKept =
        switch policy {
        case .error, .mergeByPropertyObjectTrump, .overwrite: phase == .stored && !changed.isEmpty
        default: false
        }
      return isKept ? .dispute : .invalidate
    }
  }

  /// Whether all that was read of the row is among some properties.
  private final func hasAllRead(in slots: SlotSet) -> Bool {
    description.properties.allSatisfy { property in
      property.isToMany || slots.contains(property.slot) || !wasRead(property.slot)
    }
  }
}
