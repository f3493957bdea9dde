import DepotProtocol
import Testing

@testable import DepotCommands

@Suite struct EntityExportTests {
  private func parts(
    _ request: FetchRequest,
    _ format: OutputFormat = .ndjson,
    _ schema: Schema = WholeStoreTests.schema
  ) throws -> [String] {
    let export = try EntityExport(request, schema, stores: [:], format: format)
    return export.parts.map { part in
      let columns = part.columns.map { column in
        let form =
          switch column.form {
          case .value: column.name == column.path ? "" : "<\(column.path)"
          case .json: ":json"
          case .keys: ":keys"
          case .identifiers: ":identifiers"
          }
        return column.name + form
      }
      return "\(part.entity) \(columns.joined(separator: " "))"
    }
  }

  @Test func `relationships are keys where there are unique attributes, else identifiers`() throws {
    #expect(
      try parts(FetchRequest(entity: "Stop")) == [
        "Stop code tags trip:identifiers before<before.code city:identifiers"
      ]
    )
    #expect(try parts(FetchRequest(entity: "Guide")) == ["Guide name stops:keys"])
  }

  @Test func `an inverse that says the same is written only if it is selected`() throws {
    #expect(
      try parts(FetchRequest(entity: "Stop", select: ["code", "guides", "next", "city.name"])) == [
        "Stop code guides:identifiers next<next.code city.name"
      ]
    )
  }

  @Test func `entities that descend from another have all that they have`() throws {
    #expect(
      try parts(FetchRequest(entity: "Trip")) == [
        "Cruise label ship stops:keys friends:identifiers",
        "Hike label stops:keys friends:identifiers",
      ]
    )
    #expect(
      try parts(FetchRequest(entity: "Trip", select: ["ship", "label"])) == [
        "Cruise ship label", "Hike label",
      ]
    )
    #expect(try parts(FetchRequest(entity: "Trip", select: ["no"])) == ["Cruise no", "Hike no"])
  }

  @Test func `JSON is written as JSON in CSV`() throws {
    let schema = Schema(entities: [
      Entity(
        name: "A",
        attributes: [
          Attribute(name: "j", type: .json),
          Attribute(name: "l", type: .json, collection: .array),
        ]
      )
    ])
    #expect(try parts(FetchRequest(entity: "A"), .csv, schema) == ["A j:json l"])
    #expect(try parts(FetchRequest(entity: "A"), .ndjson, schema) == ["A j l"])
  }

  @Test(
    arguments: [
      ("City/3", "City", 3, nil), ("City/-3@a-b", "City", -3, "a-b"), ("C/1@", "C", 1, ""),
    ] as [(String, String, Int64, String?)]
  )
  func `a reference to a row is read as it is written`(
    text: String,
    entity: String,
    identifier: Int64,
    store: String?
  ) {
    let reference = RowReference(text)
    #expect(reference == RowReference(entity: entity, identifier: identifier, store: store))
    #expect(reference?.text == text)
  }

  @Test(arguments: ["3", "/3", "City/", "City/x", "City", "a@City/3"])
  func `other texts are no references`(text: String) {
    #expect(RowReference(text) == nil)
  }
}
