import Testing

@testable import DepotMacros

@Suite struct PluginTests {
  @Test func `the compiler finds each macro by its name`() throws {
    #expect(
      try Plugin().resolveMacro(moduleName: "", typeName: "PersistentModelMacro")
        is PersistentModelMacro.Type
    )
  }
}
