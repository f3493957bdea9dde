internal import DepotLinux
internal import DepotProtocol

/// A connection of a browser, with a session of the service if it has become a WebSocket.
///
/// Only the bridge's thread uses it.
final class BrowserConnection {
  /// The current use of the connection.
  enum Phase {
    /// HTTP requests; the bytes are the beginning of the next request.
    case requests([UInt8])
    case webSocket(WebSocketDecoder, ServiceLink)
    /// Its last bytes are sent; bytes that arrive are dropped.
    case ending
  }

  let number: Int64
  let descriptor: Descriptor
  var phase = Phase.requests([])
  var output = ByteQueue()
  /// Whether a request was admitted.
  var isAdmitted = false
  /// Whether the answer to its request is being drawn.
  var waitsForDiagram = false
  /// Whether the browser has received the end of the output.
  var isFinished = false
  /// The monotonic time at which it is closed, unless something happens before.
  var deadline: UInt64
  /// The operations that the loop waits for.
  var watched = EventLoop.Interest.reads

  init(_ number: Int64, _ descriptor: Descriptor, deadline: UInt64) {
    self.number = number
    self.descriptor = descriptor
    self.deadline = deadline
  }

  var link: ServiceLink? {
    if case .webSocket(_, let link) = phase { link } else { nil }
  }

  var isEnding: Bool {
    if case .ending = phase { true } else { false }
  }

  var isForRequests: Bool {
    if case .requests = phase { true } else { false }
  }

  /// The token of its events in the loop.
  var token: Int64 { number * 2 }
}

/// The connection to the service of one WebSocket.
final class ServiceLink {
  let descriptor: Descriptor
  var decoder = FrameDecoder(framing: .length)
  var output = ByteQueue()
  /// Whether the page's `hello` was sent to the service.
  var isGreeted = false
  var watched = EventLoop.Interest.reads

  init(_ descriptor: Descriptor) {
    self.descriptor = descriptor
  }

  /// Queues a frame.
  func append(_ frame: [UInt8]) {
    output.append { bytes in
      for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: frame.count >> shift)) }
      bytes.append(contentsOf: frame)
    }
  }
}

/// Rewrites the first message of a page.
enum PageHello {
  /// Returns the page's `hello`, limited to the access that the bridge allows.
  ///
  /// The frame is encoded from the parsed values, so that the service never sees the page's own text.
  ///
  /// - Returns: The frame; `nil` if the message isn't an object with a `hello`.
  static func limited(_ message: [UInt8], by configuration: StudioConfiguration) -> [UInt8]? {
    guard let frame = try? JSONValue(parsing: message), let members = frame.object,
      members.count == 1, var hello = members["hello"]?.object
    else { return nil }
    let reads = Operation.Privilege.read.rawValue
    let isModest = hello["access"]?.string == reads
    let access =
      configuration.allowsWrites && !isModest ? Operation.Privilege.write.rawValue : reads
    hello["access"] = .string(access)
    if let container = configuration.container, hello["container"] == nil {
      hello["container"] = .string(container)
    }
    if let author = configuration.author, hello["author"] == nil {
      hello["author"] = .string(author)
    }
    return Array(JSONValue.object(["hello": .object(hello)]).text.utf8)
  }
}
