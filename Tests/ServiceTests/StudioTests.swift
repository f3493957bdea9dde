import DepotClient
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// `depot studio` as a user runs it.
  @Suite(.serialized) struct StudioTests {
    /// A studio that runs, and ends with the last reference to it.
    private final class Studio {
      let program: Program
      let address: String
      let cookie: String
      let port: UInt16

      init(_ daemon: TestDaemon, _ options: String...) throws {
        program = try Program(
          [Programs.depot, "--socket", daemon.socket, "studio", "--no-open"] + options
        )
        let program = program
        let line = try poll {
          guard program.process.isRunning else { throw TestFailure(program.errors) }
          return program.output.hasSuffix("\n") ? program.output : nil
        }
        let answer = try JSONValue(parsing: try #require(line).utf8)
        address = try #require(answer["address"]?.string)
        port = UInt16(try #require(URL(string: address)?.port))
        cookie = try #require(try RawBrowser.cookie(of: address))
      }

      deinit { program.process.kill() }

      /// Opens a page and says hello.
      func page() throws -> RawBrowser {
        let page = try RawBrowser.webSocket(port: port, cookie: cookie)
        try page.say(#"{"hello":{"protocol":[1,1],"client":{"name":"page"}}}"#)
        guard try page.hearJSON()["welcome"] != nil else { throw TestFailure("no welcome") }
        return page
      }
    }

    private static let insertion = #"{"entity":"Item","columns":["name"],"rows":[["a"]]}"#

    @Test func `a page looks, and the service refuses what changes the store`() throws {
      let daemon = try TestDaemon()
      let studio = try Studio(daemon)
      #expect(studio.program.errors.contains("shows"))
      let page = try studio.page()
      #expect(try page.call(1, "count", #"{"entity":"Item"}"#)["ok"]?["count"]?.int64 == 0)
      let refused = try page.call(2, "insert", Self.insertion)
      #expect(refused["err"]?["code"]?.string == "permission.op")
      let answer = try RawBrowser(port: studio.port)
        .ask("/studio.json", ["Cookie": studio.cookie])
      let facts = try JSONValue(parsing: try #require(answer).body)
      let name = try daemon.storeName.split(separator: "/").last.map(String.init) ?? "-"
      #expect(
        facts
          == .object([
            "store": .string(name), "version": .string(ProtocolVersion.software),
            "write": .bool(false),
          ])
      )
    }

    @Test func `the diagram is that of the schema that the page has, also of another container`()
      throws
    {
      let daemon = try TestDaemon()
      func diagram(_ studio: Studio) throws -> (answer: JSONValue, schema: JSONValue) {
        let answer = try RawBrowser(port: studio.port)
          .ask("/diagram.json", ["Cookie": studio.cookie])
        let schema = try studio.page().call(1, "schema.get", "{}")["ok"] ?? .null
        return (try JSONValue(parsing: try #require(answer).body), schema)
      }
      let studio = try Studio(daemon)
      let (first, schema) = try diagram(studio)
      #expect(first["fingerprint"] == schema["fingerprint"] && schema["fingerprint"] != nil)
      let names = schema["schema"]?["entities"]?.array?.map { $0["name"] }
      #expect(first["boxes"]?.array?.map { $0["entity"] } == names)
      var larger = try #require(schema["schema"]?.object)
      let entities = larger["entities"]?.array ?? []
      let more = JSONValue.object([
        "name": .string("More"), "attributes": entities.first?["attributes"] ?? .null,
      ])
      larger["entities"] = .array(entities + [more])
      let args = JSONValue.object(["schema": .object(larger)]).text
      let defined = try daemon.depot(["call", "schema.define", args])
      #expect(defined.status == 0, "\(defined.errors)")
      let (second, later) = try diagram(studio)
      #expect(second["fingerprint"] == later["fingerprint"])
      #expect(second["fingerprint"] != first["fingerprint"])
      #expect(second["boxes"]?.array?.last?["entity"]?.string == "More")
      studio.program.process.kill()
      let holder = try daemon.connect()
      try holder.openContainer(ServiceTests.ContainerTests.shop)
      let (third, shop) = try diagram(Studio(daemon, "--container", "shop"))
      #expect(third["fingerprint"] == shop["fingerprint"] && shop["fingerprint"] != nil)
      #expect(third["boxes"]?.array?.map { $0["entity"]?.string } == ["Order", "Item"])
      daemon.kill()
    }

    @Test func `with --write it changes the store, but no more than a writer may`() throws {
      let daemon = try TestDaemon()
      let studio = try Studio(daemon, "--write")
      let page = try studio.page()
      #expect(try page.call(1, "insert", Self.insertion)["ok"] != nil)
      #expect(try page.call(2, "shutdown")["err"]?["code"]?.string == "permission.op")
      #expect(try daemon.depot(["count", "Item"]).output == "1\n")
    }

    @Test func `a second start says where the first runs, with an address that works`() throws {
      let daemon = try TestDaemon()
      let studio = try Studio(daemon)
      let second = try daemon.depot(["studio", "--no-open"])
      #expect(second.status == 0)
      #expect(second.errors.contains("process \(studio.program.process.identifier)"))
      let address = try #require(JSONValue(parsing: second.bytes)["address"]?.string)
      #expect(address.hasPrefix("http://127.0.0.1:\(studio.port)/"))
      #expect(address != studio.address)
      #expect(try RawBrowser.cookie(of: address) == studio.cookie)
      #expect(try RawBrowser.cookie(of: address) == nil, "it works once")
      let refused = try daemon.depot(["studio", "--write", "--no-open"])
      #expect(refused.status == 69)
      #expect(refused.errors.contains("started without --write"))
      let place = daemon.socket + ".studio"
      let attributes = try FileManager.default.attributesOfItem(atPath: place)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `Ctrl-C closes all pages and leaves nothing`() throws {
      let daemon = try TestDaemon()
      let studio = try Studio(daemon)
      let page = try studio.page()
      studio.program.process.signal(SIGINT)
      #expect(try page.hear()?.code == 1001)
      #expect(try studio.program.wait().status == 0)
      #expect(!FileManager.default.fileExists(atPath: daemon.socket + ".studio"))
      try expectSoon { try daemon.stats()["connections", "current"]?.int64 == 1 }
      let next = try Studio(daemon)
      #expect(try RawBrowser(port: next.port).ask("/", ["Cookie": studio.cookie])?.status == 401)
    }

    @Test func `pages go on after a restart of the service`() throws {
      let daemon = try TestDaemon()
      let studio = try Studio(daemon)
      let page = try studio.page()
      daemon.kill()
      #expect(try page.hear()?.code == 1012)
      let lost = try RawBrowser.webSocket(port: studio.port, cookie: studio.cookie)
      #expect(try lost.hear()?.code == 1013)
      try daemon.start()
      #expect(try studio.page().call(1, "count", #"{"entity":"Item"}"#)["ok"] != nil)
    }

    @Test func `ten thousand half-open connections don't keep the user out`() throws {
      let daemon = try TestDaemon()
      let studio = try Studio(daemon)
      let page = try studio.page()
      let script = """
        import resource, socket, sys
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        count = 10000 if hard == resource.RLIM_INFINITY else min(10000, hard - 50)
        resource.setrlimit(resource.RLIMIT_NOFILE, (count + 50, hard))
        port, kept, answers = int(sys.argv[1]), [], set()
        for number in range(count):
            kept.append(socket.create_connection(("127.0.0.1", port)))
            try:
                kept[-1].sendall(b"GET / HTTP/1.1\\r\\nHost:"[:number % 20])
            except OSError:
                pass
            if number % 1000 == 999 or number + 1 == count:
                with socket.create_connection(("127.0.0.1", port)) as user:
                    user.sendall((f"GET /studio.json HTTP/1.1\\r\\nHost: 127.0.0.1:{port}\\r\\n"
                                  f"Cookie: {sys.argv[2]}\\r\\n\\r\\n").encode())
                    answers.add(user.recv(4096).decode().split()[1])
        print(len(kept) > 500, answers)
        """
      let outcome = try Program.python(script, ["\(studio.port)", studio.cookie])
      #expect(outcome.output == "True {'200'}\n", "\(outcome.errors)")
      #expect(try page.call(1, "ping")["ok"] != nil)
    }

    @Test func `where there is a display, the address is opened out of reach of Ctrl-C`() throws {
      let daemon = try TestDaemon()
      let opened = daemon.folder.path + "/opened"
      let script =
        "#!/bin/sh\nps -o sid= -p $$ >\(opened).sid\necho \"$1\" >\(opened).new\nmv \(opened).new \(opened)\n"
      let browser = try daemon.folder.write(script, to: "xdg-open")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: browser)
      let path = daemon.folder.path + ":/usr/bin:/bin"
      for (display, isOpened) in [(nil, false), (":9", true)] as [(String?, Bool)] {
        let program = try Program(
          [Programs.depot, "--socket", daemon.socket, "studio"],
          environment: ["PATH": path, "DISPLAY": display, "WAYLAND_DISPLAY": nil]
        )
        let output = poll { program.output.hasSuffix("\n") ? program.output : nil }
        let address = try JSONValue(parsing: #require(output).utf8)["address"]?.string
        if isOpened {
          try expectSoon { FileManager.default.fileExists(atPath: opened) }
          #expect(try String(contentsOfFile: opened, encoding: .utf8) == "\(address ?? "-")\n")
          let session = try String(contentsOfFile: opened + ".sid", encoding: .utf8)
          #expect(
            Int32(session.trimmingCharacters(in: .whitespacesAndNewlines))
              != getsid(program.process.identifier)
          )
        }
        program.process.signal(SIGTERM)
        #expect(try program.wait().status == 0)
        #expect(FileManager.default.fileExists(atPath: opened) == isOpened)
      }
    }

    @Test func `without a service there is no studio`() throws {
      let folder = try TemporaryFolder()
      let outcome = try Program.run([Programs.depot, "--socket", folder.path + "/s", "studio"])
      #expect(outcome.status == 69)
      #expect(folder.names == [])
    }
  }
}
