import DepotEngine
import DepotProtocol
import Foundation
import TestSupport
import Testing

/// Values that rows and requests have come back as they were written, or are refused.
@Suite struct ExactValueTests {
  private static let schema = Schema(entities: [
    Entity(
      name: "Thing",
      attributes: [
        Attribute(name: "whole", type: .int64, isOptional: true),
        Attribute(name: "wholes", type: .int64, collection: .array, isOptional: true),
        Attribute(name: "price", type: .decimal, isOptional: true),
        Attribute(name: "rate", type: .double, isOptional: true),
        Attribute(name: "day", type: .date, isOptional: true),
        Attribute(name: "link", type: .url, isOptional: true),
      ],
      relationships: [Relationship(name: "next", destination: "Thing")]
    )
  ])

  /// Inserts a row with one value and returns the JSON of that, or the code of the error.
  private func insert(
    _ store: SpecialFixture,
    _ column: String,
    _ json: String
  ) async throws -> String {
    do {
      let result = try await store.write(
        "insert",
        "{\"entity\":\"Thing\",\"columns\":[\"\(column)\"],\"rows\":[[\(json)]]}"
      )
      let identifier = try #require(result["ids"]?.array?.first?.int64)
      let request = GetRequest(entity: "Thing", identifiers: [identifier], select: [column])
      let rows = try store.frames(.get(request)).first?["ok"]?["rows"]?.array
      return try #require(rows?.first?.array?.last).text
    } catch let error as DepotError {
      #expect(error.hint != nil && error.at == "/args/rows/0/0", "\(json): \(error)")
      return error.code.rawValue
    }
  }

  private func count(_ store: SpecialFixture, _ predicate: String) throws -> Int64? {
    let json = #"{"entity":"Thing","where":\#(predicate)}"#
    return try store.frames(Operation("count", json)).first?["ok"]?["count"]?.int64
  }

  /// A number as it may be written, with what it means.
  private struct Number {
    /// The greatest whole number that isn't greater; `nil` if it is beyond 64 bits.
    var floor: Int64?
    var isWhole: Bool
    var isNegative: Bool
    var text: String

    init(_ random: inout ValueGenerator) {
      let edges = [
        "4503599627370495", "9007199254740993", "\(Int64.max)", "9223372036854775808", "7",
      ]
      let digits =
        random.chance(1, in: 3)
        ? "\(random.int(1...9))"
          + (0..<random.int(0...20)).map { _ in "\(random.int(0...9))" }.joined()
        : random.pick(edges)
      let fraction =
        random.chance(1, in: 2) ? "" : random.pick(["0", "000", "5", "9", "000000001"])
      isNegative = random.chance(1, in: 2)
      isWhole = fraction.allSatisfy { $0 == "0" }
      floor = Int64((isNegative ? "-" : "") + digits)
      if !isWhole, isNegative { floor = floor.flatMap { $0 == .min ? nil : $0 - 1 } }
      // The point may be anywhere, and an exponent brings it back.
      let all = digits + fraction
      let moved = random.chance(1, in: 2) ? fraction.count : random.int(0...all.count - 1)
      text = (isNegative ? "-" : "") + all.dropLast(moved)
      if moved > 0 { text += "." + all.suffix(moved) }
      if moved != fraction.count { text += "e\(moved - fraction.count)" }
    }
  }

  @Test(arguments: seeds(6))
  func `a row has the whole number that was written, and is found by it`(
    seed: UInt64
  ) async throws {
    var random = ValueGenerator(seed: seed)
    try await SpecialFixture.run(Self.schema) { store in
      var stored: [Int64] = []
      for _ in 0..<100 {
        let number = Number(&random)
        let whole = number.isWhole ? number.floor : nil
        let refusal = number.isWhole ? "request.number_range" : "request.type"
        let found = try await insert(store, "whole", number.text)
        #expect(found == whole.map { "\($0)" } ?? refusal, "\(number.text)")
        let list = try await insert(store, "wholes", "[1,\(number.text)]")
        #expect(list == whole.map { "[1,\($0)]" } ?? refusal, "\(number.text)")
        if let whole { stored.append(whole) }
      }
      #expect(stored.count > 25)
      for _ in 0..<100 {
        let number = Number(&random)
        let (text, floor) = (number.text, number.floor)
        // The text that a program writes for a double is that double, though the digits say a little else.
        if let floor, number.isWhole, text.contains(where: "e.".contains),
          Double(exactly: floor) == nil,
          Decimal(string: Double(floor).description) == Decimal(floor)
        {
          continue
        }
        let equal = stored.count { number.isWhole && $0 == floor }
        let less = stored.count { stored in
          guard let floor else { return !number.isNegative }
          return number.isWhole ? stored < floor : stored <= floor
        }
        for (comparison, expected) in [("==", equal), ("<", less)] {
          let tree = #"{"\#(comparison)":[{"attribute":"whole"},\#(text)]}"#
          #expect(try count(store, tree) == Int64(expected), "\(tree)")
          let bound = #""whole \#(comparison) $x","bind":{"x":\#(text)}"#
          #expect(try count(store, bound) == Int64(expected), "\(bound)")
        }
      }
    }
  }

