/// The address of a database in a cluster: a connection string of libpq, or a URI.
///
/// For example `host=/run/postgresql dbname=app`, or `postgresql://app@db1,db2/app?target_session_attrs=read-write`.
package struct PostgresAddress: Sendable {
  /// The parameters of libpq that the address sets, by their keywords.
  package let values: [String: String]
  /// Whether it contains a password.
  package let containsPassword: Bool

  /// Parses an address.
  ///
  /// The corresponding C function is `PQconninfoParse`.
  ///
  /// - Throws: ``PostgresError`` of the kind `invalidAddress`, or `missingLibrary`.
  package init(parsing text: String) throws(PostgresError) {
    let library = try PostgresLibrary.shared.get()
    var reason: UnsafeMutablePointer<CChar>?
    let isText = !text.containsNull
    guard isText, let options = library.conninfoParse(text, &reason) else {
      defer { library.freemem(reason) }
      // The message may quote a part of the address, and so of a password.
      let words = text.lowercased().split { !$0.isLetter }
      let isSecret = text.contains("@") || words.contains { $0.hasSuffix("password") }
      let detail = isSecret ? nil : reason.map { ": " + String(cString: $0).trimmed }
      throw PostgresError(
        .invalidAddress,
        "the address is no connection string of PostgreSQL like \"host=db1 dbname=app\""
          + " and no URI like postgresql://app@db1/app\(detail ?? "")"
      )
    }
    defer { library.conninfoFree(options) }
    var values: [String: String] = [:]
    var containsPassword = false
    // The fields of a PQconninfoOption: keyword, envvar, compiled, val, label, dispchar, dispsize.
    var fields = options.assumingMemoryBound(to: UnsafePointer<CChar>?.self)
    while let keyword = fields[0] {
      if let value = fields[3] {
        values[String(cString: keyword)] = String(cString: value)
        // libpq marks values that must not be shown, such as passwords, with an asterisk.
        if let display = fields[5], display.pointee == CChar(0x2A) { containsPassword = true }
      }
      fields += 7
    }
    self.values = values
    self.containsPassword = containsPassword
  }

  /// The servers to try one after the other, each with all parameters to connect to it.
  ///
  /// It has one element with all servers if libpq must choose among them.
  static func servers(of values: [String: String]) -> [[String: String]] {
    let parts = ["host", "hostaddr", "port"].map { name in
      (name, (values[name] ?? "").split(separator: ",", omittingEmptySubsequences: false))
    }
    let count = max(parts[0].1.count, parts[1].1.count)
    let isChoice =
      values["target_session_attrs"] == "prefer-standby"
      || values["load_balance_hosts"].map { $0 != "disable" } ?? false
    guard count > 1, !isChoice, parts.allSatisfy({ $0.1.count == count || $0.1.count == 1 }) else {
      return [values]
    }
    return (0..<count).map { index in
      var server = values
      for (name, part) in parts where values[name] != nil {
        server[name] = String(part.count == 1 ? part[0] : part[index])
      }
      return server
    }
  }
}

extension PostgresAddress: CustomStringConvertible {
  /// The address as a URI with only the hosts, ports, database, user, and service.
  package var description: String {
    let hosts = (values["host"] ?? values["hostaddr"] ?? "").split(
      separator: ",",
      omittingEmptySubsequences: false
    )
    let ports = (values["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
    var result = "postgresql://" + (values["user"].map { $0.escaped + "@" } ?? "")
    // In the authority of a URI, socket paths can't be distinguished from host names.
    let isPath = hosts.contains { $0.hasPrefix("/") || $0.hasPrefix("@") }
    if !isPath {
      result += hosts.enumerated().map { index, host in
        let port = ports.count == 1 ? ports[0] : ports.indices ~= index ? ports[index] : ""
        let name = host.contains(":") ? "[\(host)]" : String(host).escaped
        return name + (port.isEmpty ? "" : ":\(port)")
      }.joined(separator: ",")
    }
    result += values["dbname"].map { "/" + $0.escaped } ?? (isPath ? "/" : "")
    if isPath {
      result += "?host=" + hosts.map { String($0).escaped }.joined(separator: ",")
      result += values["port"].map { "&port=" + $0 } ?? ""
    }
    if let service = values["service"] {
      result += (isPath ? "&" : "?") + "service=" + service.escaped
    }
    return result
  }
}

extension String {
  /// The text with all characters percent-encoded that have a special meaning in URIs.
  fileprivate var escaped: String {
    utf8.map { byte in
      let isPlain =
        (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z"))
        || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")) || "-._~/".utf8.contains(byte)
      let digits = String(byte, radix: 16, uppercase: true)
      return isPlain
        ? String(UnicodeScalar(byte)) : "%" + (digits.utf8.count < 2 ? "0" : "") + digits
    }.joined()
  }

  /// The lines of a message of libpq, joined into one.
  var trimmed: String {
    split(separator: "\n").map { $0.drop { $0 == "\t" } }.joined(separator: "; ")
  }
}
