import Testing

@Suite struct BlockingTests {
  @Test func `a method for tasks gets a form in which nothing is awaited`() throws {
    let expansion = try Expansion(
      """
      /// Asks.
      @Blocking
      @concurrent
      @discardableResult
      public func ask<Model: Sendable>(
        _ model: Model,
        unless stop: @Sendable (Model) async throws -> Bool
      ) async throws -> Int where Self == Client {
        if try await stop(model) { return 0 }
        return try Int(
          await self.send(.ask)
        )
      }
      """
    )
    #expect(expansion.messages == [])
    #expect(
      expansion.texts.joined().split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
        == """
        @discardableResult
        public func ask<Model: Sendable>(
          _ model: Model,
          unless stop: (Model) throws -> Bool
        ) throws -> Int where Self == BlockingConnection {
          if try stop(model) { return 0 }
          return try Int(
            self.send(.ask)
          )
        }
        """.split(separator: "\n")
    )
  }

  @Test func `a method that waits has no other form`() throws {
    let expansion = try Expansion("@Blocking func ask() throws -> Int { 1 }")
    #expect(expansion.messages == ["'@Blocking' needs an asynchronous method"])
    #expect(expansion.texts == [])
  }
}
