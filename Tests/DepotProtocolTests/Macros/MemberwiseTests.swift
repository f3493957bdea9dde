import Testing

@Suite struct MemberwiseTests {
  @Test func `a type gets an initializer with all that it stores`() throws {
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

  @Test func `what is private and needs no value is no parameter`() throws {
    let expansion = try Expansion(
      """
      @Memberwise("owner") package final class Item {
        private let owner: Owner?
        private var count = 1
        private var next: Item?
        let onEnd: @Sendable () -> Void
      }
      """
    )
    #expect(expansion.messages == [])
    #expect(
      expansion.texts.joined() == """
        package init(_ owner: Owner? = nil, onEnd: @escaping @Sendable () -> Void) {
          self.owner = owner
          self.onEnd = onEnd
        }
        """
    )
  }

  @Test func `what has no initializer is told`() throws {
    let expansion = try Expansion(
      """
      @Memberwise enum Item { case one }
      @Memberwise struct Other { var count = 1 }
      """
    )
    #expect(
      expansion.messages == [
        "'@Memberwise' needs stored properties", "'@Memberwise' needs the type of 'count'",
      ]
    )
  }
}
