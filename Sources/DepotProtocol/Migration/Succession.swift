/// An item of a schema that may have had another name in an earlier version.
package protocol Renameable {
  var name: String { get }
  var originalName: String? { get set }
}

extension Entity: Renameable {}
extension Attribute: Renameable {}
extension Relationship: Renameable {}

/// A property with the entity that declares it.
package struct Declared<Property: Renameable & Hashable>: Renameable, Hashable {
  package var property: Property
  package var owner: String

  package var name: String { property.name }
  package var originalName: String? {
    get { property.originalName }
    set { property.originalName = newValue }
  }
}

/// An item in one version and the next: `old` is `nil` if it is new, and `new` if it is removed.
package struct Succession<Item: Renameable> {
  package var old: Item?
  package var new: Item?

  /// Returns the elements of `new` with their predecessors, then the removed ones of `old`.
  ///
  /// Items are matched first by name together with an unchanged original name, since programs keep
  /// the original name in later versions; then by original name, then by name, and then by name
  /// without regard to case.
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
  /// Whether existing rows can have the new column without a fill value.
  var isFillable = true
  /// Whether it is a formerly optional, now required part of an optional composite.
  private var isPartNewlyRequired = false

  /// Whether existing rows may lack a value that is required now.
  package var isNewlyRequired: Bool {
    guard let old, let new else { return false }
    return isPartNewlyRequired || old.attribute.isOptional && !new.attribute.isOptional
  }
  /// The new form in the first column, if the attribute became a composite or ceased to be one.
  var otherForm: Field?

  /// Returns the successor of each column of an attribute.
  package static func all(_ attribute: Succession<Declared<Attribute>>) -> [FieldSuccession] {
    all(
      Succession(old: attribute.old?.property, new: attribute.new?.property),
      Field.Location(owner: attribute.old?.owner ?? ""),
      Field.Location(owner: attribute.new?.owner ?? ""),
      isNew: attribute.old == nil
    )
  }

  /// `isNew` tells whether the enclosing composite, or the attribute itself without one, is new.
  private static func all(
    _ attribute: Succession<Attribute>,
    _ before: Field.Location,
    _ after: Field.Location,
    isNew: Bool
  ) -> [FieldSuccession] {
    let old = attribute.old.flatMap { $0.options.contains(.transient) ? nil : $0 }
    let new = attribute.new.flatMap { $0.options.contains(.transient) ? nil : $0 }
    guard let old, let new, (old.type == .composite) == (new.type == .composite) else {
      let removed = old.map { Field.columns(of: $0, at: before) } ?? []
      var result = removed.map { FieldSuccession(old: $0, new: nil) }
      if old != nil, !result.isEmpty {
        result[0].otherForm = new.map { .column(of: $0, at: after) }
      }
      return result + (new.map { added($0, after, isNew: isNew) } ?? [])
    }
    guard new.type == .composite else {
      return [
        FieldSuccession(
          old: .column(of: old, at: before),
          new: .column(of: new, at: after),
          isPartNewlyRequired: after.isOptional && old.isOptional && !new.isOptional
        )
      ]
    }
    var result: [FieldSuccession] = []
    if old.isOptional || new.isOptional {
      result.append(
        FieldSuccession(
          old: old.isOptional ? .presence(of: old, at: before) : nil,
          new: new.isOptional ? .presence(of: new, at: after) : nil
        )
      )
    }
    for part in Succession<Attribute>.all(from: old.properties, to: new.properties) {
      result += all(part, before.inside(old), after.inside(new), isNew: false)
    }
    return result
  }

  /// Lists the columns of a new attribute.
  ///
  /// A new optional composite is absent in existing rows, even if its parts are required.
  private static func added(
    _ attribute: Attribute,
    _ place: Field.Location,
    isNew: Bool
  ) -> [FieldSuccession] {
    if attribute.options.contains(.transient) { return [] }
    let isAbsent = isNew && place.isOptional
    guard attribute.type == .composite else {
      let isFillable =
        attribute.isOptional || attribute.defaultValue != nil || attribute.derivation != nil
        || isAbsent
      let column = Field.column(of: attribute, at: place)
      return [FieldSuccession(old: nil, new: column, isFillable: isFillable)]
    }
    let presence =
      attribute.isOptional
      ? [FieldSuccession(old: nil, new: .presence(of: attribute, at: place))] : []
    var inside = place.inside(attribute)
    // The enclosing composite exists in old rows, and may have a value there.
    inside.isOptional = attribute.isOptional || isAbsent
    let parts = attribute.properties.flatMap { added($0, inside, isNew: true) }
    return presence + parts.map { $0.inOptional(place.isOptional) }
  }

  private func inOptional(_ isOptional: Bool) -> FieldSuccession {
    var copy = self
    if isOptional, copy.new?.isPresence == false { copy.new?.attribute.isOptional = true }
    return copy
  }
}
