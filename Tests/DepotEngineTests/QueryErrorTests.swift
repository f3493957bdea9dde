import DepotEngine
import DepotProtocol
import Testing

@Suite struct QueryErrorTests {
  private let catalog = Catalog(Schema(entities: [ScalarEntity.entity]), generation: 1)

  private func compile(_ predicate: QueryExpression) throws -> PredicateSQL {
    try PredicateSQL.compile(predicate, for: catalog.layout(of: "Thing"), in: catalog)
  }

  static let wrong: [(QueryExpression, String)] = [
    (.comparison(.equal, .attribute("int64"), .value(.string("12"))), "int64"),
    (.comparison(.equal, .attribute("date"), .value(.string("soon"))), "soon"),
    (.comparison(.less, .attribute("uuid"), .value(.string("x"))), "uuid"),
    (.comparison(.less, .attribute("string"), .attribute("int64")), "can't be compared"),
    (.comparison(.equal, .attribute("bool"), .value(.int64(1))), "bool"),
    (.comparison(.less, .attribute("decimal"), .value(.double(.infinity))), "decimal"),
    (.between(.attribute("int64"), .value(.int64(1)), .value(.string("x"))), "int64"),
    (.in(.attribute("date"), [.value(.int64(1))]), "date"),
    (.text(.begins, .attribute("int64"), .value(.string("1"))), "not text"),
    (.comparison(.equal, .attribute("int64"), .now, options: .caseInsensitive), "not text"),
    (
      .comparison(.equal, .arithmetic(.add, .attribute("string"), .value(.int64(1))), .now),
      "number"
    ),
    (.not(.attribute("string")), "string"), (.value(.int64(1)), "int64"),
    (.and([.attribute("int64")]), "int64"),
  ]

  @Test(arguments: wrong)
  func `a predicate of wrong types is refused and says where`(
    predicate: QueryExpression,
    part: String
  ) throws {
    let error = #expect(throws: DepotError.self) {
      try compile(predicate)
    }
    #expect(error?.code == .predicate)
    #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
    #expect(error?.message.hasPrefix("In ") == true)
  }

  @Test(arguments: ["double", "date"])
  func `a text for NaN brings its form`(type: String) throws {
    let predicate = QueryExpression.comparison(.equal, .attribute(type), .value(.string("NaN")))
    let error = #expect(throws: DepotError.self) { try compile(predicate) }
    #expect(error?.hint?.hasPrefix("Write CAST(\"NaN\", \"\(type)\").") == true)
    #expect(error?.hint?.contains("x != x") == true)
  }

  @Test func `an unknown attribute brings the nearest name`() throws {
    let error = #expect(throws: DepotError.self) {
      try compile(.attribute("boll"))
    }
    #expect(error?.code == .unknownAttribute)
    #expect(error?.hint?.contains("bool") == true)
  }

  @Test func `values are bound and never part of the text`() throws {
    let evil = QueryExpression.value(.string("'; DROP TABLE x; --"))
    let all: [QueryExpression] = [
      .comparison(.equal, .attribute("string"), evil), .text(.like, .attribute("string"), evil),
      .in(.attribute("string"), [evil]), .text(.begins, .attribute("string"), evil),
      .comparison(.less, .attribute("string"), evil, options: .caseInsensitive),
    ]
    for predicate in all {
      #expect(try !compile(predicate).sql.contains("DROP"))
    }
  }
}
