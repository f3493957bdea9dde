import SwiftDiagnostics
import Testing

@Suite struct PlaceTests {
  @Test(arguments: ["Attribute", "Relationship", "Transient"])
  func `only properties can be marked`(name: String) throws {
    let expansion = try Expansion("@\(name) func title() {}")
    #expect(
      expansion.messages == [
        "'@\(name)' can be applied only to a stored property of a class with '@Model' "
          + "→ remove '@\(name)'"
      ]
    )
    #expect(expansion.mended() == "func title() {}")
    #expect(try Expansion("@\(name) var title: String").messages == [])
  }

  @Test func `a mark that models alone have is only a warning elsewhere`() throws {
    let expansion = try Expansion("@Relationship(inverse: \\Log.records) func title() {}")
    #expect(expansion.diagnostics.map(\.diagMessage.severity) == [.warning])
    let column = try Expansion("@Column(\"a\") func title() {}")
    #expect(column.diagnostics.map(\.diagMessage.severity) == [.error])
  }

  @Test(arguments: ["func title() {}", "var title: String { \"\" }", "static var title = \"\""])
  func `only stored properties can be columns`(member: String) throws {
    let expansion = try Expansion("@Column(\"a\") \(member)")
    #expect(
      expansion.messages == [
        "'@Column' can be applied only to a stored property of a type with '@DTO' "
          + "→ remove '@Column'"
      ]
    )
    #expect(expansion.mended() == member)
  }

  @Test(arguments: ["Index", "Unique"])
  func `constraints stand in models`(name: String) throws {
    #expect(
      try Expansion("#\(name)<Trip>([\\.title])").messages == [
        "'#\(name)' can stand only in a class with '@Model'"
      ]
    )
  }
}
