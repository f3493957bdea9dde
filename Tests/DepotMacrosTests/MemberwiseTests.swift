import Testing

@Suite struct MemberwiseTests {
  @Test func `a structure gets an initializer with all that it stores`() throws {
    let expansion = try Expansion(
      """
      @Memberwise("name") public struct Item {
        public var name: String
        package private(set) var count: Int = 1
        var owner: Owner?
        let unit: String = "kg"
        static let all = 1
        var text: String { name }
      }
      """
    )
    #expect(expansion.messages == [])
    #expect(
      expansion.texts.joined() == """
        public init(_ name: String, count: Int = 1, owner: Owner? = nil) {
          self.name = name
          self.count = count
          self.owner = owner
        }
        """
    )
  }

  @Test func `what has no initializer is told`() throws {
    let expansion = try Expansion(
      """
      @Memberwise final class Item { var name: String }
      @Memberwise struct Other { var count = 1 }
      """
    )
    #expect(
      expansion.messages == [
        "'@Memberwise' needs a structure", "'@Memberwise' needs the type of 'count'",
      ]
    )
  }
}
