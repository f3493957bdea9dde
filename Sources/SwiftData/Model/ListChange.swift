/// The change of a list since it was read, as a save sends it.
///
/// Members that the context doesn't know stay in the stored list.
struct ListChange {
  private let added: [PersistentIdentifier]
  private let removed: [PersistentIdentifier]
  /// The position of the added members; `nil` if they are last, each behind the one before it.
  private var position: Int?
  /// The new order; `nil` if the members that stay keep theirs.
  private var order: [PersistentIdentifier]?

  /// Whether the members have another order than before.
  var hasOrder: Bool { order != nil }

  /// Makes the change of a list that wasn't read.
  init(_ delta: RelationshipDelta) {
    added = delta.added.map(\.storage.identifier)
    removed = delta.removed.map(\.storage.identifier)
  }

  /// Makes the change between two states of a list.
  init(from before: [PersistentIdentifier], to after: [PersistentIdentifier], isOrdered: Bool) {
    let (known, kept) = (Set(before), Set(after))
    added = after.filter { !known.contains($0) }
    removed = before.filter { !kept.contains($0) }
    guard isOrdered else { return }
    let stays = before.filter(kept.contains)
    let start = after.firstIndex { !known.contains($0) } ?? 0
    if after.filter(known.contains) != stays
      || after.dropFirst(start).prefix(added.count).contains(where: known.contains)
    {
      order = after
    } else if start < stays.count, !added.isEmpty {
      position = start
    } else if added.count > 1 {
      // They have this order at the end too.
      position = .max
    }
  }

  /// The change in JSON.
  var text: String {
    var text = "{\"add\":\(Self.text(added)),\"remove\":\(Self.text(removed))"
    if let position { text += ",\"at\":\(position)" }
    if let order { text += ",\"order\":\(Self.text(order))" }
    return text + "}"
  }

  private static func text(_ identifiers: [PersistentIdentifier]) -> String {
    let items = identifiers.map { identifier in
      switch identifier.key {
      case .row(let row): "\(row)"
      case .temporary(let number): "\"#\(number)\""
      case .custom: "null"
      }
    }
    return "[\(items.joined(separator: ","))]"
  }
}

extension ModelStorage {
  /// The change of a to-many relationship whose stored state is known.
  final func listChange(_ slot: Int) -> ListChange? {
    guard case .many(let old?)? = base[slot], case .many(let new) = slots[slot] else { return nil }
    return ListChange(
      from: old.allIdentifiers,
      to: new?.allIdentifiers ?? [],
      isOrdered: description.properties[slot].isOrderedList
    )
  }
}

extension ObjectReferenceList {
  /// Returns a list whose members with a rank are in the order of their ranks.
  ///
  /// The other members keep their positions.
  func sorted(by ranks: [PersistentIdentifier: Int]) -> ObjectReferenceList {
    func sort<Element>(
      _ members: [Element],
      _ identifier: (Element) -> PersistentIdentifier
    ) -> [Element] {
      let ranked = members.compactMap { member in ranks[identifier(member)].map { ($0, member) } }
      var rest = ranked.sorted { $0.0 < $1.0 }[...]
      return members.map { ranks[identifier($0)] == nil ? $0 : rest.popFirst()?.1 ?? $0 }
    }
    if let links { return ObjectReferenceList(sort(links, \.storage.identifier)) }
    return ObjectReferenceList(sort(allIdentifiers, \.self))
  }
}
