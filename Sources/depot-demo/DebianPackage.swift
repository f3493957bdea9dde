import DepotClient
import DepotProtocol

/// A row of the entity Package: what the catalogue says of one package.
struct DebianPackage: Record {
  var id: Identifier<DebianPackage>?
  var name: String
  var version: String
  var installedSize: Int?
  var isEssential: Bool

  static let entity = "Package"

  static let attributes: RecordAttributes<DebianPackage> = [
    .identifier(\.id), .init(\.name, "name"), .init(\.version, "version"),
    .init(\.installedSize, "installedSize"),
    .init(\.isEssential, "isEssential"),
  ]

  init(from row: inout RowReader) throws(DepotError) {
    id = Identifier(row.identifier)
    name = try row.next()
    version = try row.next()
    installedSize = try row.next()
    isEssential = try row.next()
  }

  func write(to row: inout RowWriter) {
    row.append(name)
    row.append(version)
    row.append(installedSize)
    row.append(isEssential)
  }
}
