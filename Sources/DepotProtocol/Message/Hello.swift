internal import CDepotVersion

/// The first frame of a client.
@Memberwise
package struct Hello: Hashable, Sendable {
  /// The lowest and the highest protocol version that the client speaks.
  package var versions: ClosedRange<Int> = ProtocolVersion.lowest...ProtocolVersion.highest
  /// The name, version, and language of the client program.
  ///
  /// Members after the 16th are left out, and longer texts than a name may have are cut.
  package var client: [String: String] = [:]
  package var int64: Int64Form = .number
  /// The features that the client requests; unknown ones are left out of the reply.
  package var want: [String] = []
  /// The container of calls that name none; `default` if `nil`.
  package var container: String?
  /// The author of the changes in the history.
  package var author: String?
  /// The name of the process in the history; `nil` for the client's name and process number.
  package var process: String?
  /// The greatest privilege that the connection uses, at most its user's; `nil` for all of that.
  package var access: Operation.Privilege?
}

/// The versions of the protocol that this code speaks.
package enum ProtocolVersion {
  package static let lowest = 1
  package static let highest = 1
  /// The version of Depot itself.
  package static let software = "0.1.0"
  /// The version with the commit of the sources, as in `0.1.0 (3f2b8c019d20)`, if the build was given that.
  package static let build: String = {
    let commit = String(cString: depotCommit())
    return commit.isEmpty ? software : "\(software) (\(commit))"
  }()
  /// The features that a service announces beyond version 1's operations.
  package static let features = ["credit", "int64", "containers", "pins", "staging", "access"]
}

extension Hello: MemberObject {
  static var blank: Self { Self() }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.custom { (reader) throws(DepotError) in
      try readVersions(reader.required("protocol"))
      for (name, value) in try reader.optional("client")?.members().prefix(Self.clientMembers) ?? []
      {
        client[try Self.cut(name.string())] = try Self.cut(value.string())
      }
      if let options = reader.optional("options") { try read(options: options) }
    } write: { writer in
      writer.member("protocol")
      writer.raw("[\(versions.lowerBound),\(versions.upperBound)]".utf8)
      writer.member("client")
      writer.write(.object(client.mapValues(JSONValue.string)))
      if int64 == .string { writer.raw(",\"options\":{\"int64\":\"string\"}") }
    }
    try coder.value("want", &want, default: [])
    try coder.optional("container", &container)
    try coder.historyName("author", &author)
    try coder.historyName("process", &process)
    try coder.optional("access", &access)
  }

  private static let clientMembers = 16

  private static func cut(_ text: String) -> String {
    let end = text.utf8.index(text.startIndex, offsetBy: Limits.nameBytes, limitedBy: text.endIndex)
    return String(text.unicodeScalars[..<(end ?? text.endIndex)])
  }

  private mutating func readVersions(_ node: JSONNode) throws(DepotError) {
    let range = try node.elements()
    guard range.count == 2 else {
      throw DepotError(.hello, "\"protocol\" is the lowest and the highest version.")
        .at("/hello/protocol")
    }
    let (low, high) = (try range[0].int64(), try range[1].int64())
    guard 1 <= low, low <= high, high < 1 << 31 else {
      throw DepotError(.hello, "The versions must rise from at least 1.").at("/hello/protocol")
    }
    versions = Int(low)...Int(high)
  }

  private mutating func read(options node: JSONNode) throws(DepotError) {
    var options = try JSONObjectReader(node)
    if let name = try options.optionalString("int64") {
      guard let form = Int64Form(rawValue: name) else {
        throw DepotError(.hello, "\"int64\" is \"number\" or \"string\".")
          .at("/hello/options/int64")
      }
      int64 = form
    }
    try options.finish()
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
    raw("{\"hello\":")
    object(hello)
    raw("}")
  }
}
