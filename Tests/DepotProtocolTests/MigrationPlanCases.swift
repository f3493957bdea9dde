import DepotProtocol
import Testing

extension MigrationPlanTests {
  /// What a change of the schema takes, and whether it loses data.
  struct Case: CustomTestStringConvertible, Sendable {
    var steps: [String]
    var isDestructive = false
    var needsRowCheck = false
    var change: @Sendable (inout Schema) -> Void

    var testDescription: String { steps.joined(separator: ", ") }
  }

  static let attributes: [Case] = [
    Case(
      steps: ["renamed attribute Trip.cost to price"],
      change: {
        $0.entities[0].attributes[1].name = "price"
        $0.entities[0].attributes[1].originalName = "cost"
        $0.entities[0].indexes = [["name", "price"]]
      }
    ),
    Case(
      steps: ["renamed attribute Trip.cost to Cost"],
      change: {
        $0.entities[0].attributes[1].name = "Cost"
        $0.entities[0].indexes = [["name", "Cost"]]
      }
    ),
    Case(
      steps: [
        "renamed attribute Trip.home.city to address.town",
        "renamed attribute Trip.home.zip to address.zip", "added attribute Trip.address",
        "made Trip.address.town optional", "made Trip.address.zip optional",
      ],
      change: {
        $0.entities[0].attributes[2].name = "address"
        $0.entities[0].attributes[2].originalName = "home"
        $0.entities[0].attributes[2].isOptional = true
        $0.entities[0].attributes[2].properties[0].name = "town"
        $0.entities[0].attributes[2].properties[0].originalName = "city"
      }
    ),
    Case(
      steps: [
        "removed index of Trip.(name, cost)", "removed attribute Trip.cost",
      ],
      isDestructive: true,
      change: {
        $0.entities[0].attributes.remove(at: 1)
        $0.entities[0].indexes = []
      }
    ),
    Case(
      steps: ["changed type of Trip.cost from int16 to int64"],
      change: { $0.entities[0].attributes[1].width = nil }
    ),
    Case(
      steps: ["changed type of Trip.home.zip from int64 to double"],
      isDestructive: true,
      change: { $0.entities[0].attributes[2].properties[1].type = .double }
    ),
    Case(
      steps: ["changed type of Trip.cost from int16 to string"],
      change: {
        $0.entities[0].attributes[1].width = nil
        $0.entities[0].attributes[1].type = .string
      }
    ),
    Case(
      steps: ["changed type of Country.code from string to array of string"],
      change: { $0.entities[1].attributes[0].collection = .array }
    ),
    Case(
      steps: ["made Trip.cost required", "changed default of Trip.cost"],
      change: {
        $0.entities[0].attributes[1].isOptional = false
        $0.entities[0].attributes[1].defaultValue = .int64(0)
      }
    ),
    Case(
      steps: ["made Country.code optional", "made Country.code unique"],
      needsRowCheck: true,
      change: {
        $0.entities[1].attributes[0].isOptional = true
        $0.entities[1].attributes[0].isUnique = true
      }
    ),
    Case(
      steps: [
        "turned external storage of Country.code on",
        "tightened validation of Country.code",
      ],
      needsRowCheck: true,
      change: {
        $0.entities[1].attributes[0].options = .externalStorage
        $0.entities[1].attributes[0].validation.maxLength = 9
      }
    ),
    Case(
      steps: ["removed index of Trip.(name, cost)", "made Trip.cost ephemeral"],
      isDestructive: true,
      change: {
        $0.entities[0].attributes[1].options = .ephemeral
        $0.entities[0].indexes = []
      }
    ),
    Case(
      steps: ["changed derivation of Country.code"],
      isDestructive: true,
      change: { $0.entities[1].attributes[0].derivation = "uppercase(name)" }
    ),
    Case(
      steps: ["changed hash modifier of Country.code", "added index of Country.code"],
      change: {
        $0.entities[1].attributes[0].isIndexed = true
        $0.entities[1].attributes[0].hashModifier = "2"
      }
    ),
    Case(
      steps: ["added attribute Trip.days"],
      change: {
        $0.entities[0].attributes.append(
          Attribute(name: "days", type: .int64, defaultValue: .int64(7))
        )
      }
    ),
  ]

  static let relationships: [Case] = [
    Case(
      steps: [
        "renamed relationship Trip.country to land", "changed delete rule of Trip.land to deny",
      ],
      change: {
        $0.entities[0].relationships[0].name = "land"
        $0.entities[0].relationships[0].originalName = "country"
        $0.entities[0].relationships[0].deleteRule = .deny
        $0.entities[1].relationships[0].inverse = "land"
      }
    ),
    Case(
      steps: ["made Trip.country to-many", "made Country.trips ordered"],
      change: {
        $0.entities[0].relationships[0].isToMany = true
        $0.entities[1].relationships[0].isOrdered = true
      }
    ),
    Case(
      steps: ["made Country.trips to-one"],
      needsRowCheck: true,
      change: { $0.entities[1].relationships[0].isToMany = false }
    ),
    Case(
      steps: ["made Trip.country required", "tightened counts of Country.trips"],
      needsRowCheck: true,
      change: {
        $0.entities[0].relationships[0].isOptional = false
        $0.entities[1].relationships[0].maxCount = 2
      }
    ),
    Case(
      steps: ["changed inverse of Trip.country to none", "removed relationship Country.trips"],
      isDestructive: true,
      change: {
        $0.entities[0].relationships[0].inverse = nil
        $0.entities[1].relationships = []
      }
    ),
    Case(
      steps: [
        "added entity Place", "put entity Country under Place",
        "changed destination of Trip.country from Country to Place",
        "moved relationship trips to Country",
      ],
      needsRowCheck: true,
      change: {
        $0.entities.append(
          Entity(
            name: "Place",
            attributes: [],
            relationships: [
              Relationship(name: "trips", destination: "Trip", inverse: "country", isToMany: true)
            ]
          )
        )
        $0.entities[1].parent = "Place"
        $0.entities[1].relationships = []
        $0.entities[0].relationships[0].destination = "Place"
      }
    ),
  ]

  static let entities: [Case] = [
    Case(
      steps: ["renamed entity Country to Land"],
      change: {
        $0.entities[1].name = "Land"
        $0.entities[1].originalName = "Country"
        $0.entities[0].relationships[0].destination = "Land"
      }
    ),
    Case(
      steps: ["removed entity Country", "removed relationship Trip.country"],
      isDestructive: true,
      change: {
        $0.entities.removeLast()
        $0.entities[0].relationships = []
      }
    ),
    Case(
      steps: ["added entity Flight", "changed hash modifier of Trip", "made entity Trip abstract"],
      needsRowCheck: true,
      change: {
        $0.entities[0].isAbstract = true
        $0.entities[0].hashModifier = "x"
        $0.entities.append(Entity(name: "Flight", parent: "Trip", attributes: []))
      }
    ),
    Case(
      steps: [
        "added entity Thing", "put entity Trip under Thing",
        "moved attribute name from Trip to Thing",
      ],
      needsRowCheck: true,
      change: {
        $0.entities.append(
          Entity(name: "Thing", attributes: [$0.entities[0].attributes.removeFirst()])
        )
        $0.entities[0].parent = "Thing"
      }
    ),
    Case(
      steps: ["added range index of Trip.(cost)", "added unique index of Country.(code)"],
      needsRowCheck: true,
      change: {
        $0.entities[0].rangeIndexes = [["cost"]]
        $0.entities[1].uniques = [["code"]]
      }
    ),
  ]
}
