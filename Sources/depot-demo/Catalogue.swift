import Foundation

/// This machine's catalogue of Debian packages as a graph.
///
/// It has packages, their maintainers, their sections, and their dependencies.
struct Catalogue {
  /// Where it was read from.
  let source: String
  private(set) var sections: [String: Section] = [:]
  private(set) var maintainers: [String: Maintainer] = [:]
  private(set) var packages: [Package] = []
  private(set) var dependencies: [Dependency] = []

  /// Reads the packages that can be installed, or the installed ones where there are no lists.
  init() throws {
    var text: String
    if let available = try? Program.output(["apt-cache", "dumpavail"]), available.utf8.count > 1000
    {
      (text, source) = (available, "apt-cache dumpavail")
    } else {
      source = "/var/lib/dpkg/status"
      text = try String(contentsOfFile: source, encoding: .utf8)
    }
    text.makeContiguousUTF8()
    var names: Set<Substring> = []
    for stanza in text.split(separator: "\n\n") {
      let fields = Self.fields(of: stanza)
      // A package of several versions stands several times; the first is the newest.
      guard let name = fields["Package"], names.insert(name).inserted else { continue }
      add(String(name), fields)
    }
    dependencies = dependencies.map { dependency in
      var dependency = dependency
      // A name that no package has is a virtual one, which other packages provide.
      if !names.contains(dependency.name[...]) { dependency.target = nil }
      return dependency
    }
  }

  private static func fields(of stanza: Substring) -> [Substring: Substring] {
    var fields: [Substring: Substring] = [:]
    for line in stanza.split(separator: "\n") where line.first != " " {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields[line[..<colon]] = line[line.index(after: colon)...].drop { $0 == " " }
    }
    return fields
  }

  private mutating func add(_ name: String, _ fields: [Substring: Substring]) {
    let section = Section(fields["Section"] ?? "unknown")
    sections[section.name] = section
    let maintainer = Maintainer(fields["Maintainer"] ?? "nobody <nobody>")
    maintainers[maintainer.email] = maintainers[maintainer.email] ?? maintainer
    packages.append(
      Package(
        name: name,
        version: String(fields["Version"] ?? ""),
        installedSize: fields["Installed-Size"].flatMap { Int($0) },
        isEssential: fields["Essential"] == "yes",
        homepage: fields["Homepage"].map(String.init),
        summary: fields["Description"].map(String.init),
        section: section.name,
        maintainer: maintainer.email
      )
    )
    for (field, kind) in [("Pre-Depends", "preDepends"), ("Depends", "depends")] {
      for clause in (fields[field[...]] ?? "").split(separator: ",") {
        for alternative in clause.split(separator: "|") {
          dependencies.append(Dependency(alternative, kind: kind, source: name))
        }
      }
    }
  }

  /// Writes the schema and a file of one JSON object in each line for each entity.
  func write(to folder: URL) throws {
    try Data(Self.schema.utf8).write(to: folder.appending(path: "catalogue.schema.json"))
    try write(sections.values.sorted { $0.name < $1.name }, to: folder, "sections")
    try write(maintainers.values.sorted { $0.email < $1.email }, to: folder, "maintainers")
    try write(packages, to: folder, "packages")
    try write(dependencies, to: folder, "dependencies")
  }

  private func write(_ rows: [some Encodable], to folder: URL, _ name: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var lines = Data()
    for row in rows {
      lines.append(try encoder.encode(row))
      lines.append(0x0A)
    }
    try lines.write(to: folder.appending(path: "\(name).ndjson"))
  }
}

extension Catalogue {
  struct Section: Encodable {
    var name: String
    /// The part of the archive: main, contrib, or non-free.
    var area: String

    /// Reads `games` or `non-free/games`.
    init(_ text: Substring) {
      name = String(text)
      area = text.firstIndex(of: "/").map { String(text[..<$0]) } ?? "main"
    }
  }

  struct Maintainer: Encodable {
    var email: String
    var name: String

    /// Reads `Jane Doe <jane@debian.org>`.
    init(_ text: Substring) {
      let parts = text.split(separator: "<", maxSplits: 1)
      name = String(parts.first ?? text).trimmingCharacters(in: .whitespaces)
      email = parts.count > 1 ? String(parts[1].prefix { $0 != ">" }) : String(text)
    }
  }

  struct Package: Encodable {
    var name: String
    var version: String
    /// In KiB.
    var installedSize: Int?
    var isEssential: Bool
    var homepage: String?
    var summary: String?
    var section: String
    var maintainer: String
  }

  struct Dependency: Encodable {
    var name: String
    var kind: String
    var source: String
    var target: String?
    var constraint: Constraint?

    struct Constraint: Encodable {
      var relation: String
      var version: String
    }

    /// Reads `libc6:any (>= 2.34)`.
    init(_ text: Substring, kind: String, source: String) {
      let words = text.split { " ()\n".contains($0) }
      name = String((words.first ?? "").prefix { $0 != ":" })
      self.kind = kind
      self.source = source
      target = name
      if words.count > 2 {
        constraint = Constraint(relation: String(words[1]), version: String(words[2]))
      }
    }
  }

  /// The schema file of the demo.
  private static let schema = """
    {"version": "1.0.0", "entities": [
      {"name": "Section",
       "attributes": [
         {"name": "name", "type": "string", "unique": true},
         {"name": "area", "type": "string", "indexed": true}],
       "relationships": [
         {"name": "packages", "destination": "Package", "toMany": true, "inverse": "section"}]},
      {"name": "Maintainer",
       "attributes": [
         {"name": "email", "type": "string", "unique": true},
         {"name": "name", "type": "string"}],
       "relationships": [
         {"name": "packages", "destination": "Package", "toMany": true, "inverse": "maintainer"}]},
      {"name": "Package",
       "attributes": [
         {"name": "name", "type": "string", "unique": true},
         {"name": "version", "type": "string"},
         {"name": "installedSize", "type": "int64", "optional": true, "indexed": true},
         {"name": "isEssential", "type": "bool", "default": false},
         {"name": "homepage", "type": "url", "optional": true},
         {"name": "summary", "type": "string", "optional": true, "spotlight": true}],
       "relationships": [
         {"name": "section", "destination": "Section", "inverse": "packages"},
         {"name": "maintainer", "destination": "Maintainer", "inverse": "packages"},
         {"name": "dependencies", "destination": "Dependency", "toMany": true,
          "inverse": "source", "deleteRule": "cascade"},
         {"name": "dependents", "destination": "Dependency", "toMany": true, "inverse": "target"}]},
      {"name": "Dependency",
       "attributes": [
         {"name": "name", "type": "string"},
         {"name": "kind", "type": "string", "cases": ["depends", "preDepends"]},
         {"name": "constraint", "type": "composite", "optional": true, "properties": [
           {"name": "relation", "type": "string"}, {"name": "version", "type": "string"}]}],
       "relationships": [
         {"name": "source", "destination": "Package", "inverse": "dependencies"},
         {"name": "target", "destination": "Package", "inverse": "dependents", "optional": true}]}
    ]}

    """
}
