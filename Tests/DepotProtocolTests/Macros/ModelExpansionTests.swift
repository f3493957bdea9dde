import Testing

@Suite struct ModelExpansionTests {
  @Test func `a class gets Apple's members by their names`() throws {
    let expansion = try Expansion(
      """
      @Model final class Trip {
        var title: String
        var days = 3
        @Attribute(.unique) var code: String?
        @Relationship(deleteRule: .cascade, inverse: \\Stop.trip) var stops: [Stop] = []
        @Transient var cache = 0
        init() {}
      }
      """
    )
    #expect(
      expansion.texts.joined(separator: "\n\n") == """
        @Transient private var _$backingData: any SwiftData.BackingData<Trip> = Trip._$newBackingData()

        public var persistentBackingData: any SwiftData.BackingData<Trip> {
          get {
            _$backingData
          }
          set {
            _$backingData = newValue
          }
        }

        static var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {
          return [
            SwiftData.Schema.PropertyMetadata(name: "title", keypath: \\Trip.title, defaultValue: nil, metadata: nil),
            SwiftData.Schema.PropertyMetadata(name: "days", keypath: \\Trip.days, defaultValue: 3, metadata: nil),
            SwiftData.Schema.PropertyMetadata(name: "code", keypath: \\Trip.code, defaultValue: nil, metadata: SwiftData.Schema.Attribute(.unique)),
            SwiftData.Schema.PropertyMetadata(name: "stops", keypath: \\Trip.stops, defaultValue: ([] as [Stop]), metadata: SwiftData.Schema.Relationship(deleteRule: .cascade, inverse: \\Stop.trip)),
          ]
        }

        required init(backingData: any SwiftData.BackingData<Trip>) {
          _title = _SwiftDataNoType()
          _days = _SwiftDataNoType()
          _code = _SwiftDataNoType()
          _stops = _SwiftDataNoType()
          self.persistentBackingData = backingData
        }

        @Transient public let _$observationRegistrar = Observation.ObservationRegistrar()

        internal nonisolated func access<_M>(keyPath: KeyPath<Trip, _M>) {
          _$observationRegistrar.access(self, keyPath: keyPath)
        }

        internal nonisolated func withMutation<_M, _MR>(
          keyPath: KeyPath<Trip, _M>, _ mutation: () throws -> _MR
        ) rethrows -> _MR {
          try _$observationRegistrar.withMutation(of: self, keyPath: keyPath, mutation)
        }

        struct _SwiftDataNoType {}

        extension Trip: nonisolated SwiftData.PersistentModel {}

        extension Trip: nonisolated Observation.Observable {}

        @available(*, unavailable, message: "PersistentModels are not Sendable, consider utilizing a ModelActor or use Trip's persistentModelID instead")
        extension Trip: Sendable {}
        """
    )
    #expect(
      expansion.attributes
        == ["title", "days", "code", "stops"].map { "@_PersistedProperty \($0)" }
        + ["@_LinkingInitializer init"]
    )
    #expect(expansion.messages == [])
  }

  @Test func `a property is read and written through the backing data`() throws {
    #expect(
      try Expansion("@_PersistedProperty var title: String").texts.joined(separator: "\n") == """
        @storageRestrictions(accesses: _$backingData, initializes: _title)
        init(initialValue) {
          _$backingData.setValue(forKey: \\.title, to: initialValue)
          _title = _SwiftDataNoType()
        }
        get {
          _$observationRegistrar.access(self, keyPath: \\.title)
          return self.getValue(forKey: \\.title)
        }
        set {
          _$observationRegistrar.withMutation(of: self, keyPath: \\.title) {
            self.setValue(forKey: \\.title, to: newValue)
          }
        }
        @Transient private var _title: _SwiftDataNoType
        """
    )
  }

  @Test(arguments: [
    ("var title: String", "_title: _SwiftDataNoType"),
    ("var title: String?", "_title: _SwiftDataNoType = _SwiftDataNoType()"),
    ("var title = \"\"", "_title: _SwiftDataNoType = _SwiftDataNoType()"),
    ("var `default` = 1", "_default: _SwiftDataNoType = _SwiftDataNoType()"),
    ("var title = 1 { didSet {} }", "_title: Bool = false"),
  ])
  func `the peer of a property is initialized with it`(source: String, peer: String) throws {
    let texts = try Expansion("@_PersistedProperty \(source)").texts
    #expect(texts.last == "@Transient private var \(peer)")
  }

  @Test func `a constant is stored like a variable`() throws {
    let constant = try Expansion(
      "@Model class A { @Attribute(.unique) let id: UUID\n@Transient let limit = 1\ninit() {} }"
    )
    let variable = try Expansion(
      "@Model class A { @Attribute(.unique) var id: UUID\n@Transient let limit = 1\ninit() {} }"
    )
    #expect(constant.texts == variable.texts)
    #expect(constant.texts.joined().contains("keypath: \\A.id"))
    #expect(!constant.texts.joined().contains("limit"))
  }

  @Test func `a transformable property has functions of its own`() throws {
    let source =
      "@_TransformablePersistedProperty @Attribute(.transformable(by: \"X\")) var c: [Int]"
    let text = try Expansion(source).texts.joined()
    #expect(text.contains("_$backingData.setTransformableValue(forKey: \\.c, to: initialValue)"))
    #expect(text.contains("return self.getTransformableValue(forKey: \\.c)"))
    #expect(text.contains("self.setTransformableValue(forKey: \\.c, to: newValue)"))
    #expect(
      try Expansion(
        "@Model class A { @Attribute(.transformable(by: X.self)) var c: Int; init() {} }"
      )
      .attributes == ["@_TransformablePersistedProperty c"]
    )
  }

  @Test func `observers run in the setter, and see the property as self's`() throws {
    let source = """
      @_PersistedProperty var name = "" {
        willSet(new) { print(new) }
        didSet { name = oldValue + other.name }
      }
      """
    #expect(
      try Expansion(source).texts[2] == """
        set {
          if _name {
            return _$observationRegistrar.withMutation(of: self, keyPath: \\.name) {
              self.setValue(forKey: \\.name, to: newValue)
            }
          }
          _name = true
          defer {
            _name = false
          }
          _ = { (new) -> Void in
            print(new)
          }(newValue)
          let oldValue = self.getValue(forKey: \\.name)
          _$observationRegistrar.withMutation(of: self, keyPath: \\.name) {
            self.setValue(forKey: \\.name, to: newValue)
          }
          _ = { (oldValue) -> Void in
            self.name = oldValue + other.name
          }(oldValue)
        }
        """
    )
  }

  @Test(arguments: [
    ("Priority = .high", "Priority.high"), ("Priority = .make(1)", "(.make(1) as Priority)"),
    ("Priority? = .high", "(.high as Priority?)"), ("Double = 3", "(3 as Double)"),
    ("Int = 3", "3"), ("String = \"x\"", "\"x\""), ("Bool = true", "true"), ("Int? = nil", "nil"),
    ("Int = -1", "(-1 as Int)"), ("Int = 1 + 2", "((1 + 2) as Int)"),
    ("[String: Int] = [:]", "([:] as [String: Int])"), ("String! = \"a\"", "(\"a\" as String?)"),
    ("V1.Kind = .a", "V1.Kind.a"), ("UUID = UUID()", "(UUID() as UUID)"),
  ])
  func `a default value needs no context`(declaration: String, value: String) throws {
    let text = try Expansion("@Model class A { var x: \(declaration); init() {} }").texts.joined()
    #expect(text.contains("keypath: \\A.x, defaultValue: \(value), metadata"))
  }

  @Test func `conditions stand around what they concern`() throws {
    let expansion = try Expansion(
      """
      @Model class A {
        var x: Int
        #if DEBUG
        var y: Int
        #elseif os(Linux)
        var z: Int
        #else
        #endif
        init() {}
      }
      """
    )
    let text = expansion.texts.joined()
    #expect(
      text.contains(
        """
          var metadata: [SwiftData.Schema.PropertyMetadata] = []
          metadata.append(SwiftData.Schema.PropertyMetadata(name: "x", keypath: \\A.x, defaultValue: nil, metadata: nil))
        #if DEBUG
          metadata.append(SwiftData.Schema.PropertyMetadata(name: "y", keypath: \\A.y, defaultValue: nil, metadata: nil))
        #elseif os(Linux)
          metadata.append(SwiftData.Schema.PropertyMetadata(name: "z", keypath: \\A.z, defaultValue: nil, metadata: nil))
        #else
        #endif
          return metadata
        """
      )
    )
    #expect(text.contains("#if DEBUG\n  _y = _SwiftDataNoType()\n#elseif os(Linux)"))
  }

  @Test func `constraints are entries of their own`() throws {
    let expansion = try Expansion(
      """
      @Model class A {
        #Unique<A>([\\.x], [\\.x, \\.y])
        #Index([\\A.y])
        var x: Int; var y: Int
        init() {}
      }
      """
    )
    let text = expansion.texts.joined()
    let start = "SwiftData.Schema.PropertyMetadata(name: \"SwiftData.Schema"
    let end = "keypath: \\SwiftData.Schema.encodingVersion, defaultValue: nil, metadata: "
    #expect(
      text.contains("\(start).Unique\", \(end)SwiftData.Schema.Unique<A>([\\.x], [\\.x, \\.y]))")
    )
    #expect(text.contains("\(start).Index\", \(end)SwiftData.Schema.Index<A>([\\A.y]))"))
    #expect(expansion.messages == [])
  }

  @Test func `a subclass overrides what its superclass has`() throws {
    let expansion = try Expansion(
      "@Model public class Ferry: Vessel { var seats = 1; public init() {} }",
      conforming: []
    )
    let text = expansion.texts.joined(separator: "\n")
    for line in [
      "private var _$backingData: any SwiftData.BackingData<Ferry> = Ferry.createBackingData()",
      "override public var persistentBackingData: any SwiftData.BackingData<Vessel.Root> {",
      "Ferry._$join(_$backingData, into: super.persistentBackingData)",
      "override public class var schemaMetadata: [SwiftData.Schema.PropertyMetadata] {",
      "return super.schemaMetadata + [",
      "public required init(backingData: any SwiftData.BackingData<Vessel.Root>) {",
      "super.init(backingData: backingData)",
      "@_disfavoredOverload internal nonisolated func access<_M>(keyPath: KeyPath<Ferry, _M>) {",
    ] {
      #expect(text.contains(line))
    }
    #expect(!text.contains("_$observationRegistrar ="))
    #expect(!text.contains("extension"))
  }

  @Test(arguments: [
    ("open", "open class", "open", "public "), ("public", "public class", "public", "public "),
    ("package", "package class", "public", "package "), ("private", "class", "public", ""),
    ("public final", "public static", "public", "public "),
  ])
  func `members are as visible as the class`(
    modifiers: String,
    metadata: String,
    data: String,
    initializer: String
  ) throws {
    let text = try Expansion("@Model \(modifiers) class A { init() {} }").texts.joined(
      separator: "\n"
    )
    #expect(text.contains("\n\(metadata) var schemaMetadata"))
    #expect(text.contains("\n\(data) var persistentBackingData"))
    #expect(text.contains("\n\(initializer)required init(backingData"))
  }

  @Test func `what a class declares itself is left to it`() throws {
    let expansion = try Expansion(
      """
      @Model class A: PersistentModel {
        var schemaMetadata: Int { 1 }
        func access(x: Int) {}
        init(backingData: any BackingData<A>) {}
        init() {}
      }
      """,
      conforming: []
    )
    let text = expansion.texts.joined()
    #expect(!text.contains("schemaMetadata"))
    #expect(!text.contains("func access<"))
    #expect(!text.contains("required init"))
    // That initializer may set properties before it takes the values that it is given.
    #expect(text.contains("_$backingData: any SwiftData.BackingData<A> = A.createBackingData()"))
    #expect(text.contains("_$observationRegistrar ="))
  }
}
