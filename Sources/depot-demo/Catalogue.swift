import Foundation

/// This machine's catalogue of Debian packages.
enum Catalogue {
  /// The schema file of the demo.
  static let schema = """
    {"entities": [{"name": "Package",
      "attributes": [
        {"name": "name", "type": "string", "unique": true},
        {"name": "version", "type": "string"},
        {"name": "section", "type": "string", "optional": true, "indexed": true},
        {"name": "priority", "type": "string", "optional": true},
        {"name": "maintainer", "type": "string", "optional": true},
        {"name": "architecture", "type": "string"},
        {"name": "installedSize", "type": "int64", "optional": true, "indexed": true},
        {"name": "size", "type": "int64", "optional": true},
        {"name": "isEssential", "type": "bool", "default": false},
        {"name": "homepage", "type": "url", "optional": true},
        {"name": "depends", "type": "string", "optional": true},
        {"name": "summary", "type": "string", "optional": true}
      ],
      "indexes": [["section", "installedSize"]]}]}

    """

  /// Reads the catalogue of what can be installed, or of what is, where there are no lists.
  ///
  /// - Returns: The text, and where it is from.
  static func read() throws -> (text: String, source: String) {
    if let text = try? Program.output(["apt-cache", "dumpavail"]), text.utf8.count > 1000 {
      return (text, "apt-cache dumpavail")
    }
    let path = "/var/lib/dpkg/status"
    return (try String(contentsOfFile: path, encoding: .utf8), path)
  }

  /// Returns the catalogue as one JSON object in each line, and how many there are.
  static func ndjson(_ text: String) throws -> (lines: Data, count: Int) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var lines = Data()
    var names: Set<Substring> = []
    for stanza in text.split(separator: "\n\n") {
      let fields = fields(of: stanza)
      // A package of several versions stands several times; the first is the newest.
      guard let name = fields["Package"], names.insert(name).inserted else { continue }
      lines.append(try encoder.encode(Entry(fields)))
      lines.append(0x0A)
    }
    return (lines, names.count)
  }

  private static func fields(of stanza: Substring) -> [Substring: Substring] {
    var fields: [Substring: Substring] = [:]
    for line in stanza.split(separator: "\n") where line.first != " " {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields[line[..<colon]] = line[line.index(after: colon)...].drop { $0 == " " }
    }
    return fields
  }

  private struct Entry: Encodable {
    var name: String
    var version: String
    var section: String?
    var priority: String?
    var maintainer: String?
    var architecture: String
    var installedSize: Int?
    var size: Int?
    var isEssential: Bool
    var homepage: String?
    var depends: String?
    var summary: String?

    init(_ fields: [Substring: Substring]) {
      name = String(fields["Package"] ?? "")
      version = String(fields["Version"] ?? "")
      section = fields["Section"].map(String.init)
      priority = fields["Priority"].map(String.init)
      maintainer = fields["Maintainer"].map(String.init)
      architecture = String(fields["Architecture"] ?? "")
      installedSize = fields["Installed-Size"].flatMap { Int($0) }
      size = fields["Size"].flatMap { Int($0) }
      isEssential = fields["Essential"] == "yes"
      homepage = fields["Homepage"].map(String.init)
      depends = fields["Depends"].map(String.init)
      summary = fields["Description"].map(String.init)
    }
  }
}
