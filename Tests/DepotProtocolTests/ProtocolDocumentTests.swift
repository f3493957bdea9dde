import FoundationEssentials
import Testing

@testable import DepotProtocol

/// The document of the protocol beside the code that decodes calls and reports errors.
struct ProtocolDocumentTests {
  private let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private let document: JSONValue

  init() throws {
    document = try JSONValue(
      parsing: Data(contentsOf: root.appending(path: "proto-docs/protocol.json"))
    )
  }

  @Test func `The operations are those of the decoder, and so is what writes`() throws {
    let operations = try #require(document["operations"]?.array)
    #expect(operations.compactMap { $0["name"]?.string } == Operation.names)
    for entry in operations {
      let name = try #require(entry["name"]?.string)
      let operation = try Operation(call: name, try minimalArguments(of: entry))
      #expect(operation.name == name)
      #expect(entry["writes"] == .bool(operation.isWrite), "\(name)")
      #expect(entry["privilege"]?.string == operation.declaration.privilege.rawValue, "\(name)")
      #expect(
        entry["streams"]
          == .bool(
            ["fetch", "aggregate", "blob.read", "watch", "history", "backup"].contains(name)
          ),
        "\(name)"
      )
    }
  }

  @Test func `A declaration is about its own operation`() {
    for (number, declaration) in Operation.declarations.enumerated() {
      #expect(declaration.form.ordinal == number, "\(declaration.name)")
    }
  }

  @Test func `Every documented argument is accepted`() throws {
    for entry in try #require(document["operations"]?.array) {
      let name = try #require(entry["name"]?.string)
      for argument in try #require(entry["args"]?.array) {
        let (member, example) = try (
          #require(argument["name"]?.string), #require(argument["example"])
        )
        var arguments = try minimalArguments(of: entry)
        let choices = entry["exactlyOne"]?.array?.compactMap(\.string) ?? []
        if choices.contains(member) { for other in choices { arguments[other] = nil } }
        for (other, value) in argument["with"]?.object ?? [:] { arguments[other] = value }
        arguments[member] = example
        #expect(throws: Never.self, "\(name) \(member)") {
          try Operation(call: name, arguments)
        }
      }
    }
  }

  @Test func `The documented example of every operation is accepted`() throws {
    for entry in try #require(document["operations"]?.array) {
      let name = try #require(entry["name"]?.string)
      let arguments = try #require(entry["example"]?["args"]?.object)
      #expect(throws: Never.self, "\(name)") { try Operation(call: name, arguments) }
    }
  }

  @Test func `Every required argument is required`() throws {
    for entry in try #require(document["operations"]?.array) {
      let name = try #require(entry["name"]?.string)
      for argument in try #require(entry["args"]?.array) where argument["required"] == .bool(true) {
        let member = try #require(argument["name"]?.string)
        var arguments = try minimalArguments(of: entry)
        arguments[member] = nil
        let error = #expect(throws: DepotError.self, "\(name) without \(member)") {
          try Operation(call: name, arguments)
        }
        #expect(error?.code == .missingMember, "\(name) without \(member)")
      }
    }
  }

  @Test func `A member that is not documented is refused`() throws {
    for entry in try #require(document["operations"]?.array) {
      let name = try #require(entry["name"]?.string)
      var arguments = try minimalArguments(of: entry)
      arguments["undocumented"] = .null
      let error = #expect(throws: DepotError.self, "\(name)") {
        try Operation(call: name, arguments)
      }
      #expect(error?.code == .unknownMember, "\(name)")
      #expect(error?.at == "/args/undocumented", "\(name)")
    }
  }

  @Test func `The codes are those of the source, with their retry and exit status`() throws {
    let source = try source("Values/DepotError+Code.swift")
    let codes = source.matches(of: /Self\(rawValue: "([a-z_.]+)"\)/).map { String($0.1) }
    #expect(codes.count > 40)
    let entries = try #require(document["errors"]?["codes"]?.array)
    #expect(entries.compactMap { $0["code"]?.string } == codes)
    for entry in entries {
      let code = DepotError.Code(rawValue: try #require(entry["code"]?.string))
      #expect(entry["class"]?.string == String(code.class), "\(code.rawValue)")
      #expect(entry["retry"]?.string == code.retry.rawValue, "\(code.rawValue)")
      #expect(entry["exitStatus"]?.int64 == Int64(code.exitStatus), "\(code.rawValue)")
      #expect(entry["example"]?["code"]?.string == code.rawValue, "\(code.rawValue)")
      #expect(entry["example"]?["retry"] == entry["retry"], "\(code.rawValue)")
      #expect(entry["example"]?["effect"] == entry["effect"], "\(code.rawValue)")
    }
  }

  @Test func `Every code that is mentioned exists`() throws {
    let entries = try #require(document["errors"]?["codes"]?.array)
    let codes = Set(entries.compactMap { $0["code"]?.string })
    var mentioned = try #require(document["commonErrors"]?.array).compactMap(\.string)
    for operation in try #require(document["operations"]?.array) {
      mentioned += try #require(operation["errors"]?.array).compactMap(\.string)
    }
    for limit in try #require(document["limits"]?.array) {
      mentioned += limit["error"]?.string.map { [$0] } ?? []
    }
    #expect(mentioned.filter { !codes.contains($0) && $0 != "none" } == [])
  }

  @Test func `The limits are those of the source`() throws {
    let source = try source("Limits.swift")
    let declared = source.matches(of: /static let (\w+) = ([0-9_]+)(?: << ([0-9]+))?/).map {
      let value = Int64($0.2.replacing("_", with: "")) ?? 0
      return (name: String($0.1), value: value << ($0.3.flatMap { Int64($0) } ?? 0))
    }
    #expect(declared.count > 10)
    let documented = try #require(document["limits"]?.array)
    #expect(documented.map { $0["name"]?.string } == declared.map(\.name))
    #expect(documented.map { $0["value"]?.int64 } == declared.map(\.value))
  }

  @Test func `Features, versions, types, and operators are those of the source`() throws {
    let features = try #require(document["features"]?.array)
    #expect(features.compactMap { $0["name"]?.string } == ProtocolVersion.features)
    let versions = [ProtocolVersion.lowest, ProtocolVersion.highest]
    #expect(document["versions"] == .array(versions.map { .int64(Int64($0)) }))
    for entry in try #require(document["values"]?.array) {
      let name = try #require(entry["type"]?.string)
      let type = try #require(AttributeType(rawValue: name))
      let node = try JSONDocument(Array(try #require(entry["example"]).text.utf8)).root
      #expect(throws: Never.self, "\(name)") { try node.value(as: type) }
    }
    // A composite has no form of its own: its parts have columns.
    #expect(document["values"]?.array?.count == AttributeType.allCases.count - 1)
    let operators = try #require(document["operators"]?.array)
    #expect(Set(operators.compactMap { $0["name"]?.string }) == Set(ExpressionOperators.table.keys))
    for entry in operators {
      let form = try #require(entry["form"])
      #expect(throws: Never.self, "\(form.text)") {
        try QueryExpression(JSONDocument(Array(form.text.utf8)).root)
      }
      let language = try #require(entry["text"]?.string)
      #expect(throws: Never.self, "\(language)") { try PredicateParser.parse(language) }
      #expect(entry["null"]?.string?.isEmpty == false, "\(form.text)")
      guard var members = form.object, entry["options"] == .bool(true) else { continue }
      members["options"] = .string("cdnl")
      let text = JSONValue.object(members).text
      #expect(throws: Never.self, "\(text)") {
        try QueryExpression(JSONDocument(Array(text.utf8)).root)
      }
    }
  }

  @Test func `A schema has the members that the types tell`() throws {
    let types = try #require(document["types"]?.array)
    func members(_ name: String) throws -> [String: JSONValue] {
      let type = try #require(types.first { $0["name"]?.string == name })
      return try #require(type["schema"]?["properties"]?.object)
    }
    let kinds = AttributeType.allCases.map(\.rawValue) + NumberWidth.allCases.map(\.rawValue)
    #expect(
      try members("Attribute")["type"]?["enum"]?.array?.compactMap(\.string).sorted()
        == kinds.sorted()
    )
    #expect(
      try members("Relationship")["deleteRule"]?["enum"]?.array?.compactMap(\.string)
        == Relationship.DeleteRule.allCases.map(\.rawValue)
    )
    // A member is known if it is refused for its value only, not for its name.
    func isKnown(_ member: String, _ form: (String) -> String) -> Bool {
      let text = form("\"\(member)\":[[[]]]")
      do {
        _ = try Schema(parsing: text.utf8)
      } catch {
        return error.code != .unknownMember
      }
      return true
    }
    for member in try members("Entity").keys where !["name", "attributes"].contains(member) {
      #expect(isKnown(member) { #"{"entities":[{"name":"E","attributes":[],\#($0)}]}"# })
    }
    for member in try members("Attribute").keys where !["name", "type"].contains(member) {
      #expect(
        isKnown(member) {
          #"{"entities":[{"name":"E","attributes":[{"name":"a","type":"bool",\#($0)}]}]}"#
        }
      )
    }
    for member in try members("Relationship").keys
    where !["name", "destination"].contains(member) {
      #expect(
        isKnown(member) {
          #"{"entities":[{"name":"E","attributes":[],"relationships":[{"name":"a","#
            + #""destination":"E",\#($0)}]}]}"#
        }
      )
    }
  }

  @Test func `The examples of a client's frames are decoded`() throws {
    for frame in try #require(document["frames"]?.array) where frame["from"]?.string != "service" {
      let example = try #require(frame["example"])
      let decoded = try ClientFrame(Array(example.text.utf8))
      if case .invalidCall(_, let error) = decoded { Issue.record(error) }
    }
  }
}

