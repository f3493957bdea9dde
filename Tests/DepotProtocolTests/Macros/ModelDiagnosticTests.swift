import Testing

@Suite struct ModelDiagnosticTests {
  /// A use of `@Model`, what is said about it, and what the first fix-it makes of it.
  struct Case: Sendable, CustomTestStringConvertible {
    let source: String
    let message: String
    var mended: String?

    var testDescription: String { message }
  }

  /// Cases in which the whole source counts.
  static let declarations: [Case] = [
    Case(
      source: "@Model struct Trip { var a: Int }",
      message:
        "'@Model' cannot be applied to struct type 'Trip' → change 'struct' to 'final class' "
        + "→ remove '@Model'",
      mended: "@Model final class Trip { var a: Int }"
    ),
    Case(
      source: "@Model\npublic actor Trip {}",
      message: "'@Model' cannot be applied to actor type 'Trip' → change 'actor' to 'final class' "
        + "→ remove '@Model'",
      mended: "@Model\npublic final class Trip {}"
    ),
    Case(
      source: "// A kind.\n@Model enum Kind { case a }",
      message: "'@Model' cannot be applied to enum type 'Kind' → remove '@Model'",
      mended: "// A kind.\nenum Kind { case a }"
    ),
    Case(
      source: "@MainActor @Model protocol P {}",
      message: "'@Model' cannot be applied to protocol type 'P' → remove '@Model'",
      mended: "@MainActor protocol P {}"
    ),
    Case(
      source: "@Model class Box<T> { init() {} }",
      message:
        "'@Model' cannot be applied to generic class 'Box', because a store keeps one entity "
        + "for each class → remove '@Model'",
      mended: "class Box<T> { init() {} }"
    ),
    Case(
      source: """
        @Model public final class Trip {
          var title: String
          var days: Int = 3
          var note: String?
          var kind = Kind.a
          @Transient var cache = 0
        }
        """,
      message: "@Model requires an initializer be provided for 'Trip' → insert an initializer",
      mended: """
        @Model public final class Trip {
          var title: String
          var days: Int = 3
          var note: String?
          var kind = Kind.a
          @Transient var cache = 0

          public init(title: String, days: Int = 3, note: String? = nil) {
            self.title = title
            self.days = days
            self.note = note
          }
        }
        """
    ),
  ]

  @Test(arguments: declarations)
  func `a declaration that can't be a model is reported`(example: Case) throws {
    let expansion = try Expansion(example.source)
    #expect(expansion.messages == [example.message])
    if let mended = example.mended { #expect(expansion.mended() == mended) }
  }

  @Test func `what can't be a model gets no members`() throws {
    #expect(try Expansion("@Model struct A { var a: Int }").texts == [])
    #expect(try Expansion("@Model struct A { var a: Int }").attributes == [])
  }

  @Test func `a subclass needs an initializer that it alone can know`() throws {
    #expect(
      try Expansion("@Model class A: B { var x = 1 }", conforming: []).messages == [
        "@Model requires an initializer be provided for 'A'"
      ]
    )
  }

  @Test func `an initializer may stand in a condition`() throws {
    #expect(try Expansion("@Model class A {\n#if X\ninit() {}\n#endif\n}").messages == [])
    #expect(try Expansion("@Model class A { convenience init() {} }").messages.count == 1)
  }

