import DepotClient
import DepotProtocol
import FoundationEssentials

enum Status: String, CaseIterable, AttributeValue, Codable {
  case member
  case observer

  var title: String { rawValue + "!" }
}

enum Climate: CaseIterable, AttributeValue, Codable {
  case cold
  case warm
}

/// An enumeration that isn't known to the store.
enum Season: Codable {
  case summer
  case winter
}

struct Place: Composite, Hashable {
  var city: String
  var zip: Int?

  static let attributes: RecordAttributes<Place> = [.init(\.city, "city"), .init(\.zip, "zip")]

  init(city: String, zip: Int? = nil) {
    self.city = city
    self.zip = zip
  }

  init(from row: inout RowReader) throws(DepotError) {
    city = try row.next()
    zip = try row.next()
  }

  func write(to row: inout RowWriter) {
    row.append(city)
    row.append(zip)
  }
}

/// A record that has every kind of property.
struct Country: Record, Hashable {
  var id: Identifier<Country>?
  var name: String
  var status = Status.member
  var climate = Climate.cold
  var area: Float = 0
  var people: UInt64 = 0
  var codes: [String] = []
  var zones: Set<Int> = []
  var facts: [String: Int] = [:]
  var capital = Place(city: "")
  var resort: Place?
  var isIsland = false
  var isFree: Bool?
  var leader: Related<Person>?
  var provinces: [Related<Province>] = []

  static let entity = "Country"
  static let attributes: RecordAttributes<Country> = [
    .identifier(\.id), .init(\.name, "name", isUnique: true), .init(\.status, "status"),
    .init(\.climate, "climate"), .init(\.area, "area"), .init(\.people, "population"),
    .init(\.codes, "codes"), .init(\.zones, "zones"), .init(\.facts, "facts"),
    .init(\.capital, "capital"), .init(\.resort, "resort"),
    .init(\.isIsland, "island", default: false), .init(\.isFree, "free"),
    .toOne(\.leader, "leader"),
    .toMany(\.provinces, "provinces", inverse: \Province.country, deleteRule: .cascade),
  ]

  static func define(_ entity: inout Entity) {
    entity.indexes = [["status", "area"]]
  }

  init(name: String) {
    self.name = name
  }

  init(from row: inout RowReader) throws(DepotError) {
    id = Identifier(row.identifier)
    name = try row.next()
    status = try row.next()
    climate = try row.next()
    area = try row.next()
    people = try row.next()
    codes = try row.next()
    zones = try row.next()
    facts = try row.next()
    capital = try row.next()
    resort = try row.next()
    isIsland = try row.next()
    isFree = try row.next()
    leader = try row.next()
    provinces = try row.next()
  }

  func write(to row: inout RowWriter) {
    row.append(name)
    row.append(status)
    row.append(climate)
    row.append(area)
    row.append(people)
    row.append(codes)
    row.append(zones)
    row.append(facts)
    row.append(capital)
    row.append(resort)
    row.append(isIsland)
    row.append(isFree)
    row.append(leader)
    row.append(provinces)
  }
}

struct Province: Record, Hashable {
  var id: Identifier<Province>?
  var name: String
  var rank: Int8 = 0
  var country: Related<Country>?
  var founder: Identifier<Person>?

  static let entity = "Province"
  static let attributes: RecordAttributes<Province> = [
    .identifier(\.id), .init(\.name, "name"), .init(\.rank, "rank"),
    .toOne(\.country, "country"), .toOne(\.founder, "founder"),
  ]

  init(name: String, country: Related<Country>? = nil) {
    self.name = name
    self.country = country
  }

  init(from row: inout RowReader) throws(DepotError) {
    id = Identifier(row.identifier)
    name = try row.next()
    rank = try row.next()
    country = try row.next()
    founder = try row.next()
  }

  func write(to row: inout RowWriter) {
    row.append(name)
    row.append(rank)
    row.append(country)
    row.append(founder)
  }
}

struct Person: Record, Hashable, Codable {
  var id: Identifier<Person>?
  var name: String
  var age = 0
  /// A property that isn't stored in the service.
  var note = ""

  static let entity = "Person"
  static let attributes: RecordAttributes<Person> = [
    .identifier(\.id), .init(\.name, "name"), .init(\.age, "age"),
  ]

  init(name: String) {
    self.name = name
  }

  init(from row: inout RowReader) throws(DepotError) {
    id = Identifier(row.identifier)
    name = try row.next()
    age = try row.next()
  }

  func write(to row: inout RowWriter) {
    row.append(name)
    row.append(age)
  }
}

struct President: Record, Hashable {
  var name: String
  var age = 0
  var term: Int

  static let entity = "President"
  static var parent: (any Record.Type)? { Person.self }
  static let attributes: RecordAttributes<President> = [
    .init(\.name, "name"), .init(\.age, "age"), .init(\.term, "term"),
  ]

  init(from row: inout RowReader) throws(DepotError) {
    name = try row.next()
    age = try row.next()
    term = try row.next()
  }

  func write(to row: inout RowWriter) {
    row.append(name)
    row.append(age)
    row.append(term)
  }
}
