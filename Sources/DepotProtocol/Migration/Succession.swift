/// A thing that can have had another name in the version before.
package protocol Renameable {
  var name: String { get }
  var originalName: String? { get }
}

extension Entity: Renameable {}
extension Attribute: Renameable {}
extension Relationship: Renameable {}

/// A property with the entity that declares it.
package struct Declared<Property: Renameable & Hashable>: Renameable, Hashable {
  package var property: Property
  package var owner: String

  package var name: String { property.name }
  package var originalName: String? { property.originalName }
}

/// Something in one version and the next: `old` is `nil` if it is new, and `new` if it
/// is gone.
package struct Succession<Item: Renameable> {
  package var old: Item?
  package var new: Item?

  /// Returns what each of `new` was, in their order, and then those of `old` that are gone.
  ///
  /// A name that stayed, together with an original name that stayed, counts first: programs keep the
  /// original name in later versions. Then original names count, then names, then names that differ
  /// in case only.
  static func all(from old: [Item], to new: [Item]) -> [Succession] {
    var origins: [Int?] = Array(repeating: nil, count: new.count)
    var isTaken = Array(repeating: false, count: old.count)
    func claim(_ key: (Item) -> String?, for newKey: (Item) -> String?) {
      var free: [String: Int] = [:]
      for index in old.indices where !isTaken[index] {
        if let key = key(old[index]) { free[key] = free[key] ?? index }
      }
      for place in new.indices where origins[place] == nil {
        guard let key = newKey(new[place]), let index = free.removeValue(forKey: key) else {
          continue
        }
        origins[place] = index
        isTaken[index] = true
      }
    }
    let bothNames = { (item: Item) in item.originalName.map { "\($0).\(item.name)" } }
    claim(bothNames, for: bothNames)
    claim(\.name, for: \.originalName)
    claim(\.name, for: \.name)
    let folded = { (item: Item) in NameSyntax.folded(item.name) }
    claim(folded, for: folded)
    return zip(new, origins).map { item, origin in
      Succession(old: origin.map { old[$0] }, new: item)
    } + old.indices.filter { !isTaken[$0] }.map { Succession(old: old[$0], new: nil) }
  }
}

/// A column in one version and the next.
package struct FieldSuccession {
  package var old: Field?
  package var new: Field?
  /// Whether rows that exist can have the new column without being told a value.
  var isFillable = true

  /// Returns what became of each column of an attribute.
  package static func all(_ attribute: Succession<Declared<Attribute>>) -> [FieldSuccession] {
    all(
      Succession(old: attribute.old?.property, new: attribute.new?.property),
      Place(owner: attribute.old?.owner ?? "", isNew: false),
      Place(owner: attribute.new?.owner ?? "", isNew: attribute.old == nil)
    )
  }

  /// Where an attribute is in one of the versions.
  private struct Place {
    var owner: String
    /// Whether the composite around it, or the attribute itself if there is none, is new.
    var isNew: Bool
    var path = ""
    var isOptional = false

    func inside(_ composite: Attribute, isNew: Bool) -> Place {
      Place(
        owner: owner,
        isNew: isNew,
        path: path + composite.name + ".",
        isOptional: isOptional || composite.isOptional
      )
    }
  }

  private static func all(
    _ attribute: Succession<Attribute>,
    _ before: Place,
    _ after: Place
  ) -> [FieldSuccession] {
    let old = attribute.old.flatMap { $0.options.contains(.transient) ? nil : $0 }
    let new = attribute.new.flatMap { $0.options.contains(.transient) ? nil : $0 }
    guard let old, let new, (old.type == .composite) == (new.type == .composite) else {
      return (old.map { removed($0, before) } ?? []) + (new.map { added($0, after) } ?? [])
    }
    guard new.type == .composite else {
      return [FieldSuccession(old: column(old, before), new: column(new, after))]
    }
    var result: [FieldSuccession] = []
    if old.isOptional || new.isOptional {
      result.append(
        FieldSuccession(
          old: old.isOptional
            ? .presence(of: old, owner: before.owner, path: before.path) : nil,
          new: new.isOptional ? .presence(of: new, owner: after.owner, path: after.path) : nil
        )
      )
    }
    for part in Succession<Attribute>.all(from: old.properties, to: new.properties) {
      result += all(
        part,
        before.inside(old, isNew: false),
        after.inside(new, isNew: false)
      )
    }
    return result
  }

  private static func column(_ attribute: Attribute, _ place: Place) -> Field {
    .column(
      of: attribute,
      owner: place.owner,
      path: place.path,
      isOptional: place.isOptional
    )
  }

  private static func removed(_ attribute: Attribute, _ place: Place) -> [FieldSuccession] {
    Field.columns(
      of: attribute,
      owner: place.owner,
      path: place.path,
      isOptional: place.isOptional
    ).map { FieldSuccession(old: $0, new: nil) }
  }

  /// A new composite that is optional is absent in the rows that exist, whatever its parts are.
  private static func added(_ attribute: Attribute, _ place: Place) -> [FieldSuccession] {
    if attribute.options.contains(.transient) { return [] }
    guard attribute.type == .composite else {
      let isFillable =
        attribute.isOptional || attribute.defaultValue != nil || attribute.derivation != nil
        || place.isNew && place.isOptional
      return [FieldSuccession(old: nil, new: column(attribute, place), isFillable: isFillable)]
    }
    let presence =
      attribute.isOptional
      ? [
        FieldSuccession(
          old: nil,
          new: .presence(of: attribute, owner: place.owner, path: place.path)
        )
      ] : []
    var inside = place.inside(attribute, isNew: true)
    // What is around it exists, and may have a value.
    inside.isOptional = attribute.isOptional || place.isNew && place.isOptional
    let parts = attribute.properties.flatMap { added($0, inside) }
    return presence + parts.map { $0.inOptional(place.isOptional) }
  }

  private func inOptional(_ isOptional: Bool) -> FieldSuccession {
    var copy = self
    if isOptional, copy.new?.isPresence == false { copy.new?.attribute.isOptional = true }
    return copy
  }
}
