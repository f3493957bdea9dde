import Testing

@Suite struct `The end of a model's initializer` {
  private func links(_ source: String) throws -> Bool {
    try Expansion("@Model class A { \(source) }").attributes
      .contains("@_LinkingInitializer init")
  }

  private func body(_ source: String) throws -> String {
    try Expansion("@_LinkingInitializer \(source)").texts.joined(separator: "\n")
  }

  @Test func `links the object where a property may be a relationship`() throws {
    #expect(try links("var house: House; init() {}"))
    #expect(try links("var rooms: [Room]?; init() {}"))
    #expect(try links("var lamp = Lamp(); init() {}"))
    #expect(try !links("var name: String; var days = 1; init() {}"))
    #expect(try !links("var made: Foundation.Date?; var tags: Set<String>; init() {}"))
    #expect(try !links("@Transient var house: House?; var name: String; init() {}"))
  }

  @Test func `is that of initializers that give first values`() throws {
    #expect(try !links("var house: House; convenience init() { self.init(1) }"))
    #expect(
      try !links("var house: House; required init(backingData: any BackingData<A>) {}")
    )
  }

  @Test func `is behind the statements, which keep their lines`() throws {
    #expect(
      try body("init(a: A) {\n  // One.\n  self.a = a\n  name = \"\"\n}") == """
        #sourceLocation(file: "Test.swift", line: 3)
        self.a = a
        name = ""
        #sourceLocation()
        self._$linkInitialized()
        """
    )
    #expect(try body("init() {}") == "self._$linkInitialized()")
  }

  @Test func `is before each return`() throws {
    let text = try body(
      """
      init?(a: A) {
        self.a = a
        if a.isOpen { return }
        guard a.isWide else { return nil }
        run { return }
        func run(_ body: () -> Void) { if a.isOpen { return } }
        b = a
      }
      """
    )
    #expect(text.contains("if a.isOpen { self._$linkInitialized(); return }\n"))
    #expect(text.contains("else { return nil }"))
    #expect(text.contains("run { return }"))
    #expect(text.contains("{ if a.isOpen { return } }"))
    #expect(text.components("self._$linkInitialized()") == 2)
  }

  @Test(arguments: [
    "fatalError()", "throw Failure()", "return nil",
    "if a { throw B() } else { fatalError(\"c\") }",
    "switch a { case 1: throw B() \n default: return nil }",
    "do { throw B() } catch { throw error }",
  ])
  func `isn't where nothing can come to it`(last: String) throws {
    #expect(try !body("init?() {\n  a = 1\n  \(last)\n}").contains("link"))
  }

  @Test(arguments: ["if a { throw B() }", "do { try b() } catch { throw error }", "b()"])
  func `is where something can`(last: String) throws {
    #expect(try body("init() {\n  a = 1\n  \(last)\n}").contains("self._$linkInitialized()"))
  }
}

extension String {
  fileprivate func components(_ part: String) -> Int {
    split(separator: part, omittingEmptySubsequences: false).count - 1
  }
}
