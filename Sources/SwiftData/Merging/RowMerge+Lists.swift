extension RowMerge {
  /// Takes the order that others have given a list.
  func reorder(_ link: ObjectReference, _ slot: Int) {
    guard origin == .foreign, case .many = link.storage.slots[slot] else { return }
    if link.storage.changed.contains(slot) {
      reordered[PropertyOfObject(link.storage, slot)] = link
    } else {
      take(.unloaded, of: link, slot)
    }
  }

  /// Reads the stored order of a changed list, for the members that were in it before the change.
  ///
  /// If the program has given the list another order, this stays.
  func readOrder(_ link: ObjectReference, _ slot: Int) {
    let (storage, description) = (link.storage, link.storage.description)
    let found = context.errors.noting {
      try context.stores.store(of: description)
        .targets(of: [storage.identifier], description, slot: slot, into: context)
    }
    guard let stored = found?.first?.map(\.storage.identifier), storage.changed.contains(slot),
      case .many(let base?)? = storage.base[slot], case .many(let list?) = storage.slots[slot],
      let change = storage.listChange(slot)
    else { return }
    let known = Set(base.allIdentifiers)
    let ranks = Dictionary(first: stored.filter(known.contains).enumerated().map { ($1, $0) })
    storage.base[slot] = .many(base.sorted(by: ranks))
    if !change.hasOrder { storage.mutate(slot, to: .many(list.sorted(by: ranks))) }
  }

  /// An object that enters or leaves a list.
  final class Member {
    let identifier: PersistentIdentifier
    /// Whether the program has changed the object's own side, which then decides about its
    /// membership.
    let isOwn: Bool
    /// Whether the object is deleted, so that no change of the program keeps it.
    let isGone: Bool
    private let make: () -> ObjectReference?
    private(set) lazy var link = make()

    init(
      identifier: PersistentIdentifier,
      isOwn: Bool,
      isGone: Bool = false,
      make: @escaping () -> ObjectReference?
    ) {
      self.identifier = identifier
      self.isOwn = isOwn
      self.isGone = isGone
      self.make = make
    }
  }

  /// A change of a list's members.
  final class ListEdit {
    let link: ObjectReference
    let slot: Int
    private var steps: [Step] = []
    /// The last step of each object; only this one counts.
    private var last: [PersistentIdentifier: Int] = [:]
    /// The members that the list will get and lose, as ``look()`` has found.
    private var found: [Step] = []

    private struct Step {
      let member: Member
      let isAdded: Bool
    }

    /// Makes the edit of a list; `nil` if it isn't loaded.
    init?(_ link: ObjectReference, _ slot: Int) {
      guard case .many(_?) = link.storage.slots[slot] else { return nil }
      self.link = link
      self.slot = slot
    }

    var property: PropertyDescription { link.storage.description.properties[slot] }

    /// Whether the list will change, as ``look()`` has found.
    var isChanged: Bool { !found.isEmpty }

    func add(_ member: Member, isAdded: Bool) {
      last[member.identifier] = steps.count
      steps.append(Step(member: member, isAdded: isAdded))
    }

    /// Determines the members that the list will get and lose, after everything was gathered.
    func look() { found = wanted() }

    /// Finds the objects that the list gets.
    func find() { for step in found where step.isAdded { _ = step.member.link } }

    /// Gives the list its new members, also in its state before the program's changes.
    func apply() {
      let wanted = isChanged ? wanted() : []
      let storage = link.storage
      if storage.changed.contains(slot), case .many(let base?)? = storage.base[slot] {
        let news = news(to: base)
        if !news.isEmpty { storage.base[slot] = .many(Self.edited(base, news)) }
      } else {
        noteOwnMembers(wanted)
      }
      guard !wanted.isEmpty, case .many(let list?) = storage.slots[slot] else { return }
      storage.slots[slot] = .many(Self.edited(list, wanted))
    }

    /// Records the members that the list keeps or lacks, unlike the store, as a program's change.
    ///
    /// While the store said the same, this counted as unchanged.
    private func noteOwnMembers(_ wanted: [Step]) {
      guard case .many(let list?) = link.storage.slots[slot] else { return }
      let own = Self.effective(counting.filter(\.member.isOwn), in: list)
        .filter { $0.member.link?.storage.phase == .stored }
      if own.isEmpty { return }
      link.storage.noteChange(slot, since: .many(Self.edited(list, wanted + own)))
    }

    /// The steps that change the list.
    ///
    /// An object with a to-one relationship back belongs where that relationship says. Otherwise
    /// the program's changes stay, unless the steps change the state before them.
    private func wanted() -> [Step] {
      let storage = link.storage
      guard case .many(let list?) = storage.slots[slot] else { return [] }
      if storage.changed.contains(slot), property.shape.inverse?.isToMany ?? true,
        case .many(let base?)? = storage.base[slot]
      {
        let news = Set(news(to: base).map(\.member.identifier))
        let steps = counting.filter { step in
          step.member.isGone || !step.member.isOwn && news.contains(step.member.identifier)
        }
        return Self.effective(steps, in: list)
      }
      return Self.effective(counting.filter { !$0.member.isOwn }, in: list)
    }

    private func news(to base: ObjectReferenceList) -> [Step] { Self.effective(counting, in: base) }

    private var counting: [Step] {
      if last.count == steps.count { return steps }
      return steps.indices.filter { last[steps[$0].member.identifier] == $0 }.map { steps[$0] }
    }

    /// The steps that change a list.
    private static func effective(_ steps: [Step], in list: ObjectReferenceList) -> [Step] {
      // If there are many steps, it is less work to read the list once.
      if steps.count > 8 {
        let known = Set(list.allIdentifiers)
        return steps.filter { known.contains($0.member.identifier) != $0.isAdded }
      }
      return steps.filter { list.contains($0.member.identifier) != $0.isAdded }
    }

    private static func edited(_ list: ObjectReferenceList, _ steps: [Step]) -> ObjectReferenceList
    {
      let edited = list.without(Set(steps.filter { !$0.isAdded }.map(\.member.identifier)))
      for step in steps where step.isAdded {
        if let link = step.member.link { edited.append(link) }
      }
      return edited
    }
  }
}
