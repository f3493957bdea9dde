import DepotEngine
import DepotProtocol
import DepotSQLite
import Foundation
import TestSupport
import Testing

@Suite struct DecimalKeyTests {
  private static func decimals(_ count: Int) -> [Decimal] {
    var random = SeededGenerator(seed: 7)
    let edges = [
      "0", "1", "-1", "10", "0.1", "-0.1", "12", "0.12", "0.123", "-0.12", "-0.123",
      String(repeating: "9", count: 38), "-" + String(repeating: "9", count: 38), "1e127",
      "1e-128", "99999999999999999999999999999999999999e127",
      "99999999999999999999999999999999999999e-128",
    ]
    let texts = (0..<count).map { _ in
      let digits = (0..<Int.random(in: 1...38, using: &random)).map { _ in
        String(Int.random(in: 0...9, using: &random))
      }
      let sign = Bool.random(using: &random) ? "-" : ""
      return "\(sign)\(digits.joined())e\(Int.random(in: -128...127, using: &random))"
    }
    return (edges + texts).compactMap { Decimal(string: $0) }
  }

  @Test func `every decimal of up to 38 digits comes back`() {
    let decimals = Self.decimals(3000)
    #expect(decimals.count > 2900)
    for decimal in decimals {
      let bytes = DecimalKey.encode(decimal)
      let decoded = bytes.withUnsafeBufferPointer { DecimalKey.decode($0) }
      #expect(decoded == decimal, "\(decimal)")
      #expect(decoded.map(DecimalKey.encode) == bytes, "\(decimal)")
    }
  }

  @Test func `the order of the bytes is the order of the numbers`() {
    let decimals = Self.decimals(1500)
    for (left, right) in zip(decimals, decimals.shuffled()) {
      let (leftKey, rightKey) = (DecimalKey.encode(left), DecimalKey.encode(right))
      #expect(leftKey.lexicographicallyPrecedes(rightKey) == (left < right), "\(left) \(right)")
      #expect((leftKey == rightKey) == (left == right), "\(left) \(right)")
    }
  }

  @Test func `equal decimals have equal bytes`() {
    let texts = ["1", "1.0", "0.1e1", "10e-1"]
    let keys = Set(texts.compactMap { Decimal(string: $0) }.map(DecimalKey.encode))
    #expect(keys.count == 1)
  }

  @Test(arguments: [
    [], [9], [3], [3, 3, 0xE8], [3, 3, 0xE8, 0], [3, 3, 0xE8, 101], [1, 3, 4, 5],
  ])
  func `other bytes aren't a decimal`(bytes: [UInt8]) {
    let decoded = bytes.withUnsafeBufferPointer { DecimalKey.decode($0) }
    #expect(decoded == nil)
  }
}

@Suite struct ValueTests {
  /// All types with a column of their own.
  private static let storedTypes = AttributeType.allCases.filter { $0 != .composite }

  private static let schema = Schema(entities: [
    Entity(
      name: "Item",
      attributes: Self.storedTypes.map {
        Attribute(name: $0.rawValue, type: $0, isOptional: true)
      }
    )
  ])

  private static let edges: [AttributeType: [DepotProtocol.Value]] = [
    .string: [.string(""), .string("a\0b"), .string("\u{1D54F}\"\\\n\u{7F}"), .string("é")],
    .int64: [.int64(.min), .int64(.max), .int64(0)],
    .double: [
      .double(.nan), .double(-0.0), .double(0), .double(.infinity), .double(-.infinity),
      .double(.leastNonzeroMagnitude), .double(.greatestFiniteMagnitude), .double(0.1),
      .double(1e15),
    ],
    .bool: [.bool(true), .bool(false)],
    .date: [0, 0.1, 1e300, -.infinity, .nan, 1.0 / 3].map {
      .date(Date(timeIntervalSinceReferenceDate: $0))
    },
    .uuid: [.uuid(UUID()), .uuid(UUID())],
    .data: [.data(Data()), .data(Data([0, 255, 128])), .data(Data(repeating: 7, count: 10_000))],
    .decimal: [.decimal(Decimal(string: "-12345678901234567890.123456789") ?? 0), .decimal(0)],
    .url: ["https://example.org/a?b=c#d", "file:///tmp/x%20y", "a"]
      .compactMap { URL(string: $0) }.map(DepotProtocol.Value.url),
    .json: [#"{"a":[1,null,"x y"],"b":{}}"#, #""text""#, "1.50", "[]"]
      .map(DepotProtocol.Value.json),
  ]

  /// Random values of every type, among them all that are special.
  private static func randomRows(_ count: Int) -> [[DepotProtocol.Value]] {
    var random = SeededGenerator(seed: 11)
    return (0..<count).map { index in
      Self.storedTypes.map { type in
        if Int.random(in: 0..<8, using: &random) == 0 { return .null }
        let edges = edges[type] ?? []
        if index < edges.count { return edges[index] }
        let bits = UInt64.random(in: .min ... .max, using: &random)
        switch type {
        case .int64: return .int64(Int64(bitPattern: bits))
        case .double: return .double(Double(bitPattern: bits))
        case .date:
          return .date(Date(timeIntervalSinceReferenceDate: Double(bits >> 20) / 1000))
        case .decimal: return .decimal(Decimal(bits) / 1000)
        case .string: return .string("\(bits)\u{0}\u{1F600}")
        default: return edges.randomElement(using: &random) ?? .null
        }
      }
    }
  }

  @Test func `every value of every type is stored exactly`() async throws {
    try await withStore(Self.schema) { store, path in
      let values = Self.randomRows(200)
      try await store.insert(values, columns: Self.storedTypes.map(\.rawValue))
      let columns = Self.storedTypes.map { "a_\($0.rawValue)" }.joined(separator: ", ")
      let stored = try rows("SELECT \(columns) FROM e_Item ORDER BY id", in: path)
      #expect(stored.count == values.count)
      for (row, expected) in zip(stored, values) {
        for (cell, value) in zip(row, expected) {
          #expect(Self.isSame(cell, StoredValue.encode(value)), "\(value)")
        }
      }
      #expect(stored.joined().contains(.blob([])))
    }
  }

  /// Whether both are the same to the bit.
  private static func isSame(_ left: SQLiteValue, _ right: SQLiteValue) -> Bool {
    if case .real(let left) = left, case .real(let right) = right {
      return left.bitPattern == right.bitPattern
    }
    return left == right
  }
}
