internal import DepotLinux
internal import DepotProtocol

/// A connection of a browser, and the session with the service that it becomes with a WebSocket.
///
/// It lives on the bridge's thread.
final class BrowserConnection {
  /// The way that it is used.
  enum Phase {
    /// For requests; the bytes are the beginning of the next one.
    case requests([UInt8])
    case webSocket(WebSocketDecoder, ServiceLink)
    /// Its last bytes are sent, and what comes is dropped.
    case ending
  }

  let number: Int64
  let descriptor: Descriptor
  var phase = Phase.requests([])
  var output = ByteQueue()
  /// Whether a request was let in.
  var isAdmitted = false
  /// Whether the other side was told that nothing more comes.
  var isFinished = false
  /// When it ends unless something happens.
  var deadline: UInt64
  /// What the loop watches it for.
  var watched = (reads: true, writes: false)

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

  /// The number of its events.
  var token: Int64 { number * 2 }
}

/// A session with the service on behalf of one WebSocket.
final class ServiceLink {
  let descriptor: Descriptor
  var decoder = FrameDecoder(framing: .length)
  var output = ByteQueue()
  /// Whether the page's hello was passed on.
  var isGreeted = false
  var watched = (reads: true, writes: false)

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

/// The first message of a page.
enum PageHello {
  /// Returns the hello of a page with the access that the bridge allows it.
  ///
  /// What is sent is written anew from what was understood, so that nothing of the page's own text decides.
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
