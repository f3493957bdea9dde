import Testing

@Suite struct DTOExpansionTests {
  private func expand(_ source: String) throws -> Expansion {
    try Expansion(source, conforming: ["Record"])
  }

  @Test func `a structure gets its conformance in an extension`() throws {
    let expansion = try expand(
      """
      @DTO("Package") public struct PackageRow {
        public var id: Identifier<PackageRow>?
        var rowVersion: Int64 = 0
        @Column(isUnique: true) var name: String
        @Column("installedSize", isIndexed: true) var size = 0
        @Column(inverse: \\Maintainer.packages) var maintainer: Related<Maintainer>?
        var owner: Identifier<Person>
        var tags: [Related<Tag>] = []
        var label: String { name }
        static let all = 1
      }
      """
    )
    #expect(expansion.messages == [])
    #expect(
      expansion.texts.joined() == """
        extension PackageRow: DepotClient.Record {
          public static let entity = "Package"
          public static let attributes: DepotClient.RecordAttributes<PackageRow> = [
            .identifier(\\.id),
            .version(\\.rowVersion),
            .init(\\.name, "name", isUnique: true),
            .init(\\.size, "installedSize", default: 0, isIndexed: true),
            .toOne(\\.maintainer, "maintainer", inverse: \\Maintainer.packages),
            .toOne(\\.owner, "owner"),
            .toMany(\\.tags, "tags"),
          ]
          public init(from row: inout DepotProtocol.RowReader) throws(DepotProtocol.DepotError) {
            self.id = DepotClient.Identifier(row.identifier)
            self.rowVersion = row.version
            self.name = try row.next()
            self.size = try row.next()
            self.maintainer = try row.next()
            self.owner = try row.next()
            self.tags = try row.next()
          }
          public func write(to row: inout DepotProtocol.RowWriter) {
            row.append(self.name)
            row.append(self.size)
            row.append(self.maintainer)
            row.append(self.owner)
            row.append(self.tags)
          }
        }
        """
    )
  }

  @Test(arguments: [
    ("var a = 3", ", default: 3"), ("var a: Double = -1.5", ", default: -1.5"),
    ("var a = \"x\"", ", default: \"x\""), ("var a: Bool? = true", ", default: true"),
    ("var a: Climate = .cold", ", default: .cold"),
    ("var a = Climate.cold", ", default: Climate.cold"),
    ("var a: [Int] = [1, 2]", ", default: [1, 2]"),
    ("var a: [String: Int] = [:]", ", default: [:]"),
    ("var a: Int? = nil", ", default: nil"), ("var a: Int", ""), ("var a = Date()", ""),
    ("var a: Date = .now", ""), ("var a = UUID()", ""), ("var a = \"\\(b)\"", ""),
    ("var a = f(1)", ""), ("var a = [Date()]", ""),
  ])
  func `an initial value that is the same in each run is the attribute's default`(
    property: String,
    argument: String
  ) throws {
    let text = try expand("@DTO struct Row { \(property) }").texts.joined()
    #expect(text.contains(".init(\\.a, \"a\"\(argument)),"), "\(text)")
  }

  @Test func `a final class has its initializer among its members`() throws {
    let expansion = try expand("@DTO final class Tag { let name: String }")
    #expect(expansion.messages == [])
    #expect(
      expansion.texts.first == """
        init(from row: inout DepotProtocol.RowReader) throws(DepotProtocol.DepotError) {
          self.name = try row.next()
        }
        """
    )
    #expect(expansion.texts.last?.contains("static let entity = \"Tag\"") == true)
    #expect(expansion.texts.last?.contains("init(from") == false)
  }

  @Test func `properties within conditions are columns under the same conditions`() throws {
    let expansion = try expand(
      """
      @DTO struct Row {
        var a: Int
        #if os(Linux)
        var b: Int
        #else
        @Column("b") var c: Int
        #endif
        #if X
        func f() {}
        #endif
      }
      """
    )
    #expect(expansion.messages == [])
    #expect(
      expansion.texts.joined() == """
        extension Row: DepotClient.Record {
          static let entity = "Row"
          static let attributes: DepotClient.RecordAttributes<Row> = {
            var attributes: [DepotClient.RecordAttribute<Row>] = []
            attributes.append(.init(\\.a, "a"))
            #if os(Linux)
            attributes.append(.init(\\.b, "b"))
            #else
            attributes.append(.init(\\.c, "b"))
            #endif
            return DepotClient.RecordAttributes(attributes)
          }()
          init(from row: inout DepotProtocol.RowReader) throws(DepotProtocol.DepotError) {
            self.a = try row.next()
            #if os(Linux)
            self.b = try row.next()
            #else
            self.c = try row.next()
            #endif
          }
          func write(to row: inout DepotProtocol.RowWriter) {
            row.append(self.a)
            #if os(Linux)
            row.append(self.b)
            #else
            row.append(self.c)
            #endif
          }
        }
        """
    )
    #expect(
      try expand("@DTO struct Row {\n#if X\nvar a, b: Int\n#endif\n}").messages
        == ["@DTO requires each property to be declared on its own"]
    )
  }

  @Test(arguments: [
    (
      "@DTO class Tag {}",
      "'@DTO' cannot be applied to non-final class 'Tag' → make the class final "
        + "→ remove '@DTO'", "@DTO final class Tag {}"
    ),
    (
      "@DTO enum Tag {}", "'@DTO' cannot be applied to enum type 'Tag' → remove '@DTO'",
      "enum Tag {}"
    ),
    (
      "@DTO struct Tag<T> {}", "'@DTO' cannot be applied to generic type 'Tag' → remove '@DTO'",
      "struct Tag<T> {}"
    ),
    (
      "@DTO struct Tag { let name = \"\" }",
      "@DTO cannot read constant 'name', which has a value already → change 'let' to 'var'",
      "@DTO struct Tag { var name = \"\" }"
    ),
  ])
  func `what can't be bound is reported`(source: String, message: String, mended: String) throws {
    let expansion = try expand(source)
    #expect(expansion.messages == [message])
    #expect(expansion.mended() == mended)
  }

  @Test(arguments: [
    ("var a, b: Int", "@DTO requires each property to be declared on its own"),
    (
      "var a: Int; @Column(\"a\") var b: Int", "properties 'a' and 'b' cannot both be \"a\""
    ),
    (
      "@Column(isUnique: true) var tag: Related<Tag>",
      "'isUnique' is about an attribute, and 'tag' isn't one"
    ),
    (
      "@Column(isOrdered: true) var tags: [Int]",
      "'isOrdered' is about a relationship, and 'tags' isn't one"
    ),
  ])
  func `a property that can't be a column is reported`(member: String, message: String) throws {
    #expect(try expand("@DTO struct Row { \(member) }").messages == [message])
  }
}