extension ProtocolDocumentTests {
  /// Returns the required arguments of an operation, and the first of those of which one is.
  private func minimalArguments(of operation: JSONValue) throws -> [String: JSONValue] {
    var wanted = ["exactlyOne", "atLeastOne"].compactMap { operation[$0]?.array?.first?.string }
    var result: [String: JSONValue] = [:]
    for argument in try #require(operation["args"]?.array) {
      let name = try #require(argument["name"]?.string)
      if argument["required"] == .bool(true) || wanted.contains(name) {
        result[name] = try #require(argument["example"] as JSONValue?, "\(name) has no example")
        wanted.removeAll { $0 == name }
      }
    }
    return result
  }

  private func source(_ path: String) throws -> String {
    try String(
      contentsOf: root.appending(path: "Sources/DepotProtocol").appending(path: path),
      encoding: .utf8
    )
  }
}

extension Operation {
  /// Decodes the operation from a call with these arguments, as from a frame.
  fileprivate init(call name: String, _ arguments: [String: JSONValue]) throws {
    let frame = JSONValue.object([
      "id": .int64(1), "call": .string(name), "args": .object(arguments),
    ])
    switch try ClientFrame(Array(frame.text.utf8)) {
    case .call(let call): self = call.operation
    case .invalidCall(_, let error): throw error
    default: throw DepotError(.bug, "It isn't a call.")
    }
  }
}
