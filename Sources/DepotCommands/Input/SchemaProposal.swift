internal import DepotProtocol

/// A proposal of an entity that all records of a file fit.
final class SchemaProposal {
  /// The names of attributes that are likely to be unique, the likeliest first.
  private static let keys = ["id", "uuid", "code", "key", "isbn", "slug", "email", "name"]

  private let name: String
  private let map: RecordMap
  private let records = ValueProfile()
  private var count = 0
  private var isText = false
  private var columns: [String?]?
  /// The names in the schema by those in the file, as far as they differ.
  private var renamed: [(old: String, new: String)] = []

  init(entity name: String, _ map: RecordMap) {
    self.name = name
    self.map = map
  }

  /// Reads all records of a file.
  ///
  /// - Throws: ``DepotError`` with the line of a record that can't be read; `request.usage` if the file is
  ///   one document that has the records inside of it, or its fields have another separator.
  func read(_ file: InputFile, _ form: InputForm) throws {
    var places = JSONArrayPlaces()
    try ImportSource.read(
      file,
      form: form,
      object: { record in
        if count == 0, form.path == nil { places = JSONArrayPlaces(in: record.bytes) }
        try Self.located(record.line) { () throws(DepotError) in
          try record.check()
          let root = try JSONNode.record(Array(record.bytes))
          var members: [(name: String, value: JSONNode)] = []
          for (name, value) in try root.members() { members.append((try name.string(), value)) }
          try add(try map.members(members)) { profile, value throws(DepotError) in
            if value.isNull { return false }
            try profile.add(value)
            return true
          }
        }
      },
      delimited: { record in
        try Self.located(record.line) { () throws(DepotError) in
          if columns == nil, form.separator == nil, let hint = SeparatorAdvice.hint(record) {
            throw DepotError(.usage, "The header of \(file.name) is one column.").hint(hint)
          }
          try add(record)
        }
      }
    )
    guard count == 1, let advice = places.advice else { return }
    throw DepotError(.usage, "\(file.name) is one record with arrays of others inside.")
      .hint("\(advice). To take it as one record: --path ''")
  }

  private static func located(_ line: Int, _ body: () throws(DepotError) -> Void) throws {
    try DepotError.at("line \(line)", try body())
  }

  private func add(_ row: DelimitedRecord) throws(DepotError) {
    try row.check()
    guard let columns else {
      isText = true
      let names = row.fields.map { map.path(String(decoding: $0.bytes, as: UTF8.self)) }
      if let place = names.firstIndex(of: "") {
        throw DepotError(.usage, "Column \(place + 1) of the header has no name.")
          .hint("Give it one in the file.")
      }
      var known: Set<String> = []
      if let twice = names.first(where: { $0.map { !known.insert($0).inserted } ?? false }) ?? nil {
        throw DepotError(.usage, "The header names \"\(twice)\" twice.")
          .hint("Leave one out or name it otherwise in the file.")
      }
      columns = names
      return
    }
    if row.isBlank, columns.count > 1 { return }
    try row.check(fieldCount: columns.count)
    let members = zip(columns, row.fields).compactMap { name, field in name.map { ($0, field) } }
    try add(members) { profile, field throws(DepotError) in
      if field.bytes.isEmpty, !field.isQuoted { return false }
      try profile.add(text: try DelimitedValue.text(field))
      return true
    }
  }

  /// Adds a record; a name such as `home.city` is that of a part of a composite.
  private func add<Field>(
    _ members: [(name: String, value: Field)],
    _ body: (ValueProfile, Field) throws(DepotError) -> Bool
  ) throws(DepotError) {
    count += 1
    records.addObject()
    var begun: Set<String> = []
    for (name, value) in members where name.first != "$" {
      let steps = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      let isPath = steps.count > 1 && steps.allSatisfy(NameSyntax.isUsable)
      guard isPath else {
        _ = try body(records.member(name), value)
        continue
      }
      var profiles = [records]
      for step in steps { profiles.append(profiles[profiles.count - 1].member(step)) }
      guard try body(profiles[profiles.count - 1], value) else { continue }
      for depth in 1..<steps.count
      where begun.insert(steps[..<depth].joined(separator: ".")).inserted {
        profiles[depth].addObject()
      }
    }
  }

  /// Returns the entity.
  ///
  /// - Throws: ``DepotError`` `request.usage` if there were no records, or none with members.
  func entity() throws(DepotError) -> Entity {
    guard !records.members.isEmpty else {
      throw DepotError(.usage, "There are no records in it.")
    }
    renamed = []
    let names = rename(records.members.map(\.name), inside: "")
    var attributes: [Attribute] = []
    for (name, member) in zip(names, records.members) {
      attributes.append(
        member.profile.attribute(name, of: count, isText: isText) { self.rename($0, inside: name) }
      )
    }
    let unique = Self.keys.lazy.compactMap { key in
      attributes.indices.first { index in
        attributes[index].name.lowercased() == key && self.records.members[index].profile.isKey
          && [.string, .int64, .uuid].contains(attributes[index].type)
          && attributes[index].collection == nil && !attributes[index].isOptional
      }
    }.first
    if let unique { attributes[unique].isUnique = true }
    return Entity(name: name, attributes: attributes)
  }

  /// Returns names that a schema can have, no two the same.
  private func rename(_ names: [String], inside path: String) -> [String] {
    var taken: Set<String> = []
    return names.map { name in
      let base = NameSyntax.isUsable(name) ? name : Self.usable(name)
      var new = base
      var number = 2
      while !taken.insert(NameSyntax.folded(new)).inserted {
        new = "\(base)_\(number)"
        number += 1
      }
      if new != name {
        let prefix = path.isEmpty ? "" : path + "."
        renamed.append((prefix + name, prefix + new))
      }
      return new
    }
  }

  private static func usable(_ name: String) -> String {
    let words = name.split { !NameSyntax.continues($0) }
    let text = words.joined(separator: "_")
    let usable = NameSyntax.normalized(text.isEmpty ? "column" : text)
    return NameSyntax.isUsable(usable) ? usable : "_" + usable
  }

  /// The options that an import of the file into the proposed entity needs besides.
  func advice(_ path: String) -> String? {
    guard !renamed.isEmpty else { return nil }
    let maps = renamed.map { "--map '\($0.old)=\($0.new)'" }.joined(separator: " ")
    return "Names of \(path) can't be in a schema as they are. Import it with: \(maps)"
  }

  /// Returns the name of the entity of a file, as in `OrderLines` of `data/order-lines.csv`.
  static func entityName(_ path: String) -> String {
    let file = path.split(separator: "/").last ?? ""
    let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? file
    let words = stem.split { !NameSyntax.continues($0) || $0 == "_" }
    var name = ""
    for word in words {
      if name.last?.isNumber == true, word.first?.isNumber == true { name += "_" }
      name += word.prefix(1).uppercased() + word.dropFirst()
    }
    name = NameSyntax.normalized(name)
    if NameSyntax.isUsable(name) { return name }
    return NameSyntax.isUsable("_" + name) && !name.isEmpty ? "_" + name : "Record"
  }
}