  @Test(arguments: [
    ("whole", "4503599627370495.9", "request.type"), ("whole", #""5.5""#, "request.type"),
    ("whole", #""99999999999999999999""#, "request.number_range"),
    ("whole", "1e999999999", "request.number_range"), ("whole", "5e-0", "5"),
    ("rate", "1e400", "request.number_range"), ("rate", #""fast""#, "request.type"),
    ("price", "123456789012345678901234567890123456789", "request.number_range"),
    ("price", #""1e300""#, "request.number_range"), ("price", "1.5", "request.type"),
    (
      "price", #""12345678901234567890123456789012345678e-40""#,
      #""0.0012345678901234567890123456789012345678""#
    ),
    ("day", #""2026-07-01T10:20:30.123456789Z""#, "request.number_range"),
    ("day", #""2026-07-01T10:20:30.123456Z""#, #""2026-07-01T10:20:30.123456Z""#),
    ("day", #""2026-07-01T10:20:30.1234568+02:00""#, #""2026-07-01T08:20:30.1234568Z""#),
    ("day", #""today""#, "request.type"),
    ("link", #""https://example.org/ä b""#, "request.type"),
    (
      "link", #""HTTPS://Example.org:443/../%7Ea?q=%c3%a4#""#,
      #""HTTPS://Example.org:443/../%7Ea?q=%c3%a4#""#
    ),
    ("link", #""https://bücher.example""#, "request.type"), ("link", #""../a""#, #""../a""#),
    ("next", "1e19", "request.number_range"), ("next", "1.5", "request.type"),
    ("next", "99999999999999999999", "request.number_range"),
  ])
  func `a value comes back as it is or is refused with its place`(
    column: String,
    json: String,
    expected: String
  ) async throws {
    try await SpecialFixture.run(Self.schema) { store in
      let found = try await insert(store, column, json)
      #expect(found == expected)
    }
  }

  @Test func `identifiers and versions are read exactly too`() async throws {
    try await SpecialFixture.run(Self.schema) { store in
      try await store.write("insert", #"{"entity":"Thing","columns":["rate"],"rows":[[1],[2]]}"#)
      func code(_ name: String, _ json: String) async -> DepotError.Code? {
        do {
          try await store.write(name, json)
          return nil
        } catch {
          return (error as? DepotError)?.code
        }
      }
      func save(_ id: String, _ version: String) async -> DepotError.Code? {
        await code(
          "save",
          #"""
          {"update":[{"entity":"Thing","columns":["$id","$version","rate"],
            "rows":[[\#(id),\#(version),5]]}]}
          """#
        )
      }
      #expect(await save("1.5", "1") == .type)
      #expect(await save("1e30", "1") == .numberRange)
      #expect(await save("1", "1.5") == .type)
      #expect(await save("1", "9223372036854775808") == .numberRange)
      #expect(await save("1.0", "1e0") == nil)
      #expect(await code("delete", #"{"entity":"Thing","ids":[2.5]}"#) == .type)
      #expect(await code("delete", #"{"entity":"Thing","ids":[1e19]}"#) == .numberRange)
      #expect(await code("delete", #"{"entity":"Thing","ids":[20e-1]}"#) == nil)
    }
  }
}

/// Calculations without a result are null in predicates and derived attributes.
@Suite struct MissingResultTests {
  private static let schema = Schema(entities: [
    Entity(
      name: "Thing",
      attributes: [
        Attribute(name: "rate", type: .double),
        Attribute(name: "root", type: .double, isOptional: true, derivation: "sqrt(rate)"),
        Attribute(name: "square", type: .double, isOptional: true, derivation: "rate * rate"),
      ]
    )
  ])

  @Test func `predicates and derived attributes have null for what has no result`() async throws {
    try await SpecialFixture.run(Self.schema) { store in
      try await store.write(
        "insert",
        #"{"entity":"Thing","columns":["rate"],"rows":[[-4],[0],[9],[1e300],["Infinity"],["NaN"]]}"#
      )
      #expect(try store.find("Thing", "sqrt(rate) == nil") == [1])
      #expect(try store.find("Thing", "ln(rate) == nil") == [1, 2])
      #expect(try store.find("Thing", "exp(rate) == nil") == [4])
      #expect(try store.find("Thing", "rate * rate == nil") == [4])
      #expect(try store.find("Thing", "rate ** 0.5 == nil") == [1])
      #expect(try store.find("Thing", "1 / rate == nil") == [2])
      // Null isn't less than anything, nor is NaN.
      #expect(try store.find("Thing", "NOT sqrt(rate) < 100") == [1, 4, 5, 6])
      let rows = try store.rows(FetchRequest(entity: "Thing", select: ["root", "square"]))
      #expect(
        rows.map { $0[2...].map(\.text) } == [
          ["null", "16.0"], ["0.0", "0.0"], ["3.0", "81.0"], ["1e+150", "null"],
          [#""Infinity""#, #""Infinity""#], [#""NaN""#, #""NaN""#],
        ]
      )
    }
  }
}
