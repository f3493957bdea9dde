internal import DepotProtocol

/// The stored columns of an optional composite attribute: the one for its presence, and its parts.
struct CompositeLayout: Hashable, Sendable {
  /// The path of the attribute.
  var path: String
  /// The index of the column that is true if there is a value.
  var presence: Int
  /// The columns of the parts.
  var parts: [Part]
  /// The presence columns of the optional composites inside it, at any depth.
  var innerPresences: [Int]

  struct Part: Hashable, Sendable {
    var path: String
    var place: Int
    /// Whether the part must have a value whenever the composite has one.
    ///
    /// It is `false` for parts of optional composites inside it, which check that themselves.
    var isRequired: Bool
    /// The value that a part gets if it isn't named when the composite gets a value.
    var defaultValue: Value?
    /// Whether it is a part of an optional composite inside this one.
    var isInner: Bool
  }

  /// The indexes of all columns.
  var places: [Int] { [presence] + parts.map(\.place) + innerPresences }
}

extension Entity {
  /// Returns the optional composites of the entity's own attributes, outer ones first.
  ///
  /// `place` returns the index of a column.
  func optionalComposites(_ place: (String) -> Int?) -> [CompositeLayout] {
    attributes.flatMap { optionalComposites($0, prefix: "", place) }
  }

  private func optionalComposites(
    _ attribute: Attribute,
    prefix: String,
    _ place: (String) -> Int?
  ) -> [CompositeLayout] {
    guard attribute.type == .composite, !attribute.options.contains(.transient) else { return [] }
    let path = prefix + attribute.name
    let inner = attribute.properties.flatMap {
      optionalComposites($0, prefix: path + ".", place)
    }
    guard attribute.isOptional, let presence = place(path) else { return inner }
    var layout = CompositeLayout(path: path, presence: presence, parts: [], innerPresences: [])
    collect(attribute.properties, prefix: path + ".", isInner: false, into: &layout, place)
    return [layout] + inner
  }

  private func collect(
    _ properties: [Attribute],
    prefix: String,
    isInner: Bool,
    into layout: inout CompositeLayout,
    _ place: (String) -> Int?
  ) {
    for attribute in properties where !attribute.options.contains(.transient) {
      let path = prefix + attribute.name
      guard attribute.type == .composite else {
        guard let column = place(path) else { continue }
        layout.parts.append(
          CompositeLayout.Part(
            path: path,
            place: column,
            isRequired: !attribute.isOptional && !isInner,
            defaultValue: attribute.defaultValue,
            isInner: isInner
          )
        )
        continue
      }
      if attribute.isOptional, let presence = place(path) { layout.innerPresences.append(presence) }
      collect(
        attribute.properties,
        prefix: path + ".",
        isInner: isInner || attribute.isOptional,
        into: &layout,
        place
      )
    }
  }
}
