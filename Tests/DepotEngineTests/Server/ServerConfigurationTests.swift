import DepotProtocol
import Foundation
import Testing

@testable import DepotServer

@Suite struct ServerConfigurationTests {
  /// Reads a file of settings that holds `text`.
  private func read(
    _ text: String,
    _ body: (inout ServerConfiguration, String) throws -> Void
  ) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try Data(text.utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    var configuration = ServerConfiguration()
    try body(&configuration, path)
  }

  @Test func `a file has a setting on each line, comments, and empty lines`() throws {
    let text = """
      # who may come in
      allow-uid 1000
      allow-uid\t1001   # and this one

        read-only-uid 1002\r
      slow-ms 7
      store /var/lib/de pot/x.sqlite
      log-format json
      """
    try read(text) { configuration, path in
      try configuration.read(file: path)
      #expect(configuration.access.allowedUsers == [1000, 1001])
      #expect(configuration.access.readOnlyUsers == [1002])
      #expect(configuration.slowMilliseconds == 7)
      #expect(configuration.storePath == "/var/lib/de pot/x.sqlite")
      #expect(configuration.logFormat == .json)
      #expect(configuration.file == path)
    }
  }

  @Test func `a byte order mark before the first setting is skipped`() throws {
    try read("\u{FEFF}slow-ms 7\ndrain-ms 8") { configuration, path in
      try configuration.read(file: path)
      #expect(configuration.slowMilliseconds == 7)
      #expect(configuration.drainMilliseconds == 8)
    }
  }

  @Test func `an equals sign may stand between a setting and its value`() throws {
    let text = """
      slow-ms = 7
      drain-ms=8  # soon
      max-connections =9
      socket= /run/a=b#c
      """
    try read(text) { configuration, path in
      try configuration.read(file: path)
      #expect(configuration.slowMilliseconds == 7)
      #expect(configuration.drainMilliseconds == 8)
      #expect(configuration.maximumConnections == 9)
      #expect(configuration.socketPath == "/run/a=b#c")
    }
  }

  @Test func `users and groups are named, or told by their numbers`() throws {
    let text = "allow-user root\nallow-user 1000\nallow-group root\nread-only-group 7"
    try read(text) { configuration, path in
      try configuration.read(file: path)
      #expect(configuration.access.allowedUsers == [0, 1000])
      #expect(configuration.access.allowedGroups == [0])
      #expect(configuration.access.readOnlyGroups == [7])
    }
  }

  @Test(arguments: ["allow-user", "allow-group", "read-only-user", "read-only-group"])
  func `a user or group that isn't there is refused by its name`(setting: String) {
    var configuration = ServerConfiguration()
    let error = #expect(throws: DepotError.self) {
      try configuration.apply(setting, "no-such-one")
    }
    #expect(error?.message.contains("\"no-such-one\"") == true)
    #expect(error?.hint?.contains("getent") == true)
  }

  @Test func `the help and the manual tell every setting, with its value`() {
    for setting in Setting.all {
      #expect(DaemonHelp.text(width: 80).contains("\n  --\(setting.name) \(setting.value)"))
      let name = setting.name.replacing("-", with: "\\-")
      #expect(DaemonHelp.manual.contains("\n.B \\-\\-\(name) \(setting.value)\n"))
    }
    for width in [60, 80, 120] {
      let lines = DaemonHelp.text(width: width).split(separator: "\n")
      #expect(lines.allSatisfy { $0.hasPrefix("  depotd ") || $0.count <= width })
    }
  }

  static let wrong = [
    ("\n\nslow-ms x\n", 3), ("slow-ms\n", 1), ("slow-ms -1", 1), ("allow-uid 4294967295", 1),
    ("# fine\nslow-mms 3", 2), ("log-format xml", 1), ("max-connections 0", 1),
    ("stall-ms 99", 1), ("config other", 1), ("= 7", 1), ("slow-ms = ", 1),
    ("\nallow-user nobody-here", 2), ("history-bytes 1000000000000G", 1),
    ("log-file-bytes 9000000000000000000", 1),
  ]

  @Test(arguments: wrong)
  func `a wrong setting names its line`(text: String, line: Int) throws {
    try read(text) { configuration, path in
      let error = #expect(throws: DepotError.self) { try configuration.read(file: path) }
      #expect(error?.code == .usage)
      #expect(error?.at == "\(path):\(line)")
    }
  }

  @Test func `a misspelt setting gets the nearest name`() {
    var configuration = ServerConfiguration()
    let error = #expect(throws: DepotError.self) { try configuration.apply("slow-mss", "1") }
    #expect(error?.hint?.contains("slow-ms") == true)
  }

  @Test func `a missing file is an error of its own`() {
    var configuration = ServerConfiguration()
    let error = #expect(throws: DepotError.self) { try configuration.read(file: "/nonexistent") }
    #expect(error?.code == .fileNotFound)
  }

  @Test func `a reload forgets who is no longer in the file`() throws {
    try read("allow-uid 1000\nslow-ms 5") { configuration, path in
      try configuration.read(file: path)
      try Data("allow-uid 1001\nslow-ms 6".utf8).write(to: URL(filePath: path))
      let fresh = try configuration.reloaded()
      #expect(fresh.access.allowedUsers == [1001])
      #expect(fresh.slowMilliseconds == 6)
    }
  }

  @Test func `a reload keeps who was let in by the arguments`() throws {
    try read("allow-uid 1000") { _, path in
      let arguments = ["depotd", "--allow-uid", "7", "--config", path, "--read-only-uid=8"]
      guard case .serve(let configuration) = try DaemonCommand.parse(arguments) else {
        return #expect(Bool(false))
      }
      #expect(configuration.access.allowedUsers == [7, 1000])
      try Data("allow-uid 1001".utf8).write(to: URL(filePath: path))
      let fresh = try configuration.reloaded()
      #expect(fresh.access.allowedUsers == [7, 1001])
      #expect(fresh.access.readOnlyUsers == [8])
    }
  }

  static let wrongArguments = [
    ["serve"], ["--socket"], ["--nonsense=1"], ["--slow-ms", "soon"], ["-v"],
  ]

  @Test(arguments: wrongArguments)
  func `wrong arguments are wrong usage`(arguments: [String]) {
    let error = #expect(throws: DepotError.self) {
      try DaemonCommand.parse(["depotd"] + arguments)
    }
    #expect(error?.code == .usage)
  }

  @Test func `a value may stand behind an equals sign or a space`() throws {
    let arguments = ["depotd", "--socket=/a=b", "--data", "/c", "--drain-ms=0"]
    guard case .serve(let configuration) = try DaemonCommand.parse(arguments) else {
      return #expect(Bool(false))
    }
    #expect(configuration.socketPath == "/a=b")
    #expect(configuration.storePath == "/c/depot.sqlite")
    #expect(configuration.drainMilliseconds == 0)
  }
}
