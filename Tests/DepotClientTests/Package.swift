import DepotClient
import DepotProtocol
import FoundationEssentials

/// A record that has every shape of property that predicates can use.
struct Package: Record, Hashable {
  var id: Identifier<Package>?
  var version: Int64 = 0
  var name: String
  var section: String?
  var size: Int = 0
  var priority: Double = 0
  var isEssential = false
  var isHeld: Bool?
  var built: Date = Date(timeIntervalSinceReferenceDate: 0)
  /// A property that isn't stored in the service.
  var note = ""

  static let entity = "Package"
  static let attributes: RecordAttributes<Package> = [
    .identifier(\.id), .version(\.version), .init(\.name, "name"), .init(\.section, "section"),
    .init(\.size, "installedSize"), .init(\.priority, "priority"),
    .init(\.isEssential, "essential"), .init(\.isHeld, "held"), .init(\.built, "built"),
  ]

  init(name: String, section: String? = nil, size: Int = 0) {
    self.name = name
    self.section = section
    self.size = size
  }

  init(from row: inout RowReader) throws(DepotError) {
    id = Identifier(row.identifier)
    version = row.version
    name = try row.next()
    section = try row.next()
    size = try row.next()
    priority = try row.next()
    isEssential = try row.next()
    isHeld = try row.next()
    built = try row.next()
  }

  func write(to row: inout RowWriter) {
    row.append(name)
    row.append(section)
    row.append(size)
    row.append(priority)
    row.append(isEssential)
    row.append(isHeld)
    row.append(built)
  }
}
