internal import DepotProtocol

/// A proposed entity that fits all records of a file.
final class SchemaProposal {
  /// The names of attributes that are probably unique, the likeliest first.
  private static let keys = ["id", "uuid", "code", "key", "isbn", "slug", "email", "name"]

  /// The longest proposed name in bytes; longer ones are hard to type.
  private static let nameBytes = 60

  /// A column of CSV: the profile of its values, and the composites around it.
  private struct Column {
    var profile: ValueProfile
    var outer: [ValueProfile] = []
  }

  private let name: String
  private let map: RecordMap
  private let form: InputForm
  private let records = ValueProfile()
  private var count = 0
  private var isText = false
  /// The columns of JSON members, by their names.
  private var memberColumns: [String: Column] = [:]
  /// The columns of CSV; `nil` for omitted ones.
  private var columns: [Column?]?
  private var header: DelimitedNames?
  /// The path of each column; `nil` for omitted ones.
  private var paths: [String?] = []
  /// Whether there are columns without a name of their own in the header.
  private var hasMadeUpNames = false
  /// The paths that differ between the file and the schema.
  private var renamed: [(old: String, new: String)] = []
  /// The paths in the schema by the paths in the file.
  private var finals: [String: String] = [:]
  private let values: DelimitedValue

  init(entity name: String, _ map: RecordMap, _ form: InputForm = InputForm()) {
    self.name = name
    self.map = map
    self.form = form
    values = DelimitedValue(nullText: form.nullText)
  }

  /// Reads all records of a file, reporting their number so far.
  ///
  /// - Throws: ``DepotError`` with the line of an unreadable record; `request.usage` if the file is
  ///   one document that contains the records, or its fields have another separator.
  func read(_ file: InputFile, progress: (Int) -> Void = { _ in }) throws {
    var places = JSONArrayPointers()
    try ImportSource.read(
      file,
      form: form,
      object: { record in
        if count == 0, form.path == nil { places = JSONArrayPointers(in: record.bytes) }
        try Self.located(record.line) { () throws(DepotError) in
          try record.check()
          try add(try JSONNode.record(Array(record.bytes)))
        }
        progress(count)
      },
      delimited: { record in
        try Self.located(record.line) { () throws(DepotError) in
          try record.check()
          if columns == nil {
            try begin(record, file)
            if form.hasHeader { return }
          }
          try add(record)
        }
        progress(count)
      }
    )
    guard count == 1, let advice = places.advice else { return }
    throw DepotError(.usage, "\(file.name) is one record with arrays of others inside.")
      .hint("\(advice). To take it as one record: --path ''")
  }

  private static func located(_ line: Int, _ body: () throws(DepotError) -> Void) throws {
    do throws(DepotError) {
      try body()
    } catch {
      var located = error
      located.at = "line \(line)" + (error.at.map { ", \($0)" } ?? "")
      throw located
    }
  }

  /// Assigns the fields of rows to columns.
  private func begin(_ first: DelimitedRecord, _ file: InputFile) throws(DepotError) {
    isText = true
    let header =
      form.hasHeader
      ? try DelimitedNames(first, form) : DelimitedNames(numbering: first, form)
    self.header = header
    if header.source == .header, form.separator == nil, form.hasHeader,
      let hint = SeparatorAdvice.hint(header.texts)
    {
      throw DepotError(.usage, "The header of \(file.name) is one column.").hint(hint)
    }
    var known: Set<String> = []
    for (index, name) in header.paths(map).enumerated() {
      guard let name else {
        paths.append(nil)
        continue
      }
      var path = name.isEmpty ? "column_\(index + 1)" : name
      var number = 2
      while !known.insert(path).inserted {
        path = "\(name.isEmpty ? "column" : name)_\(number)"
        number += 1
      }
      if path != name { hasMadeUpNames = true }
      paths.append(path)
    }
    columns = paths.map { path in
      path.flatMap { Self.isIdentity($0) ? nil : column($0) }
    }
  }

  /// Whether a member belongs to the row itself, rather than to an attribute.
  private static func isIdentity(_ name: String) -> Bool {
    ["$id", "$version", "$entity"].contains(name)
  }

  /// Returns the column for the values of a path; `home.city` is a part of the composite `home`.
  private func column(_ path: String) -> Column {
    let steps = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard steps.count > 1, steps.allSatisfy(NameSyntax.isUsable) else {
      let mayBeKey = Self.keys.contains(Self.usable(path).lowercased())
      return Column(profile: records.member(path, mayBeKey: mayBeKey))
    }
    var column = Column(profile: records)
    for (index, step) in steps.enumerated() {
      if index > 0 { column.outer.append(column.profile) }
      column.profile = column.profile.member(step)
    }
    return column
  }

