/// The first frame of a client.
package struct Hello: Hashable, Sendable {
  /// How a client wants 64-bit integers.
  package enum Int64Form: String, Hashable, Sendable {
    case number
    case string
  }

  /// The lowest and the highest protocol version that the client speaks.
  package var versions: ClosedRange<Int>
  /// The name, version, and language of the client program.
  package var client: [String: String]
  package var int64: Int64Form
  /// The features that the client would like; unknown ones are left out of the answer.
  package var want: [String]
  /// The container that calls are about which name none; `default` if `nil`.
  package var container: String?
  /// Who the history says makes the changes.
  package var author: String?
  /// The process as the history tells it; made of the client's name and the process's number if `nil`.
  package var process: String?

  package init(
    versions: ClosedRange<Int> = ProtocolVersion.lowest...ProtocolVersion.highest,
    client: [String: String] = [:],
    int64: Int64Form = .number,
    want: [String] = [],
    container: String? = nil,
    author: String? = nil,
    process: String? = nil
  ) {
    self.versions = versions
    self.client = client
    self.int64 = int64
    self.want = want
    self.container = container
    self.author = author
    self.process = process
  }
}

/// The versions of the protocol that this code speaks.
package enum ProtocolVersion {
  package static let lowest = 1
  package static let highest = 1
  /// The version of Depot itself.
  package static let software = "0.1.0"
  /// What a service announces that it can do beyond version 1's operations.
  package static let features = ["credit", "int64", "containers", "pins", "staging"]
}

extension Hello {
  init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    self.init()
    let range = try reader.required("protocol").elements()
    guard range.count == 2 else {
      throw DepotError(.hello, "\"protocol\" is the lowest and the highest version.")
        .at("/hello/protocol")
    }
    let (low, high) = (try range[0].int64(), try range[1].int64())
    guard 1...high ~= low, high < 1 << 31 else {
      throw DepotError(.hello, "The versions must rise from at least 1.").at("/hello/protocol")
    }
    versions = Int(low)...Int(high)
    for (name, value) in try reader.optional("client")?.members() ?? [] {
      client[try name.string()] = String(try value.string().prefix(100))
    }
    if let options = reader.optional("options") {
      var options = try JSONObjectReader(options)
      if let name = try options.optionalString("int64") {
        guard let form = Int64Form(rawValue: name) else {
          throw DepotError(.hello, "\"int64\" is \"number\" or \"string\".")
            .at("/hello/options/int64")
        }
        int64 = form
      }
      try options.finish()
    }
    for feature in try reader.optional("want")?.elements() ?? [] {
      want.append(try feature.string())
    }
    container = try reader.optionalString("container")
    author = try reader.historyName("author", at: "/hello/author")
    process = try reader.historyName("process", at: "/hello/process")
    try reader.finish()
  }

  /// The highest version that both sides speak.
  ///
  /// - Throws: ``DepotError`` `protocol.version` if there is none.
  package func negotiate() throws(DepotError) -> Int {
    let version = min(versions.upperBound, ProtocolVersion.highest)
    guard version >= max(versions.lowerBound, ProtocolVersion.lowest) else {
      throw DepotError(
        .version,
        "This service speaks protocol \(ProtocolVersion.lowest) to \(ProtocolVersion.highest)."
      )
      .hint("Use a client and a service of neighbouring releases.")
      .details([
        "min": .int64(Int64(ProtocolVersion.lowest)), "max": .int64(Int64(ProtocolVersion.highest)),
      ])
    }
    return version
  }
}

extension JSONWriter {
  package mutating func write(_ hello: Hello) {
    raw("{\"hello\":{\"protocol\":[")
    integer(hello.versions.lowerBound)
    raw(",")
    integer(hello.versions.upperBound)
    raw("],\"client\":")
    write(.object(hello.client.mapValues(JSONValue.string)))
    if hello.int64 == .string { raw(",\"options\":{\"int64\":\"string\"}") }
    if !hello.want.isEmpty {
      raw(",\"want\":")
      write(.array(hello.want.map(JSONValue.string)))
    }
    if let container = hello.container {
      raw(",\"container\":")
      string(container)
    }
    if let author = hello.author {
      raw(",\"author\":")
      string(author)
    }
    if let process = hello.process {
      raw(",\"process\":")
      string(process)
    }
    raw("}}")
  }
}
