import Testing

@testable import DepotMacros

@Suite struct PluginTests {
  @Test func `the compiler finds each macro by its name`() throws {
    #expect(Macros.named("PersistentModelMacro") is PersistentModelMacro.Type)
    #expect(Macros.named("NoMacro") == nil)
  }
}
