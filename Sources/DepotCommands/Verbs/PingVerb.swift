internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// `depot ping`: whether the service answers.
enum PingVerb {
  static let verb = Verb(
    name: "ping",
    summary: "see whether the service answers",
    details: "It never starts a service. The exit status is 0 if one answers, else 69.",
    examples: ["depot ping", "depot ping && echo there"]
  ) { session in
    let connection = try session.connect(mayStart: false)
    let start = Monotonic.now()
    try connection.ping()
    let microseconds = (Monotonic.now() - start) / 1000
    session.write(
      .object(["microseconds": .int64(Int64(microseconds))]),
      orText: "The service at \(session.socket.path) answered in \(microseconds) µs."
    )
  }
}