  private func add(_ row: DelimitedRecord) throws(DepotError) {
    guard let columns, let header else { return }
    if row.isBlank, columns.count > 1 { return }
    try row.check(fieldsOf: header)
    count += 1
    records.addObject(count)
    try row.forEachField { index, field throws(DepotError) in
      guard let column = columns[index], !values.isNull(field) else { return }
      guard UTF8Sequence.isValid(field.bytes) else {
        throw DelimitedValue.notUTF8.at(paths[index] ?? "")
      }
      try column.profile.add(text: Array(field.bytes))
      for outer in column.outer { outer.addObject(count) }
    }
  }

  private func add(_ root: JSONNode) throws(DepotError) {
    var members: [(name: String, value: JSONNode)] = []
    for (name, value) in try root.members() { members.append((try name.string(), value)) }
    count += 1
    records.addObject(count)
    for (name, value) in try map.members(members) where !Self.isIdentity(name) {
      let column = memberColumns[name] ?? column(name)
      memberColumns[name] = column
      if value.isNull { continue }
      try column.profile.add(value)
      for outer in column.outer { outer.addObject(count) }
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
    let members = isText ? records.members.flatMap(Self.flat) : records.members
    let names = rename(members.map(\.name), inside: [])
    var attributes: [Attribute] = []
    for (name, member) in zip(names, members) {
      attributes.append(
        member.profile.attribute(
          name,
          of: count,
          isText: isText,
          rename: { self.rename($0, inside: $1) },
          path: [member.name]
        )
      )
    }
    let unique = Self.keys.lazy.compactMap { key in
      attributes.indices.first { index in
        attributes[index].name.lowercased() == key && members[index].profile.isKey
          && [.string, .int64, .uuid].contains(attributes[index].type)
          && attributes[index].collection == nil && !attributes[index].isOptional
      }
    }.first
    if let unique { attributes[unique].isUnique = true }
    guard attributes.count <= Limits.attributes else {
      throw DepotError(
        .usage,
        "\(name) would have \(attributes.count) attributes; an entity has at most "
          + "\(Limits.attributes)."
      ).hint("Divide the columns among several files, or leave some out with --map COLUMN=.")
    }
    return Entity(name: name, attributes: attributes)
  }

  /// Returns a column of CSV, with its supposed parts unless it is a composite.
  private static func flat(
    _ name: String,
    _ profile: ValueProfile
  ) -> [(name: String, profile: ValueProfile)] {
    guard !profile.members.isEmpty, !profile.isOnlyObjects else { return [(name, profile)] }
    let parts = profile.members.flatMap { flat("\(name).\($0.name)", $0.profile) }
    return [(name, profile.withoutObjects())] + parts
  }

  /// Returns distinct names that a schema can have.
  private func rename(_ names: [String], inside path: [String]) -> [String] {
    // Usable names that are the first of their spelling stay.
    var taken: Set<String> = []
    var isKept = names.map(NameSyntax.isUsable)
    for index in names.indices where isKept[index] {
      isKept[index] = taken.insert(NameSyntax.folded(names[index])).inserted
    }
    let old = path.joined(separator: ".")
    let prefixes = [old, finals[old] ?? old].map { $0.isEmpty ? "" : $0 + "." }
    return zip(names, isKept).map { name, isKept in
      if isKept {
        finals[prefixes[0] + name] = prefixes[1] + name
        return name
      }
      let base = Self.usable(name)
      var free = base
      var number = 2
      while !taken.insert(NameSyntax.folded(free)).inserted {
        free = "\(base)_\(number)"
        number += 1
      }
      renamed.append((prefixes[0] + name, prefixes[1] + free))
      finals[prefixes[0] + name] = prefixes[1] + free
      return free
    }
  }

  private static func usable(_ name: String) -> String {
    if NameSyntax.isUsable(name) { return name }
    let words = name.split { !NameSyntax.continues($0) }
    var text = ""
    for character in words.joined(separator: "_") {
      guard text.utf8.count + character.utf8.count <= nameBytes else { break }
      text.append(character)
    }
    let usable = NameSyntax.normalized(text.isEmpty ? "column" : text)
    return NameSyntax.isUsable(usable) ? usable : "_" + usable
  }

  /// The further options for importing the file into the proposed entity.
  ///
  /// For a terminal of `width` columns they are on lines of their own, which a shell reads as one.
  func advice(_ path: String, width: Int? = nil) -> String? {
    guard !renamed.isEmpty || hasMadeUpNames else { return nil }
    let instead = map.paths.isEmpty || !isText ? "" : ", without --map,"
    let reason = "Names of \(path) can't be in a schema as they are. Import it\(instead) with:"
    let options = options
    guard let width else { return "\(reason) \(options)\n" }
    return reason + "\n" + TextFlow.command(options, width: width - 2).indented(by: 2)
  }

  private var options: String {
    guard isText else {
      return renamed.map { "--map " + CommandWords.quoted("\($0.old)=\($0.new)") }
        .joined(separator: " ")
    }
    let names = paths.map { path in path.map { finals[$0] ?? $0 } ?? "" }.joined(separator: ",")
    return "--columns " + CommandWords.quoted(names)
  }

  /// Returns the entity name for a file, such as `OrderLines` for `data/order-lines.csv`.
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
