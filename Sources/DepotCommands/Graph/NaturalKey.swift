internal import DepotProtocol

/// An attribute whose values identify the rows of an entity outside of the store.
@Memberwise
struct NaturalKey: Hashable {
  var entity: String
  /// The path of the attribute.
  ///
  /// `$id` stands for the identifiers in the store, or for the names in the files of an export.
  var path: String
  var type: AttributeType

  static let fileIdentifier = "$id"

  /// The key for the identifiers of an entity's rows in the store.
  static func identifier(of entity: Entity) -> NaturalKey {
    NaturalKey(entity: entity.name, path: fileIdentifier, type: .int64)
  }

  /// Whether it is the identifier in the store.
  var isIdentifier: Bool { path == Self.fileIdentifier && type == .int64 }

  /// Whether it is the name in the files of an export.
  var isFileIdentifier: Bool { path == Self.fileIdentifier && type == .string }

  /// Hashes the lengths only, as there are few keys, which are looked up very often.
  func hash(into hasher: inout Hasher) {
    hasher.combine(entity.utf8.count << 8 ^ path.utf8.count)
  }

  /// Reads `Package.name`.
  ///
  /// - Throws: ``DepotError`` `request.usage`, `schema.unknown_entity`, or `schema.unknown_attribute`.
  init(_ text: some StringProtocol, _ schema: Schema) throws(DepotError) {
    guard let point = text.firstIndex(of: ".") else {
      throw DepotError(.usage, "\"\(text)\" is no key of an entity.")
        .hint("Write entity.attribute, as in Package.name.")
    }
    let entity = try schema.entity(named: String(text[..<point]))
    let path = String(text[text.index(after: point)...])
    guard let field = schema.fields(of: entity).first(where: { $0.path == path }) else {
      throw schema.unknownPath(path, from: entity)
    }
    guard field.relationship == nil, field.attribute.collection == nil,
      field.attribute.type.isScalar
    else { throw DepotError(.usage, "\(text) is no attribute with one value.") }
    self.init(entity: entity.name, path: path, type: field.attribute.type)
  }

  /// The default key of an entity: its first attribute that is unique and required.
  init?(of entity: Entity, _ schema: Schema) {
    for owner in schema.lineage(of: entity) {
      let uniques = owner.uniques.filter { $0.count == 1 }.map { $0[0] }
      let field = owner.ownFields.first { field in
        field.relationship == nil && field.attribute.type.isScalar && !field.attribute.isOptional
          && field.attribute.collection == nil
          && (field.attribute.isUnique || uniques.contains(field.path))
      }
      if let field {
        // The key of the declaring entity finds all rows of the hierarchy.
        self.init(entity: owner.name, path: field.path, type: field.attribute.type)
        return
      }
    }
    return nil
  }
}

/// An index of rows by their natural keys.
final class KeyIndex {
  private var identifiers: [NaturalKey: [Value: Int64]] = [:]
  /// The keys that were looked up without success.
  private var absent: [NaturalKey: Set<Value>] = [:]

  subscript(key: NaturalKey, value: Value) -> Int64? { identifiers[key]?[value] }

  /// Adds a row.
  func add(_ key: NaturalKey, _ value: Value, _ identifier: Int64) {
    identifiers[key, default: [:]][value] = identifier
    absent[key]?.remove(value)
  }

  /// Notes that there are no rows with these keys.
  func addAbsent(_ key: NaturalKey, _ values: some Sequence<Value>) {
    for value in values where identifiers[key]?[value] == nil {
      absent[key, default: []].insert(value)
    }
  }

  /// Whether the key must still be looked up.
  func isUnknown(_ key: NaturalKey, _ value: Value) -> Bool {
    !key.isFileIdentifier && identifiers[key]?[value] == nil
      && absent[key]?.contains(value) != true
  }
}

/// The rules for references in the records of an import.
struct LinkRules {
  /// The keys by the paths of relationships from the imported entity.
  private(set) var keys: [String: NaturalKey] = [:]
  /// The default keys by entity.
  private var natural: [String: NaturalKey] = [:]
  private let schema: Schema
  /// Whether rows without another key are identified by names in the file.
  private let usesFileIdentifiers: Bool

  /// Reads `--link depends=Package.name` and `--key maintainer=Maintainer.email`.
  ///
  /// - Throws: ``DepotError`` that names the part that doesn't fit the schema.
  init(
    _ texts: [String],
    of entity: Entity,
    _ schema: Schema,
    usesFileIdentifiers: Bool = false
  ) throws(DepotError) {
    self.schema = schema
    self.usesFileIdentifiers = usesFileIdentifiers
    for entity in schema.entities { natural[entity.name] = NaturalKey(of: entity, schema) }
    for text in texts {
      let (path, name) = try Selection.pair(
        text,
        orThat: "links nothing",
        "Write relationship=Entity.attribute, as in depends=Package.name."
      )
      let key = try NaturalKey(name, schema)
      try check(path, key, entity)
      guard keys.updateValue(key, forKey: path) == nil else {
        throw DepotError(.usage, "\"\(path)\" is linked twice.")
      }
    }
  }

  private func check(_ path: String, _ key: NaturalKey, _ entity: Entity) throws(DepotError) {
    var entity = entity
    for step in path.split(separator: ".", omittingEmptySubsequences: false) {
      let relationships = schema.relationships(of: entity)
      guard let relationship = relationships.first(where: { $0.name == step }) else {
        throw DepotError(.unknownAttribute, "\(entity.name) has no relationship \"\(step)\".")
          .hint(Spelling.hint(for: String(step), in: relationships.map(\.name)))
      }
      entity = try schema.entity(named: relationship.destination)
    }
    let relatives = schema.lineage(of: entity) + schema.descendants(of: entity.name)
    guard relatives.contains(where: { $0.name == key.entity }) else {
      throw DepotError(.usage, "\(path) leads to \(entity.name), not to \(key.entity).")
    }
  }

  /// Returns the key of a relationship's rows, and whether it was chosen by the user.
  func key(_ path: String, to destination: Entity) -> (key: NaturalKey, isChosen: Bool)? {
    keys[path].map { ($0, true) } ?? naturalKey(of: destination).map { ($0, false) }
  }

  /// Returns the same for a relationship known already.
  func key(_ path: String, _ link: RecordLink) -> (key: NaturalKey, isChosen: Bool)? {
    if !keys.isEmpty, let key = keys[path] { return (key, true) }
    return link.natural.map { ($0, false) }
  }

  /// Returns the default key of an entity's rows.
  func naturalKey(of entity: Entity) -> NaturalKey? {
    if let key = natural[entity.name] { return key }
    guard usesFileIdentifiers else { return nil }
    let root = schema.lineage(of: entity)[0].name
    return NaturalKey(entity: root, path: NaturalKey.fileIdentifier, type: .string)
  }
}
