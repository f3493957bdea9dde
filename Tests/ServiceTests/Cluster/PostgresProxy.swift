import TestSupport

/// A process between services and a server, which breaks a connection at a message.
///
/// Only connections in which services write count, and not those by which they hear news.
final class PostgresProxy: Sendable {
  /// The sender of the message that doesn't arrive.
  enum Side: String, CaseIterable, Sendable {
    case service
    case server
  }

  /// The folder of its socket, as the host in an address.
  let host: String
  private let folder: TemporaryFolder
  private let process: TestProcess

  /// Starts it, and waits until it listens.
  init(to cluster: TemporaryCluster) throws {
    folder = try TemporaryFolder()
    host = folder.path
    let name = "/.s.PGSQL.\(cluster.port)"
    process = try TestProcess(
      ["python3", "-c", Self.source, host + name, cluster.path + name],
      input: .connection,
      output: .connection
    )
    try expect("listening")
  }

  /// Has it break the connection instead of passing on the message with a number, counted from now on.
  func cut(_ side: Side, at number: Int) throws {
    try process.send("\(side.rawValue) \(number)")
    try expect("ready")
  }

  /// Has it break nothing any more, and returns whether it has broken a connection.
  func rest() throws -> Bool {
    try process.send("none 0")
    let answer = process.receive()
    if answer == "ready" { return false }
    guard answer == "cut" else { throw TestFailure("the proxy says \(answer ?? "nothing")") }
    try expect("ready")
    return true
  }

  private func expect(_ line: String) throws {
    let answer = process.receive()
    guard answer == line else { throw TestFailure("the proxy says \(answer ?? "nothing")") }
  }

  /// Messages are a type, a length, and so many bytes (postgresql.org/docs/current/protocol-message-formats.html).
  private static let source = """
    import socket, struct, sys, threading

    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen()
    lock = threading.Lock()
    wanted = ["none", 0]

    def say(line):
        print(line, flush=True)

    def is_due(side):
        with lock:
            if wanted[0] != side:
                return False
            wanted[1] -= 1
            if wanted[1] > 0:
                return False
            wanted[0] = "none"
            say("cut")
            return True

    def read(source, count):
        data = b""
        while len(data) < count:
            piece = source.recv(count - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def pump(side, source, target, counts):
        try:
            while True:
                head = read(source, 5)
                body = read(source, struct.unpack("!I", head[1:])[0] - 4)
                if counts and is_due(side):
                    break
                target.sendall(head + body)
        except (EOFError, OSError):
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def serve(service):
        server = socket.socket(socket.AF_UNIX)
        try:
            head = read(service, 4)
            body = read(service, struct.unpack("!I", head)[0] - 4)
            server.connect(sys.argv[2])
            server.sendall(head + body)
        except (EOFError, OSError):
            service.close()
            return
        counts = b"application_name\\0depotd\\0" in body
        for arguments in (("service", service, server, counts), ("server", server, service, counts)):
            threading.Thread(target=pump, args=arguments, daemon=True).start()

    def accept():
        while True:
            service, _ = listener.accept()
            threading.Thread(target=serve, args=(service,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    say("listening")
    for line in sys.stdin:
        side, number = line.split()
        with lock:
            wanted[:] = [side, int(number)]
            say("ready")
    """
}