  /// Cases of one member, which stands alone on its line.
  static let members: [Case] = [
    Case(
      source: "let title: String",
      message: "@Model requires property 'title' to be mutable in the Swift 6 language mode "
        + "→ change 'let' to 'private(set) var'",
      mended: "private(set) var title: String"
    ),
    Case(
      source: "@Attribute(.unique) public let id: UUID",
      message: "@Model requires property 'id' to be mutable in the Swift 6 language mode "
        + "→ change 'let' to 'private(set) var'",
      mended: "@Attribute(.unique) public private(set) var id: UUID"
    ),
    Case(
      source: "private let code: Int",
      message: "@Model requires property 'code' to be mutable in the Swift 6 language mode "
        + "→ change 'let' to 'var'",
      mended: "private var code: Int"
    ),
    Case(
      source: "var `my days`: Int",
      message: "@Model cannot persist property '`my days`', because no store has such a name"
    ),
    Case(
      source: "var a, b: Int",
      message: "@Model requires each property to be declared on its own "
        + "→ declare each property on its own",
      mended: "var a: Int\n  var b: Int"
    ),
    Case(
      source: "@Attribute(.unique) private var a = 1, b: String, c: Int? = 2",
      message: "@Model requires each property to be declared on its own "
        + "→ declare each property on its own",
      mended: "@Attribute(.unique) private var a = 1\n"
        + "  @Attribute(.unique) private var b: String\n"
        + "  @Attribute(.unique) private var c: Int? = 2"
    ),
    Case(
      source: "var (a, b) = (1, 2)",
      message: "@Model requires each property to be declared on its own, not in a tuple pattern"
    ),
    Case(
      source: "var pair: (Int, Int) = (1, 2)",
      message: "@Model cannot persist property 'pair', whose type is a tuple → add '@Transient'",
      mended: "@Transient var pair: (Int, Int) = (1, 2)"
    ),
    Case(
      source: "var pair: (Int, Int)",
      message: "@Model cannot persist property 'pair', whose type is a tuple"
    ),
    Case(
      source: "var action: (() -> Void)?",
      message: "@Model cannot persist property 'action', whose type is a function "
        + "→ add '@Transient'",
      mended: "@Transient var action: (() -> Void)?"
    ),
    Case(
      source: "@Trimmed var title = \"\"",
      message: "@Model cannot persist property 'title', whose storage is the property wrapper "
        + "'@Trimmed' → remove '@Trimmed' → add '@Transient'",
      mended: "var title = \"\""
    ),
    Case(
      source: "weak var owner: Person?",
      message: "'weak' cannot be applied to persisted property 'owner', because a context holds "
        + "related objects → remove 'weak'",
      mended: "var owner: Person?"
    ),
    Case(
      source: "@Transient var cache: [String]",
      message: "@Transient requires non-optional property 'cache' to have a default value "
        + "→ add a default value → make the property optional",
      mended: "@Transient var cache: [String] = []"
    ),
    Case(
      source: "@Transient var cache: Cache",
      message: "@Transient requires non-optional property 'cache' to have a default value "
        + "→ add a default value → make the property optional",
      mended: "@Transient var cache: Cache = <#value#>"
    ),
    Case(
      source: "@Attribute(.unique) var label: String { title }",
      message: "'@Attribute' cannot be applied to computed property 'label' → remove '@Attribute'",
      mended: "var label: String { title }"
    ),
    Case(
      source: "@Relationship static var all: [Trip] = []",
      message: "'@Relationship' cannot be applied to static property 'all' "
        + "→ remove '@Relationship'",
      mended: "static var all: [Trip] = []"
    ),
    Case(
      source: "@Attribute lazy var x = 1",
      message: "'@Attribute' cannot be applied to lazy property 'x' → remove '@Attribute'",
      mended: "lazy var x = 1"
    ),
    Case(
      source: "@Attribute(.unique) @Attribute var x: Int",
      message: "a property can have '@Attribute' only once → remove '@Attribute'",
      mended: "@Attribute(.unique) var x: Int"
    ),
    Case(
      source: "@Attribute @Relationship var x: Person",
      message: "a property cannot have both '@Attribute' and '@Relationship' "
        + "→ remove '@Relationship' → remove '@Attribute'",
      mended: "@Attribute var x: Person"
    ),
    Case(
      source: "@Transient @Attribute var x = 1",
      message: "a property cannot have both '@Attribute' and '@Transient' → remove '@Transient' "
        + "→ remove '@Attribute'",
      mended: "@Attribute var x = 1"
    ),
    Case(
      source: "@Relationship var names: [String]",
      message: "'@Relationship' requires property 'names' to be a model, an optional model, or an "
        + "array of models → remove '@Relationship'",
      mended: "var names: [String]"
    ),
    Case(
      source: "#Index<Other>([\\.x])",
      message: "'#Index' within 'Trip' must be about 'Trip' → change 'Other' to 'Trip'",
      mended: "#Index<Trip>([\\.x])"
    ),
    Case(
      source: "#Unique<Trip>()",
      message: "'#Unique' requires a list of key paths"
    ),
    Case(
      source: "#Index<Trip>([\\.label]); var label: Int { 1 }",
      message: "'#Index' requires persisted properties, and 'label' is computed"
    ),
    Case(
      source: "#Unique<Trip>([\\.x, \\.note]); @Transient var note = 1",
      message: "'#Unique' requires persisted properties, and 'note' is transient"
    ),
    Case(
      source:
        "@Attribute(originalName: \"a\") var x = 1; @Attribute(originalName: \"a\") var y = 1",
      message: "properties 'x' and 'y' cannot have the same original name 'a'"
    ),
  ]

  @Test(arguments: members)
  func `a member that a model can't have is reported`(example: Case) throws {
    let expansion = try Expansion(source(example.source))
    #expect(expansion.messages == [example.message])
    if let mended = example.mended { #expect(expansion.mended() == source(mended)) }
  }

  @Test(arguments: members)
  func `what a fix-it makes is right`(example: Case) throws {
    guard let mended = example.mended, !mended.contains("<#") else { return }
    #expect(try Expansion(source(mended)).messages == [])
  }

  @Test func `the second way to mend makes the property optional`() throws {
    let expansion = try Expansion(source("@Transient var cache: Cache"))
    #expect(expansion.mended(fixIt: 1) == source("@Transient var cache: Cache?"))
  }

  @Test(arguments: [
    "@Transient let constant = 1", "static let all = 1", "lazy var x = 1", "var x: Int { 1 }",
    "@Transient weak var owner: Person?", "class var kind: Int { 1 }",
    "@Relationship var friend: Person?", "@Relationship var friends: Set<Person> = []",
    "@Attribute(.unique) private(set) var x: Int", "var x: (Int)", "func f() {}", "var x = (1)",
  ])
  func `a member that a model can have is accepted`(member: String) throws {
    #expect(try Expansion(source(member)).messages == [])
  }

  private func source(_ member: String) -> String {
    "@Model final class Trip {\n  \(member)\n\n  init() {}\n}"
  }
}
