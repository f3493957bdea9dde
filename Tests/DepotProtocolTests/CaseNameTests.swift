import DepotProtocol
import Testing

@Suite struct CaseNameTests {
  enum Level: CaseIterable, AttributeValue, CustomStringConvertible, CustomReflectable {
    case low
    case high

    var description: String { "a level" }
    var customMirror: Mirror { Mirror(self, children: ["low": "high"]) }
  }

  enum Swapped: CaseIterable, AttributeValue, CustomStringConvertible {
    case left
    case right

    var description: String { self == .left ? "right" : "left" }
  }

  enum Shape: CaseIterable, AttributeValue, Equatable {
    case point
    case circle(Int)

    static let allCases: [Shape] = [.point, .circle(1), .circle(2)]
  }

  struct Grade: CaseIterable, AttributeValue, Equatable, CustomStringConvertible {
    var number: Int
    var description: String { number < 3 ? "good" : "bad" }

    static let allCases = (1...3).map { Grade(number: $0) }
  }

  private func back<Content: AttributeValue>(_ value: Content) throws -> Content {
    let batch = RowBatch([[value.attributeValue]])
    return try batch.json.withUnsafeBufferPointer { bytes in
      var reader = try RowReader(bytes)
      _ = try reader.beginRow()
      return try reader.next()
    }
  }

  @Test func `a case is stored by its name, whatever it says of itself`() throws {
    #expect(Level.allCases.map(\.attributeValue) == [.string("low"), .string("high")])
    #expect(try Level.allCases.map(back) == Level.allCases)
    #expect(Swapped.left.attributeValue == .string("left"))
    #expect(try Swapped.allCases.map(back) == Swapped.allCases)
    #expect(CaseName.of(Level.high as Any) == "high")
    #expect(CaseName.of(1) == nil)
  }

  @Test func `values with something associated are stored by their descriptions`() throws {
    #expect(Shape.circle(2).attributeValue == .string("circle(2)"))
    #expect(try Shape.allCases.map(back) == Shape.allCases)
  }

  @Test func `two values of one description aren't taken for each other`() throws {
    #expect(try back(Grade(number: 3)) == Grade(number: 3))
    #expect(throws: DepotError.self) { try RowBatch([[Grade(number: 2).attributeValue]]).texts() }
    #expect(throws: DepotError.self) {
      try Array(#"[["good"]]"#.utf8).withUnsafeBufferPointer { bytes in
        var reader = try RowReader(bytes)
        _ = try reader.beginRow()
        let _: Grade = try reader.next()
      }
    }
  }
}
