import DepotProtocol
import Testing

@Suite struct ContainerRequestTests {
  private static let places: [ContainerStore.Location] = [
    .file("shop.store"), .path("/srv/depot/x.store"), .memory,
    .database("postgresql://depot@db1,db2/app?sslmode=verify-full"),
  ]

  /// Reads the frame of a call.
  private func read(_ json: String) throws -> Call {
    switch try ClientFrame(Array(json.utf8)) {
    case .call(let call): return call
    case .invalidCall(_, let error): throw error
    default: throw DepotError(.bug, "It isn't a call.")
    }
  }

  /// Reads the arguments of `container.open`.
  private func open(_ arguments: String) throws -> ContainerRequest {
    let call = try read(#"{"id":1,"call":"container.open","args":\#(arguments)}"#)
    guard case .openContainer(let request) = call.operation else {
      throw DepotError(.bug, "It opens nothing.")
    }
    return request
  }

  @Test(arguments: places)
  func `a request is read as it was written`(location: ContainerStore.Location) throws {
    var request = ContainerRequest("shop", stores: [ContainerStore(location, name: "a")])
    for variant in 0..<8 {
      request.keeps = variant & 1 != 0
      request.stores[0].entities = variant & 2 != 0 ? ["Order", "Item"] : nil
      request.schema =
        variant & 4 != 0
        ? Schema(entities: [Entity(name: "P", attributes: [Attribute(name: "a", type: .int64)])])
        : nil
      if location != .memory { request.stores[0].isReadOnly = variant & 1 == 0 }
      var writer = JSONWriter()
      writer.write(Call(id: 1, .openContainer(request)))
      #expect(
        try read(String(decoding: writer.bytes, as: UTF8.self)).operation
          == .openContainer(request)
      )
    }
  }

  @Test func `a store is named main unless it says otherwise`() throws {
    let request = try open(#"{"name":"shop","stores":[{"file":"x"}]}"#)
    #expect(request == ContainerRequest("shop", stores: [ContainerStore(.file("x"), name: "main")]))
  }

  @Test(arguments: ["..", "../x", "a/b", "/etc/x", "", ".hidden", "a\u{0}b", ".", "x/.."])
  func `a name that leaves the service's folder is refused`(name: String) throws {
    let text = JSONValue.string(name).text
    let error = #expect(throws: DepotError.self) {
      try open(#"{"name":"shop","stores":[{"file":\#(text)}]}"#)
    }
    #expect(error?.code == .usage)
    #expect(error?.at == "/args/stores/0/file")
  }

  @Test(arguments: ["x-wal", "x-shm", "x-journal", "x.lock"])
  func `a name that would belong to another store's files is refused`(name: String) throws {
    for member in [#""file":"\#(name)""#, #""path":"/srv/\#(name)""#] {
      let error = #expect(throws: DepotError.self) {
        try open(#"{"name":"shop","stores":[{\#(member)}]}"#)
      }
      #expect(error?.code == .usage)
    }
  }

  @Test(arguments: ["", "-x", ".x", "a b", "é", "a/b", String(repeating: "x", count: 129)])
  func `names of containers and stores are plain`(name: String) throws {
    let text = JSONValue.string(name).text
    let container = #expect(throws: DepotError.self) {
      try open(#"{"name":\#(text),"stores":[{"memory":true}]}"#)
    }
    #expect(container?.at == "/args/name")
    let store = #expect(throws: DepotError.self) {
      try open(#"{"name":"shop","stores":[{"name":\#(text),"memory":true}]}"#)
    }
    #expect(store?.at == "/args/stores/0/name")
  }

  @Test(arguments: [
    (#"[]"#, "request.usage"), (#"[{}]"#, "request.usage"),
    (#"[{"file":"x","memory":true}]"#, "request.usage"),
    (#"[{"file":"x","path":"/x"}]"#, "request.usage"),
    (#"[{"path":"x"}]"#, "request.usage"), (#"[{"path":"/x/"}]"#, "request.usage"),
    (#"[{"memory":true,"readOnly":true}]"#, "request.usage"),
    (#"[{"database":"postgresql:///app","memory":true}]"#, "request.usage"),
    (#"[{"database":"mysql://db1/app"}]"#, "request.usage"),
    (#"[{"database":""}]"#, "request.usage"),
    (#"[{"memory":true,"size":1}]"#, "request.unknown_member"),
    (
      #"[{"memory":true,"entities":["A"]},{"memory":true,"entities":["B"]}]"#, "request.usage"
    ),
    (
      #"[{"memory":true,"entities":["A"]},{"name":"b","memory":true,"entities":["B","A"]}]"#,
      "schema.invalid"
    ),
    (#"[{"memory":true,"entities":["A","A"]}]"#, "schema.invalid"),
    (#"[{"memory":true},{"name":"b","memory":true}]"#, "schema.invalid"),
  ])
  func `stores that contradict each other are refused`(stores: String, code: String) throws {
    let error = #expect(throws: DepotError.self) {
      try open(#"{"name":"shop","stores":\#(stores)}"#)
    }
    #expect(error?.code.rawValue == code)
  }

  @Test func `the service's own container can't be opened`() throws {
    let error = #expect(throws: DepotError.self) {
      try open(#"{"name":"default","stores":[{"memory":true}]}"#)
    }
    #expect(error?.code == .usage)
  }

  @Test func `a call names its container, and hello that of the others`() throws {
    let call = try read(#"{"id":1,"call":"count","args":{"entity":"A"},"container":"shop"}"#)
    #expect(call.container == "shop")
    var writer = JSONWriter()
    writer.write(call)
    #expect(try read(String(decoding: writer.bytes, as: UTF8.self)) == call)
    writer = JSONWriter()
    writer.write(Hello(container: "shop"))
    guard case .hello(let hello) = try ClientFrame(writer.bytes) else {
      Issue.record("It isn't hello.")
      return
    }
    #expect(hello.container == "shop")
  }

  @Test(arguments: ["ping", "stats", "describe", "shutdown", "container.list"])
  func `what isn't about a container takes none`(name: String) throws {
    let error = #expect(throws: DepotError.self) {
      try read(#"{"id":1,"call":"\#(name)","container":"shop"}"#)
    }
    #expect(error?.code == .usage)
    #expect(error?.at == "/container")
  }
}
