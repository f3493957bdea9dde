import DepotProtocol
import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// What Ctrl-C does to a write of the command line program.
  @Suite(.serialized) struct InterruptTests {
    /// A service that waits for a write, interrupts the program that sent it, and then does what it
    /// is told to when the write is cancelled.
    private static let service = """
      import json, os, signal, socket, struct, subprocess, sys
      path, depot, behaviour, verb = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
      listener = socket.socket(socket.AF_UNIX)
      listener.bind(path)
      listener.listen(1)
      # The tests' threads block signals, and what they start inherits that.
      signal.pthread_sigmask(signal.SIG_SETMASK, [])
      program = subprocess.Popen([depot, "--socket", path, "--no-start"] + verb,
                                 stdin=subprocess.DEVNULL)
      connection, _ = listener.accept()
      def receive():
          size = struct.unpack(">I", connection.recv(4, socket.MSG_WAITALL))[0]
          return json.loads(connection.recv(size, socket.MSG_WAITALL))
      def send(value):
          data = json.dumps(value).encode()
          connection.sendall(struct.pack(">I", len(data)) + data)
      assert "hello" in receive()
      send({"welcome": {"protocol": 1, "connection": 1, "server": {"name": "x"}, "features": [],
                        "limits": {}}})
      schema = {"entities": [{"name": "Item", "attributes": [{"name": "name", "type": "string"}]}]}
      while True:
          call = receive()
          if call["call"] == "schema.get":
              send({"id": call["id"], "ok": {"schema": schema, "fingerprint": "x", "hashes": {}}})
          else:
              break
      program.send_signal(signal.SIGINT)
      calls = [call]
      frame = receive()
      # An import sends the next batch before it waits for the answer to this one.
      while "call" in frame:
          calls.append(frame)
          frame = receive()
      assert frame == {"id": call["id"], "cancel": True}
      if behaviour == "applied":
          for call in calls:
              send({"id": call["id"], "ok": {"inserted": 1, "updated": 0, "skipped": 0, "ids": [7]}})
      elif behaviour == "refused":
          send({"id": call["id"], "err": {"code": "cancelled.by_client", "message": "Cancelled.",
                                          "retry": "no", "effect": "none"}})
      elif behaviour == "lost":
          connection.close()
      else:
          program.send_signal(signal.SIGINT)
      sys.exit(program.wait())
      """

    private func interrupt(_ behaviour: String, _ verb: String...) throws -> Outcome {
      let folder = try TemporaryFolder()
      return try Program.python(
        Self.service,
        [folder.path + "/s", Programs.depot, behaviour] + verb
      )
    }

    @Test func `a write that was stored before its interruption is told, with its result`() throws {
      let outcome = try interrupt("applied", "insert", "Item", "name=x")
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output == #"{"$id":"Item/7"}"# + "\n")
      #expect(outcome.errors == "The interruption came too late: the change is stored.\n")
    }

    @Test func `a write that was cancelled is told to be not stored`() throws {
      let outcome = try interrupt("refused", "insert", "Item", "name=x")
      #expect(outcome.status == 130)
      #expect(
        outcome.errors.contains("cancelled.by_client: The interruption came before"),
        "\(outcome.errors)"
      )
      #expect(outcome.output.isEmpty)
    }

    @Test func `without an answer nobody knows`() throws {
      let outcome = try interrupt("lost", "insert", "Item", "name=x")
      #expect(outcome.status == 69)
      #expect(outcome.errors.contains("Nobody knows whether"), "\(outcome.errors)")
    }

    @Test func `a second interruption ends the program at once`() throws {
      let outcome = try interrupt("silent", "insert", "Item", "name=x")
      #expect(outcome.status == 130)
    }

    @Test func `an import ends behind the batches that were sent when it was interrupted`() throws {
      let folder = try TemporaryFolder()
      let lines = ["a", "b", "c"].map { "{\"name\":\"\($0)\"}\n" }.joined()
      let file = try folder.write(lines, to: "items.ndjson")
      let outcome = try interrupt("applied", "import", "Item", file, "--batch", "1")
      #expect(outcome.status == 130)
      // The second may have been sent before the interruption came.
      let isTold = ["1 row before it was stored", "2 rows before it were stored"].contains {
        outcome.errors.contains($0)
      }
      #expect(isTold, "\(outcome.errors)")
    }

    @Test(arguments: ["--batch 1", "--batch 1 --map label=name"])
    func `an import that is interrupted while it waits for more tells how many rows it stored`(
      options: String
    ) throws {
      let daemon = try TestDaemon()
      let script = """
        import signal, subprocess, sys
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        depot = [sys.argv[1], "--socket", sys.argv[2], "--no-start"]
        program = subprocess.Popen(depot + ["import", "Item", "-"] + sys.argv[3:], stdin=subprocess.PIPE)
        name = b"label" if "--map" in sys.argv else b"name"
        for number in b"123":
            program.stdin.write(b'{"%s":"%c"}\\n' % (name, number))
            program.stdin.flush()
        def count():
            return int(subprocess.run(depot + ["count", "Item"], capture_output=True, check=True).stdout)
        while count() < 3: pass
        program.send_signal(signal.SIGINT)
        sys.exit(program.wait())
        """
      let arguments =
        [Programs.depot, daemon.socket] + options.split(separator: " ").map(String.init)
      let outcome = try Program.python(script, arguments)
      #expect(outcome.status == 130)
      #expect(outcome.errors.contains("3 rows before it were stored."), "\(outcome.errors)")
    }

    @Test func `an argument that isn't UTF-8 is refused, and stores nothing`() throws {
      let daemon = try TestDaemon()
      let depot = "\(Programs.depot) --socket \(daemon.socket)"
      let outcome = try Program.run([
        "sh", "-c", "\(depot) insert Item name=\"$(printf 'caf\\351')\"",
      ])
      #expect(outcome.status == 64, "\(outcome.errors)")
      #expect(outcome.errors.contains("isn't UTF-8"), "\(outcome.errors)")
      #expect(try daemon.depot(["count", "Item"]).output == "0\n")
      // It may be what somebody means.
      #expect(try daemon.depot(["insert", "Item", "name=\u{FFFD}"]).status == 0)
    }

    @Test func `an update in chunks tells how far it came`() throws {
      let daemon = try TestDaemon()
      try daemon.connect().fill(50_000)
      let script = """
        import signal, subprocess, sys, time
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        depot = [sys.argv[1], "--socket", sys.argv[2], "--no-start"]
        program = subprocess.Popen(depot + ["call", "update",
            '{"entity":"Item","set":{"text":"new"},"where":"n >= 0","chunk":1}'])
        def count():
            return int(subprocess.run(depot + ["count", "Item", "--where", "text == 'new'"],
                                      capture_output=True, check=True).stdout)
        while count() == 0: pass
        program.send_signal(signal.SIGINT)
        status = program.wait()
        print(count())
        sys.exit(status)
        """
      let outcome = try Program.python(script, [Programs.depot, daemon.socket])
      #expect(outcome.status == 130)
      let count = try #require(outcome.lines.last.flatMap { Int($0) })
      #expect(count > 0 && count < 50_000)
      #expect(outcome.errors.contains("Chunks with \(count) row"), "\(outcome.errors)")
    }
  }
}
