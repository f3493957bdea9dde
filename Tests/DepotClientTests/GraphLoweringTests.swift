import DepotClient
import DepotProtocol
import FoundationEssentials
import Testing

@Suite struct GraphLoweringTests {
  typealias Case = (Predicate<Country>, QueryExpression)

  /// Each predicate with what the service gets.
  @Test(arguments: all)
  func `a predicate becomes an expression`(
    predicate: Predicate<Country>,
    expected: QueryExpression
  ) throws {
    #expect(try QueryExpression(predicate) == expected)
  }

  static let all: [Case] = [collections, relationships, composites, optionals, casts].flatMap { $0 }

  static let collections: [Case] = {
    let (wanted, numbers) = (["a", "b"], [1, 2])
    let codes = QueryExpression.attribute("codes")
    let zones = QueryExpression.attribute("zones")
    let facts = QueryExpression.attribute("facts")
    let isA = equal(.variable("x"), text("a"))
    return [
      (#Predicate { $0.codes.contains("a") }, .contains(codes, text("a"))),
      (#Predicate { $0.zones.contains(3) }, .contains(zones, number(3))),
      (#Predicate { wanted.contains($0.name) }, .in(name, [text("a"), text("b")])),
      (#Predicate { $0.codes.contains { $0 == "a" } }, .quantified(.any, codes, "x", isA)),
      (#Predicate { $0.codes.allSatisfy { $0 == "a" } }, .quantified(.all, codes, "x", isA)),
      (
        #Predicate { $0.codes.filter { $0 == "a" }.count > 1 },
        .comparison(.greater, .aggregate(.count, .filtered(codes, "x", isA)), number(1))
      ),
      (#Predicate { $0.codes.isEmpty }, equal(.aggregate(.count, codes), number(0))),
      (#Predicate { $0.codes.count == 2 }, equal(.aggregate(.count, codes), number(2))),
      (#Predicate { $0.name.count == 2 }, equal(.function(.length, [name]), number(2))),
      (#Predicate { $0.codes.min() == "a" }, equal(.aggregate(.min, codes), text("a"))),
      (#Predicate { $0.zones.max() == 1 }, equal(.aggregate(.max, zones), number(1))),
      (#Predicate { $0.codes[0] == "a" }, equal(.element(codes, 0), text("a"))),
      (#Predicate { $0.codes.first == "a" }, equal(.element(codes, 0), text("a"))),
      (#Predicate { $0.codes.last == "a" }, equal(.element(codes, -1), text("a"))),
      (
        #Predicate { $0.codes[0..<2].contains("a") },
        .contains(.slice(codes, 0..<2), text("a"))
      ),
      (#Predicate { $0.facts["k"] == 4 }, equal(.function(.json, [facts, text("k")]), number(4))),
      (
        #Predicate { ($0.facts["z"] ?? 4) == 4 },
        equal(
          .coalesce([.convert(.function(.json, [facts, text("z")]), .int64), number(4)]),
          number(4)
        )
      ),
      (
        #Predicate { $0.facts["z", default: 4] == 4 },
        equal(
          .coalesce([.convert(.function(.json, [facts, text("z")]), .int64), number(4)]),
          number(4)
        )
      ),
      (
        #Predicate { $0.codes == wanted },
        equal(codes, .value(.list([.string("a"), .string("b")])))
      ),
      (
        #Predicate { country in numbers.contains { country.zones.contains($0) } },
        .or([.contains(zones, number(1)), .contains(zones, number(2))])
      ),
    ]
  }()

  static let relationships: [Case] = {
    let oslo = Identifier<Province>(7)
    let leader = Identifier<Person>(5)
    let nobody: Related<Person>? = nil
    let ids = [Identifier<Province>(1), Identifier<Province>(2)]
    var known = Person(name: "x")
    known.id = leader
    let person = known
    let provinces = QueryExpression.attribute("provinces")
    let isNorway = equal(.member(.variable("x"), "country.name"), text("Norway"))
    return [
      (#Predicate { $0.leader?.name == "x" }, equal(.attribute("leader.name"), text("x"))),
      (#Predicate { $0.leader?.id == leader }, equal(.attribute("leader.$id"), number(5))),
      (#Predicate { $0.leader?.id == person.id }, equal(.attribute("leader.$id"), number(5))),
      (#Predicate { $0.leader?.record == person }, equal(.attribute("leader"), number(5))),
      (#Predicate { $0.leader == nil }, equal(.attribute("leader"), null)),
      (#Predicate { $0.leader != nobody }, .comparison(.notEqual, .attribute("leader"), null)),
      (
        #Predicate { $0.provinces.contains { $0.country?.name == "Norway" } },
        .quantified(.any, provinces, "x", isNorway)
      ),
      (
        #Predicate { $0.provinces.contains { $0.id == oslo } },
        .quantified(.any, provinces, "x", equal(.member(.variable("x"), "$id"), number(7)))
      ),
      (
        #Predicate { $0.provinces.contains { ids.contains($0.id) } },
        .quantified(
          .any,
          provinces,
          "x",
          .in(.member(.variable("x"), "$id"), [number(1), number(2)])
        )
      ),
      (
        #Predicate { country in
          country.provinces.contains { province in
            province.country?.provinces?.contains { $0.name == province.name } == true
          }
        },
        .quantified(
          .any,
          provinces,
          "x",
          .and([
            .comparison(.notEqual, .member(.variable("x"), "country"), null),
            .quantified(
              .any,
              .member(.variable("x"), "country.provinces"),
              "x2",
              equal(.member(.variable("x2"), "name"), .member(.variable("x"), "name"))
            ),
          ])
        )
      ),
      (
        #Predicate { $0.provinces.filter { ($0.rank ?? 0) > 3 }.count > 1 },
        .comparison(
          .greater,
          .aggregate(
            .count,
            .filtered(
              provinces,
              "x",
              .comparison(
                .greater,
                .coalesce([.member(.variable("x"), "rank"), number(0)]),
                number(3)
              )
            )
          ),
          number(1)
        )
      ),
      (
        #Predicate { $0.provinces.count >= 1 },
        .comparison(.greaterOrEqual, .aggregate(.count, provinces), number(1))
      ),
    ]
  }()

  static let composites: [Case] = [
    (#Predicate { $0.capital.city == "Oslo" }, equal(.attribute("capital.city"), text("Oslo"))),
    (#Predicate { $0.resort?.city == "Bergen" }, equal(.attribute("resort.city"), text("Bergen"))),
    (#Predicate { $0.resort?.zip == 5 }, equal(.attribute("resort.zip"), number(5))),
    (#Predicate { $0.resort == nil }, equal(.attribute("resort"), null)),
    (#Predicate { $0.resort != nil }, .comparison(.notEqual, .attribute("resort"), null)),
    (
      #Predicate { if let resort = $0.resort { resort.city.starts(with: "B") } else { false } },
      .and([
        .comparison(.notEqual, .attribute("resort"), null),
        .text(.begins, .attribute("resort.city"), text("B")),
      ])
    ),
  ]

  static let optionals: [Case] = {
    let leaderName = QueryExpression.attribute("leader.name")
    let high = Status.observer
    let warm = Climate.warm
    let season = Season.winter
    return [
      (#Predicate { $0.status == high }, equal(.attribute("status"), text("observer"))),
      (#Predicate { $0.climate == warm }, equal(.attribute("climate"), text("warm"))),
      (#Predicate { $0.status.rawValue == "member" }, equal(.attribute("status"), text("member"))),
      (#Predicate { _ in season == season }, equal(text("winter"), text("winter"))),
      (
        #Predicate { ($0.leader?.name ?? "none") == "none" },
        equal(.coalesce([leaderName, text("none")]), text("none"))
      ),
      (
        #Predicate { ($0.leader?.age ?? 0) % 2 == 1 },
        equal(
          .arithmetic(.modulo, .coalesce([.attribute("leader.age"), number(0)]), number(2)),
          number(1)
        )
      ),
      (
        #Predicate { ($0.isIsland ? $0.name : "x") == "y" },
        equal(
          .conditional(equal(.attribute("island"), .value(.bool(true))), name, text("x")),
          text("y")
        )
      ),
      (
        #Predicate { $0.isFree.flatMap { $0 ? 1 : 2 } == 2 },
        equal(
          .conditional(
            .comparison(.notEqual, .attribute("free"), null),
            .conditional(
              equal(.attribute("free"), .value(.bool(true))),
              number(1),
              number(2)
            ),
            null
          ),
          number(2)
        )
      ),
      (
        #Predicate { ($0.isIsland == true) == ($0.area > 1) },
        .or([
          .and([
            equal(.attribute("island"), .value(.bool(true))),
            .comparison(.greater, .attribute("area"), .value(.double(1))),
          ]),
          .and([
            .not(equal(.attribute("island"), .value(.bool(true)))),
            .not(.comparison(.greater, .attribute("area"), .value(.double(1)))),
          ]),
        ])
      ),
      (
        #Predicate { $0.name.contains(/N.r/) },
        .text(.matches, name, text("(?s:.*?)(?:N.r)(?s:.*)"))
      ),
      (Predicate.true, .and([])),
      (Predicate.false, .or([])),
    ]
  }()

  static let casts: [Case] = [
    (#Predicate { ($0.name as Any as? Int) == nil }, equal(null, null)),
    (#Predicate { ($0.name as Any) is String }, .comparison(.notEqual, name, null)),
    (
      #Predicate { ($0.leader?.record as Any as? President)?.term == 2 },
      equal(.member(.cast(.attribute("leader"), entity: "President"), "term"), number(2))
    ),
    (
      #Predicate { ($0.leader?.record as Any) is President },
      .is(.attribute("leader"), entity: "President")
    ),
  ]

  /// The wire must carry whatever predicates become.
  @Test(arguments: all)
  func `an expression survives the wire`(
    predicate: Predicate<Country>,
    expected: QueryExpression
  ) throws {
    var writer = JSONWriter()
    writer.write(expected)
    #expect(try QueryExpression(JSONDocument(writer.bytes).root) == expected)
  }

  @Test func `an expression stands alone`() throws {
    let expression = #Expression<Country, Int> { $0.provinces.count + 1 }
    #expect(
      try QueryExpression(expression)
        == .arithmetic(.add, .aggregate(.count, .attribute("provinces")), Self.number(1))
    )
  }

  @Test func `a record is compared by its identifier`() throws {
    var person = Person(name: "Harald")
    person.id = Identifier(3)
    let (captured, all) = (person, [person])
    #expect(
      try QueryExpression(#Predicate<Person> { $0 == captured })
        == Self.equal(.attribute("$id"), Self.number(3))
    )
    #expect(
      try QueryExpression(#Predicate<Person> { all.contains($0) })
        == .in(.attribute("$id"), [Self.number(3)])
    )
  }

  private static let name = QueryExpression.attribute("name")
  private static let null = QueryExpression.value(.null)

  private static func equal(_ left: QueryExpression, _ right: QueryExpression) -> QueryExpression {
    .comparison(.equal, left, right)
  }

  private static func text(_ text: String) -> QueryExpression { .value(.string(text)) }

  private static func number(_ number: Int64) -> QueryExpression { .value(.int64(number)) }
}
