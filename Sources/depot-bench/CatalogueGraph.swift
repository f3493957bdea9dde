import DepotClient
import DepotProtocol
import DepotSQLite
import Foundation

/// The package catalogue of this machine, in a service and in SQLite in this process.
struct CatalogueGraph {
  private struct Section: Decodable {
    var name: String
    var area: String
  }

  private struct Maintainer: Decodable {
    var email: String
    var name: String
  }

  private struct Package: Decodable {
    var name: String
    var version: String
    var installedSize: Int64?
    var section: String
    var maintainer: String
  }

  private struct Dependency: Decodable {
    var name: String
    var kind: String
    var source: String
    var target: String?
  }

  private let folder: String
  private let sections: [Section]
  private let maintainers: [Maintainer]
  private let packages: [Package]
  private let dependencies: [Dependency]

  var packageCount: Int { packages.count }
  var dependencyCount: Int { dependencies.count }

  /// Has the demo write the catalogue into `folder`, and reads it.
  init(in folder: TemporaryFolder) throws {
    self.folder = folder.path
    _ = try Child([Child.programs + "/depot-demo", "--catalogue", folder.path]).result()
    sections = try Self.read("sections", folder)
    maintainers = try Self.read("maintainers", folder)
    packages = try Self.read("packages", folder)
    dependencies = try Self.read("dependencies", folder)
  }

  private static func read<Row: Decodable>(
    _ name: String,
    _ folder: TemporaryFolder
  ) throws -> [Row] {
    let data = try Data(contentsOf: URL(filePath: folder.file("\(name).ndjson")))
    let decoder = JSONDecoder()
    return try data.split(separator: 0x0A).map { try decoder.decode(Row.self, from: Data($0)) }
  }

  /// Stores the graph in a service.
  func fill(_ connection: BlockingConnection) throws {
    let schema = try Data(contentsOf: URL(filePath: folder + "/catalogue.schema.json"))
    try connection.define(Schema(parsing: schema))
    let sectionIds = try insert(sections, "Section", ["name", "area"], connection) { section, row in
      row.append(section.name)
      row.append(section.area)
    }
    let maintainerIds = try insert(maintainers, "Maintainer", ["email", "name"], connection) {
      $1.append($0.email)
      $1.append($0.name)
    }
    let sectionOf = Self.map(sections.map(\.name), sectionIds)
    let maintainerOf = Self.map(maintainers.map(\.email), maintainerIds)
    let columns = ["name", "version", "installedSize", "section", "maintainer"]
    let packageIds = try insert(packages, "Package", columns, connection) { package, row in
      row.append(package.name)
      row.append(package.version)
      row.append(package.installedSize)
      row.append(sectionOf[package.section])
      row.append(maintainerOf[package.maintainer])
    }
    let packageOf = Self.map(packages.map(\.name), packageIds)
    _ = try insert(dependencies, "Dependency", ["name", "kind", "source", "target"], connection) {
      $1.append($0.name)
      $1.append($0.kind)
      $1.append(packageOf[$0.source])
      $1.append($0.target.flatMap { packageOf[$0] })
    }
  }

  private static func map(_ names: [String], _ identifiers: [Int64]) -> [String: Int64] {
    Dictionary(zip(names, identifiers)) { first, _ in first }
  }

  private func insert<Row>(
    _ rows: [Row],
    _ entity: String,
    _ columns: [String],
    _ connection: BlockingConnection,
    _ write: (Row, inout RowWriter) -> Void
  ) throws -> [Int64] {
    var identifiers: [Int64] = []
    for start in stride(from: 0, to: rows.count, by: 10_000) {
      var batch = RowBatch()
      for row in rows[start..<min(start + 10_000, rows.count)] {
        batch.appendRow { write(row, &$0) }
      }
      let request = InsertRequest(entity: entity, columns: columns, rows: batch)
      identifiers += try connection.insert(request).identifiers.compactMap(\.self)
    }
    return identifiers
  }

  /// Stores the graph in SQLite, with the usual indexes for these questions.
  func fill(_ connection: Connection) throws {
    try connection.execute(
      """
      CREATE TABLE section (id INTEGER PRIMARY KEY, name TEXT UNIQUE, area TEXT);
      CREATE TABLE maintainer (id INTEGER PRIMARY KEY, email TEXT UNIQUE, name TEXT);
      CREATE TABLE package (id INTEGER PRIMARY KEY, name TEXT UNIQUE, version TEXT, size INTEGER,
        section INTEGER, maintainer INTEGER);
      CREATE TABLE dependency (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, source INTEGER,
        target INTEGER);
      CREATE INDEX package_section ON package (section);
      CREATE INDEX package_maintainer ON package (maintainer);
      CREATE INDEX dependency_source ON dependency (source);
      CREATE INDEX dependency_target ON dependency (target);
      """
    )
    try connection.transaction {
      for section in sections {
        try connection.statement("INSERT INTO section (name, area) VALUES (?1, ?2)")
          .run([.text(section.name), .text(section.area)])
      }
      for maintainer in maintainers {
        try connection.statement("INSERT INTO maintainer (email, name) VALUES (?1, ?2)")
          .run([.text(maintainer.email), .text(maintainer.name)])
      }
      for package in packages {
        try connection.statement(
          """
          INSERT INTO package (name, version, size, section, maintainer) VALUES (?1, ?2, ?3,
            (SELECT id FROM section WHERE name = ?4), (SELECT id FROM maintainer WHERE email = ?5))
          """
        ).run([
          .text(package.name), .text(package.version),
          package.installedSize.map(SQLiteValue.integer) ?? .null, .text(package.section),
          .text(package.maintainer),
        ])
      }
      for dependency in dependencies {
        try connection.statement(
          """
          INSERT INTO dependency (name, kind, source, target) VALUES (?1, ?2,
            (SELECT id FROM package WHERE name = ?3), (SELECT id FROM package WHERE name = ?4))
          """
        ).run([
          .text(dependency.name), .text(dependency.kind), .text(dependency.source),
          dependency.target.map(SQLiteValue.text) ?? .null,
        ])
      }
    }
  }
}
