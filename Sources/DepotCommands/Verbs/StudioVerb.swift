internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol
internal import DepotStudio

/// `depot studio`, which shows the store in a browser.
enum StudioVerb {
  private static let port: OptionSpec =
    "--port N: listen on this port (default: one that is free)"
  private static let write: OptionSpec =
    "--write: let the page change the store; else the service refuses every change"
  private static let noOpen: OptionSpec = "--no-open: print the address and open no browser"

  static let verb = Verb(
    name: "studio",
    summary: "show the store in a browser",
    details: """
      It prints the address of a page with tables that change as programs save, relations, history, and the
      schema, and opens it if there is a display. Ctrl-C ends it. The address works once: it gives the
      browser a cookie, without which nothing is answered. For another browser, run the command again: it
      finds the first and prints a new address.

      It listens on 127.0.0.1 and ::1 only, and serves this user only. To look from another machine, with
      the same port on both:
        ssh -L 8020:127.0.0.1:8020 HOST depot studio --port 8020 --no-open
      """,
    examples: ["depot studio", "depot studio --write", "depot studio --port 8020 --no-open"],
    options: [port, write, noOpen]
  ) { session in
    let number = try session.invocation.number(port, minimum: 1) ?? 0
    guard let number = UInt16(exactly: number) else {
      throw DepotError(.usage, "--port takes a number of at most 65535.")
    }
    try session.require([.table, .json, .ndjson])
    // A missing service is an error of the command, not of the page.
    let connection = try session.connect()
    let store = try ServiceStatus(connection).store
    let door: StudioDoor?
    do throws(DepotError) {
      door = try StudioDoor(for: session.socket.path)
    } catch {
      return try showRunning(session, error)
    }
    defer { door?.close() }
    try run(session, port: number, store: String(store.split(separator: "/").last ?? ""), door)
  }

  private static func run(
    _ session: CommandSession,
    port: UInt16,
    store: String,
    _ door: StudioDoor?
  ) throws {
    let socket = session.socket
    let configuration = StudioConfiguration(
      port: port,
      allowsWrites: session.invocation.has(write),
      storeName: store,
      container: session.invocation.value(.container),
      author: session.author,
      diagram: { [container = session.invocation.value(.container)] in
        try diagram(socket, container)
      },
      connect: { Result { () throws(DepotError) in try socket.connectAtOnce() } }
    )
    let end = try attempt("There can be no more descriptors", .busy) { () throws(SystemError) in
      let end = try StudioEnd()
      try EndSignals.handle { _ in end.ask() }
      return end
    }
    let bridge = try StudioBridge(configuration, end: end)
    let address = bridge.makeAddress()
    let answer = Answer(address: address, allowsWrites: configuration.allowsWrites)
    session.say(
      "Depot Studio shows \(store)"
        + (answer.allowsWrites ? ", and may change it." : "; with --write it may change it.")
        + " The address works once; Ctrl-C ends it."
    )
    session.write(answer.json, orText: address)
    try session.finishOutput()
    open(address, session)
    try attempt("Depot Studio can't go on", .busy) { () throws(SystemError) in
      try bridge.run(besides: door.map { [$0.descriptor] } ?? []) { _ in
        door?.answer {
          Answer(address: bridge.makeAddress(), allowsWrites: configuration.allowsWrites).json.text
        }
      }
    }
  }

  /// Returns the diagram of the present schema, with the fingerprint by which a page knows that it fits.
  private static func diagram(_ socket: SocketPath, _ container: String?) throws -> String {
    let connection = try BlockingConnection(
      socket: socket,
      start: .never,
      name: "studio",
      container: container
    )
    let answer = try JSONValue(connection.send(.getSchema))
    let schema = try Schema(parsing: (answer["schema"] ?? .null).text.utf8)
    var members = SVGDiagram.json(DiagramGraph(schema))
    members["fingerprint"] = answer["fingerprint"]
    return JSONValue.object(members).text
  }

  /// The address of a running studio's page, and whether the page may write.
  private struct Answer {
    var address: String
    var allowsWrites: Bool

    init(address: String, allowsWrites: Bool) {
      self.address = address
      self.allowsWrites = allowsWrites
    }

    init?(_ text: String) {
      guard let value = try? JSONValue(parsing: text.utf8), let address = value["address"]?.string,
        case .bool(let allowsWrites)? = value["write"]
      else { return nil }
      (self.address, self.allowsWrites) = (address, allowsWrites)
    }

    var json: JSONValue {
      .object(["address": .string(address), "write": .bool(allowsWrites)])
    }
  }

  /// Prints a new address of a studio that is already running.
  private static func showRunning(_ session: CommandSession, _ refusal: DepotError) throws {
    guard let answer = StudioDoor.ask(for: session.socket.path).flatMap({ Answer($0) }) else {
      throw refusal.hint("It doesn't answer: end it, and run this again.")
    }
    let wantsWrite = session.invocation.has(write)
    guard answer.allowsWrites || !wantsWrite else {
      throw refusal.hint("It was started without --write: end it first, or use it to look.")
    }
    session.say(
      "\(refusal.message) This is a new address of it"
        + (answer.allowsWrites ? ", and it may change the store." : ".")
    )
    session.write(answer.json, orText: answer.address)
    try session.finishOutput()
    open(answer.address, session)
  }

  /// Opens an address in the user's browser, if there is a display.
  private static func open(_ address: String, _ session: CommandSession) {
    let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { Process.environment($0) != nil }
    guard hasDisplay, !session.invocation.has(noOpen), Process.isInPath("xdg-open") else { return }
    // Ctrl-C is for this program, and not for a browser that begins with it.
    let browser = try? ChildProcess(["xdg-open", address], output: .discarded, inOwnSession: true)
    guard let browser else { return }
    // It may last as long as the browser.
    try? Thread.start(name: "browser") { _ = browser.wait() }
  }
}
