import DepotClient
import DepotProtocol
import Testing

@testable import SwiftData

@Suite struct `Codecs` {
  private let container: ModelContainer
  private let description = EntityDescription.of(Sample.self)

  init() throws {
    container = try ModelContainer(storing: Sample.self)
  }

  /// Stores a value under a property and returns what is read again.
  private func stored(_ value: Any, _ name: String) throws -> Any {
    let connection = try #require(container.stores.first).connect()
    var columns: [String] = []
    var values: [Value] = []
    for property in description.properties {
      let codec = try #require(property.codec)
      let content =
        property.name == name ? value : property.defaultValue ?? codec.placeholder
      columns += codec.suffixes.map { property.name + $0 }
      values += try codec.values(content)
    }
    let codec = try #require(description.property(named: name)?.codec)
    _ = try connection.insert(
      InsertRequest(entity: "Sample", columns: columns, rows: RowBatch([values]))
    )
    var request = FetchRequest(entity: "Sample")
    request.select = codec.suffixes.map { name + $0 }
    var result: Any?
    _ = try connection.fetch(request) { row in result = try codec.read(&row) }
    return try #require(result)
  }

  private func check<Content: Equatable>(_ values: [Content], _ name: String) throws {
    for value in values {
      #expect(try stored(value, name) as? Content == value, "\(name)")
    }
  }

  @Test func `scalars of every type come back`() throws {
    try check([UInt64.max, 0], "large")
    try check([Int8.min, 7], "small")
    try check([Float(1.5)], "single")
    try check([Decimal(string: "12345678901234567890.123")], "price")
    try check([URL(string: "https://example.org/a?b")], "link")
    try check(
      [
        Duration.seconds(-3) - .nanoseconds(7), .zero,
        Duration(secondsComponent: 9, attosecondsComponent: 1),
      ],
      "duration"
    )
    try check([CGFloat(0.25)], "width")
    try check([Date(timeIntervalSinceReferenceDate: 0.1), nil], "moment")
  }

  @Test func `enumerations are stored by raw value or by name`() throws {
    try check([Grade.low, .high], "grade")
    try check([Kind.red, .green, nil], "kind")
    try check([Payload.none, .some(3), .pair("x", 2)], "payload")
    try check([Flags([.one, .two])], "flags")
    let green: Any = Kind?.some(.green) as Any
    #expect(
      try description.property(named: "kind")?.codec?.values(green) == [
        .string("green")
      ]
    )
    #expect(description.property(named: "grade")?.codec?.attribute.type == .int64)
    #expect(description.property(named: "payload")?.codec?.attribute.type == .json)
  }

  @Test func `collections are stored as such, or as JSON`() throws {
    try check([["a", "b"], []], "tags")
    try check([Set([1, 2, 3])], "numbers")
    try check([[Grade.high, .low]], "grades")
    try check([["a", nil]], "gaps")
    try check([[[1], [], [2, 3]]], "matrix")
    try check([["k": 1.5]], "weights")
    try check([[Address(street: "s", geo: .init(latitude: 1, longitude: 2))]], "addresses")
    #expect(description.property(named: "grades")?.codec?.attribute.collection == .array)
    #expect(description.property(named: "matrix")?.codec?.attribute.type == .json)
  }

  @Test func `structures have a column for each property`() throws {
    let address = Address(street: "High Street", number: 7, geo: Point(latitude: 1, longitude: -2))
    try check([address], "home")
    try check([address, nil], "work")
    try check([address], "opaque")
    let home = try #require(description.property(named: "home")?.codec)
    #expect(
      home.suffixes == [".street", ".number", ".geo", ".geo.latitude", ".geo.longitude", ".grade"]
    )
    let opaque = try #require(description.property(named: "opaque")?.codec)
    #expect(opaque.attribute.type == .json)
  }

  @Test func `key paths into structures have names`() throws {
    #expect(ModelNaming.member(\Address.street, of: Address.self) == "street")
    #expect(ModelNaming.member(\Address.number, of: Address.self) == "number")
    #expect(ModelNaming.member(\Address.geo, of: Address.self) == "geo")
    #expect(ModelNaming.member(\Address.title, of: Address.self) == nil)
    #expect(ModelNaming.member(\Point.longitude, of: Point.self) == "longitude")
    #expect(ModelNaming.member(\Frame.origin.longitude, of: Frame.self) == "origin.longitude")
    #expect(ModelNaming.member(\Frame.origin, of: Frame.self) == "origin")
    try check([Frame(origin: Point(latitude: 3, longitude: 4))], "frame")
  }

  @Test func `a transformer makes data and takes it back`() throws {
    try check([Tint(red: 5), nil], "tint")
    #expect(description.property(named: "tint")?.codec?.attribute.type == .data)
  }

  @Test func `what can't be read is an error`() throws {
    let kind = try #require(description.property(named: "grade")?.codec)
    #expect(throws: SwiftDataError.self) { try kind.values("text") }
  }

  @Test func `placeholders are of the property's type`() {
    for property in description.properties {
      let type = type(of: property.keyPath).valueType
      guard let placeholder = property.codec?.placeholder else { continue }
      #expect(
        Swift.type(of: placeholder) == type,
        "\(property.name): \(Swift.type(of: placeholder))"
      )
    }
  }
}

struct Point: Codable, Hashable {
  var latitude: Double
  var longitude: Double
}

struct Frame: Codable, Hashable {
  var origin: Point
}

struct Address: Codable, Hashable {
  var street: String
  var number: Int?
  var geo: Point?
  var grade = Grade.low
  var title: String { street.uppercased() }
}

enum Grade: Int, Codable {
  case low = 1
  case high = 5
}

enum Kind: Codable {
  case red, green
}

enum Payload: Codable, Hashable {
  case none
  case some(Int)
  case pair(String, Int)
}

struct Flags: OptionSet, Codable {
  let rawValue: Int
  static let one = Flags(rawValue: 1)
  static let two = Flags(rawValue: 2)
}

struct Tint: Hashable {
  var red: UInt8
}

final class TintTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? Tint).map { Data([$0.red]) }
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data)?.first.map { Tint(red: $0) }
  }
}

@Model final class Sample {
  var large: UInt64 = 1
  var small: Int8 = 1
  var single: Float = 1
  var price: Decimal?
  var link: URL?
  var duration: Duration = Duration.zero
  var width: CGFloat = 1
  var moment: Date?
  var grade: Grade = Grade.high
  var kind: Kind?
  var payload: Payload = Payload.none
  var flags: Flags = Flags.one
  var tags: [String] = []
  var numbers: Set<Int> = []
  var grades: [Grade] = []
  var gaps: [String?] = []
  var matrix: [[Int]] = []
  var weights: [String: Double] = [:]
  var addresses: [Address] = []
  var home: Address = Address(street: "")
  var work: Address?
  var frame: Frame = Frame(origin: Point(latitude: 0, longitude: 0))
  @Attribute(.codable) var opaque: Address = Address(street: "")
  @Attribute(.transformable(by: TintTransformer.self)) var tint: Tint?

  init() {}
}
