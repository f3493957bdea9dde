internal import DepotLinux
internal import DepotProtocol

/// Answers HTTP requests, and passes messages of WebSockets to the service.
extension StudioBridge {
  /// Handles the next request or message of a browser if there is room for its result; returns whether it did.
  func takeNext(_ connection: BrowserConnection) -> Bool {
    switch connection.phase {
    case .requests(let begun):
      // Answers are sent one after the other.
      guard connection.output.isEmpty, !connection.waitsForDiagram else { return false }
      return takeRequest(begun, connection)
    case .webSocket(let decoder, let link):
      guard link.output.count <= limits.waitingBytes,
        connection.output.count <= limits.waitingBytes
      else { return false }
      return takeMessage(decoder, link, connection)
    case .ending: return false
    }
  }

  private func takeRequest(_ begun: [UInt8], _ connection: BrowserConnection) -> Bool {
    do throws(HTTPFault) {
      guard let (request, count) = try HTTPRequest.first(in: begun[...]) else { return false }
      connection.phase = .requests(Array(begun[count...]))
      if let response = reply(to: request, connection) { answer(response, connection) }
    } catch {
      answer(HTTPResponse(error), connection)
    }
    return true
  }

  /// Queues an answer.
  func answer(_ response: HTTPResponse, _ connection: BrowserConnection) {
    connection.output.append { $0 += response.bytes }
    if response.closes { beginEnd(connection) }
  }

  /// Returns the answer to a request; `nil` if it is already queued, or being drawn.
  private func reply(to request: HTTPRequest, _ connection: BrowserConnection) -> HTTPResponse? {
    switch gate.judge(request) {
    case .refused(let status, let reason): return HTTPResponse(status, reason)
    case .exchanged(let cookie):
      guard isOwn(connection) else { return Self.foreign }
      connection.isAdmitted = true
      guard request.method == "GET" else { return Self.wrongMethod }
      return HTTPResponse(.seeOther).with("Location", "/").with("Set-Cookie", cookie)
    case .admitted:
      guard isOwn(connection) else { return Self.foreign }
      connection.isAdmitted = true
      return route(request, connection)
    }
  }

  /// The connection ends with it: an answer to HEAD has no body, and this has.
  private static let wrongMethod = HTTPResponse(
    HTTPFault(.methodNotAllowed, "Only GET is allowed.")
  ).with("Allow", "GET")
  private static let foreign = HTTPResponse(.forbidden, "This page is another user's.")

  /// Whether the other end is a program of this user or root.
  ///
  /// Another user may have seen the cookie, which alone isn't enough.
  private func isOwn(_ connection: BrowserConnection) -> Bool {
    if connection.isAdmitted { return true }
    let users = LoopbackPeer.users(of: connection.descriptor, port: port)
    return users.isSubset(of: [Process.user, 0])
  }

  /// Answers an admitted request.
  private func route(_ request: HTTPRequest, _ connection: BrowserConnection) -> HTTPResponse? {
    guard request.method == "GET" else { return Self.wrongMethod }
    switch request.path {
    case "/socket": return beginSocket(request, connection)
    case "/studio.json":
      let facts = JSONValue.object([
        "write": .bool(configuration.allowsWrites), "store": .string(configuration.storeName),
        "version": .string(ProtocolVersion.software),
      ])
      return HTTPResponse("application/json", Array(facts.text.utf8))
    case "/diagram.json": return awaitDiagram(connection)
    case let path:
      guard let file = page[path] else {
        return HTTPResponse(.notFound, "There is no such page.")
      }
      return HTTPResponse(file, to: request)
    }
  }

  private func beginSocket(
    _ request: HTTPRequest,
    _ connection: BrowserConnection
  ) -> HTTPResponse? {
    let response = WebSocketHandshake.answer(request)
    guard response.status == .switchingProtocols else { return response }
    let count = connections.values.lazy.filter { $0.link != nil }.count
    guard count < limits.webSockets else {
      return HTTPResponse(.unavailable, "\(limits.webSockets) pages are open already.")
    }
    guard case .requests(let begun) = connection.phase else { return response }
    connection.deadline = .max
    do throws(DepotError) {
      let link = ServiceLink(try configuration.connect().get())
      do throws(SystemError) {
        try loop.add(link.descriptor, token: connection.token + 1)
      } catch {
        throw DepotError(.busy, "\(error)")
      }
      var decoder = WebSocketDecoder(limit: limits.messageBytes)
      decoder.receive(begun)
      connection.phase = .webSocket(decoder, link)
      return response
    } catch {
      // A page receives a reason only with the end of the WebSocket.
      connection.output.append { bytes in
        bytes += response.bytes
        WebSocketFrame.append(close: 1013, error.message, to: &bytes)
      }
      beginEnd(connection)
      return nil
    }
  }

  /// Processes a message; returns whether there was one.
  private func takeMessage(
    _ decoder: consuming WebSocketDecoder,
    _ link: ServiceLink,
    _ connection: BrowserConnection
  ) -> Bool {
    // The decoder is now the only owner of the bytes, so that they aren't copied.
    connection.phase = .ending
    do throws(WebSocketDecoder.Fault) {
      let event = try decoder.next()
      connection.phase = .webSocket(decoder, link)
      guard let event else { return false }
      take(event, link, connection)
    } catch {
      connection.phase = .webSocket(decoder, link)
      goodbye(connection, error.code, error.reason)
    }
    return true
  }

  private func take(
    _ event: WebSocketDecoder.Event,
    _ link: ServiceLink,
    _ connection: BrowserConnection
  ) {
    switch event {
    case .text(let message):
      if link.isGreeted {
        link.append(message)
      } else if let hello = PageHello.limited(message, by: configuration) {
        link.isGreeted = true
        link.append(hello)
      } else {
        goodbye(connection, 1008, "The first message is hello.")
      }
    case .ping(let content):
      connection.output.append { WebSocketFrame.append(pong: content, to: &$0) }
    case .pong: break
    case .close(let code): goodbye(connection, code ?? 1000, "")
    }
  }

  /// Ends a WebSocket with a code and a reason, and its session with the service.
  func goodbye(_ connection: BrowserConnection, _ code: UInt16, _ reason: String) {
    if connection.isEnding { return }
    connection.output.append { WebSocketFrame.append(close: code, reason, to: &$0) }
    beginEnd(connection)
  }

  private func beginEnd(_ connection: BrowserConnection) {
    if let link = connection.link { loop.remove(link.descriptor) }
    connection.phase = .ending
    connection.deadline = moment(in: limits.endMilliseconds)
  }
}
