internal import DepotLinux

extension PostgresConnection {
  /// The parameters that apply unless the address sets them.
  ///
  /// With them, a server that stops answering is noticed after 8 s.
  static let defaults = [
    "connect_timeout": "5", "keepalives_idle": "5", "keepalives_interval": "1",
    "keepalives_count": "3", "tcp_user_timeout": "8000",
  ]

  /// Connects to the first server that accepts the connection.
  ///
  /// libpq's own time limit for a host works only when it blocks, and hides the SQLSTATE.
  static func connect(
    _ values: [String: String],
    _ library: PostgresLibrary
  ) throws(PostgresError) -> OpaquePointer {
    var failures: [PostgresError] = []
    for server in PostgresAddress.servers(of: values) {
      do {
        return try connect(to: server, library)
      } catch {
        failures.append(error)
      }
    }
    // An error from a server is more useful than the news that another one is unreachable.
    var failure = failures.first { $0.kind != .unreachable } ?? failures[0]
    failure.message = failures.map(\.message).joined(separator: "; ")
    throw failure
  }

  private static func connect(
    to server: [String: String],
    _ library: PostgresLibrary
  ) throws(PostgresError) -> OpaquePointer {
    let handle = start(server, library)
    guard let handle else { throw PostgresError(.unreachable, "there is no memory") }
    // This adds the SQLSTATE to the message of an error.
    _ = library.setErrorVerbosity(handle, 2)
    _ = library.setNoticeReceiver(handle, { _, _ in }, nil)
    let seconds = server["connect_timeout"].flatMap { UInt64($0) } ?? 0
    let end = seconds > 0 ? Monotonic.now() + seconds * 1_000_000_000 : nil
    // PostgresPollingStatusType: 0 failed, 1 reading, 2 writing, 3 done.
    var step: Int32 = library.status(handle) == 1 ? 0 : 2
    while step == 1 || step == 2 {
      let socket = library.socket(handle)
      guard readiness(of: socket, writing: step == 2, reading: step == 1, until: end) != nil else {
        library.finish(handle)
        let host = server["host"] ?? server["hostaddr"] ?? "the server"
        throw PostgresError(.unreachable, "\(host) didn't answer within \(seconds) s")
      }
      step = library.connectPoll(handle)
    }
    guard step == 3, library.setnonblocking(handle, 1) == 0 else {
      defer { library.finish(handle) }
      throw failure(of: handle, library)
    }
    return handle
  }

  /// Starts to connect.
  ///
  /// The corresponding C function is `PQconnectStartParams`.
  private static func start(
    _ server: [String: String],
    _ library: PostgresLibrary
  ) -> OpaquePointer? {
    let texts = server.flatMap { [Array($0.key.utf8CString), Array($0.value.utf8CString)] }
    let bytes = texts.flatMap { $0 }
    return bytes.withUnsafeBufferPointer { bytes in
      var (place, pointers) = (0, [UnsafePointer<CChar>?]())
      for text in texts {
        pointers.append(bytes.baseAddress?.advanced(by: place))
        place += text.count
      }
      let keywords = stride(from: 0, to: pointers.count, by: 2).map { pointers[$0] } + [nil]
      let values = stride(from: 1, to: pointers.count, by: 2).map { pointers[$0] } + [nil]
      return library.connectStartParams(keywords, values, 0)
    }
  }

  /// Returns the error of a failed connection.
  private static func failure(
    of handle: OpaquePointer,
    _ library: PostgresLibrary
  ) -> PostgresError {
    let text = library.errorMessage(handle).map { String(cString: $0) } ?? ""
    // libpq's hint "Is the server running ..." doesn't help the reader.
    let lines = text.split(separator: "\n").filter {
      !$0.hasPrefix("LOCATION:") && !$0.hasPrefix("\tIs the server running")
    }
    let message = Array(lines.joined(separator: "\n").trimmed.utf8)
    // The message of a server: FATAL:  28P01: password authentication failed
    let place = message.indices.dropLast(9).first { index in
      message[index..<index + 3].elementsEqual(":  ".utf8)
        && message[index + 3..<index + 8].allSatisfy { $0.isCodeCharacter }
        && message[index + 8] == UInt8(ascii: ":")
    }
    guard let place else {
      let isAsking = library.connectionNeedsPassword(handle) != 0
      let kind: PostgresError.Kind = isAsking ? .authentication : .unreachable
      return PostgresError(kind, String(decoding: message, as: UTF8.self))
    }
    let state = String(decoding: message[place + 3..<place + 8], as: UTF8.self)
    let plain = message[..<(place + 3)] + message[(place + 10)...]
    let kind: PostgresError.Kind =
      switch state.prefix(2) {
      case "28": .authentication
      case "08", "53", "57", "58": .unreachable
      default: .refusedByServer(sqlState: state)
      }
    return PostgresError(kind, String(decoding: plain, as: UTF8.self), sqlState: state)
  }
}

extension UInt8 {
  /// Whether it may be in an SQLSTATE: a digit or a capital letter.
  fileprivate var isCodeCharacter: Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= self || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self
  }
}
