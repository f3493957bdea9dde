internal import DepotProtocol

/// The mapping of a file's columns or members to names in the schema, given by `--map`.
struct RecordMap: Hashable {
  static let option = OptionSpec(
    "--map COLUMN=PATH: a column, or a member such as address.town, goes to PATH; to none: left "
      + "out; repeatable",
    isRepeatable: true
  )

  /// The paths by the names in the file; empty for members to leave out.
  private(set) var paths: [String: String] = [:]
  /// The names of members with mapped members inside them.
  private var outer: Set<String> = []

  init() {}

  /// Reads `alpha_2=code` and `notes=`.
  ///
  /// - Throws: ``DepotError`` `request.usage` if a text isn't a mapping, or two contradict each
  ///   other.
  init(_ texts: [String]) throws(DepotError) {
    for text in texts {
      guard let sign = text.lastIndex(of: "="), text != "=" else {
        throw DepotError(.usage, "\"\(text)\" doesn't map a column to a path.")
          .hint("Write --map column=path, or --map column= to leave a column out.")
      }
      let name = String(text[..<sign])
      let path = String(text[text.index(after: sign)...])
      if let other = paths.first(where: { !path.isEmpty && $0.value == path && $0.key != name }) {
        throw DepotError(.usage, "\"\(other.key)\" and \"\(name)\" both go to \"\(path)\".")
      }
      guard paths.updateValue(path, forKey: name) == nil else {
        throw DepotError(.usage, "\"\(name)\" is mapped twice.")
      }
      for place in name.indices where name[place] == "." { outer.insert(String(name[..<place])) }
    }
  }

  /// Checks that the entity, or a subentity, has the paths.
  ///
  /// - Throws: ``DepotError`` `schema.unknown_attribute`.
  func check(_ entity: Entity, _ schema: Schema) throws(DepotError) {
    let entities = [entity] + schema.descendants(of: entity.name)
    for path in paths.values.sorted() where !path.isEmpty {
      let isKnown = entities.contains { entity in
        schema.relationships(of: entity).contains { $0.name == path }
          || schema.fields(of: entity).contains {
            $0.path == path || $0.path.hasPrefix(path + ".")
          }
      }
      if !isKnown { throw schema.unknownPath(path, from: entity) }
    }
  }

  /// Returns the path of a column; `nil` if it is omitted.
  func path(_ name: String) -> String? {
    guard let path = paths[name] else { return name }
    return path.isEmpty ? nil : path
  }

  /// Returns the members of a record by their paths in the schema.
  func members(
    _ members: [(name: String, value: JSONNode)]
  ) throws(DepotError) -> [(name: String, value: JSONNode)] {
    if paths.isEmpty { return members }
    var result: [(name: String, value: JSONNode)] = []
    for (name, value) in members { try add(name, path(name), value, to: &result) }
    return result
  }

  /// Returns a JSON record with its members under their paths in the schema.
  ///
  /// - Throws: ``DepotError`` `protocol.json`, or `request.usage` if two members have the same
  ///   path.
  func object(_ bytes: ArraySlice<UInt8>) throws(DepotError) -> [UInt8] {
    let root = try JSONNode.record(Array(bytes))
    var members: [(name: String, value: JSONNode)] = []
    for (name, value) in try root.members() { members.append((try name.string(), value)) }
    var writer = JSONWriter(capacity: bytes.count + 16)
    writer.raw("{")
    for (name, value) in try self.members(members) {
      writer.member(name, json: value.document.bytes[value.range])
    }
    writer.raw("}")
    return writer.bytes
  }

  /// Adds a member under a path, or its parts if some of them are mapped themselves.
  private func add(
    _ name: String,
    _ path: String?,
    _ value: JSONNode,
    to result: inout [(name: String, value: JSONNode)]
  ) throws(DepotError) {
    let isOuter = outer.contains(name)
    if isOuter, value.isNull, paths[name] == nil { return }
    if isOuter, value.kind == .object {
      for (inner, value) in try value.members() {
        let inner = try inner.string()
        let whole = "\(name).\(inner)"
        let own = paths[whole].map { $0.isEmpty ? nil : $0 }
        try add(whole, own ?? path.map { "\($0).\(inner)" }, value, to: &result)
      }
    } else if let path {
      guard !result.contains(where: { $0.name == path }) else {
        throw DepotError(.usage, "\"\(path)\" gets two values.")
      }
      result.append((path, value))
    }
  }
}
