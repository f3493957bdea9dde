import Foundation
import TestSupport
import Testing

/// The package as others take it in.
@Suite(.serialized) struct PackageTests {
  /// The page of the manual with the packages of users' programs.
  private static let page =
    (try? String(
      contentsOfFile: Programs.root + "/Sources/Manual/Depot.docc/Programs.md",
      encoding: .utf8
    )) ?? ""

  @Test func `the manual and the changelog are of the version that programs tell`() throws {
    let version = try Self.version
    let changes = try String(contentsOfFile: Programs.root + "/CHANGELOG.md", encoding: .utf8)
    #expect(changes.contains("\n## \(version) "))
    #expect(Self.page.contains("from: \"\(version)\""))
    let daemon = try Program.run([Programs.daemon, "--version"]).output
    #expect(daemon.hasPrefix("depotd \(version)"))
  }

  @Test func `programs tell the commit that they were made of, and make passes it`() throws {
    let daemon = try Program.run([Programs.daemon, "--version"]).output
    let depot = try Program.run([Programs.depot, "--version"]).output
    #expect(daemon.dropFirst("depotd".count) == depot.dropFirst("depot".count))
    #expect(depot.wholeMatch(of: /depot [0-9.]+( \([0-9a-f]{12,}\))?\n/) != nil, "\(depot)")
    let isClone = FileManager.default.fileExists(atPath: Programs.root + "/.git")
    if Programs.areRelease, isClone { #expect(depot.contains("(")) }
    // Without git, or in a folder that isn't a clone, there is none.
    for (path, isEmpty) in [(Programs.root, !isClone), ("/", true)] {
      let plan = try Program.run(
        ["make", "-n", "-C", Programs.root, "install", "CURDIR=\(path)"],
        environment: ["MAKEFLAGS": nil, "MAKELEVEL": nil]
      )
      #expect(plan.output.contains("DEPOT_COMMIT=\"\" ") == isEmpty, "\(plan.output)\(plan.errors)")
    }
  }

  @Test func `only the macros are built for the compiler's own machine`() throws {
    let folder = URL(filePath: Programs.besideTests("")).deletingLastPathComponent()
      .deletingLastPathComponent()
    let plan = try String(contentsOf: folder.appending(path: "debug.yaml"), encoding: .utf8)
    let modules = plan.matches(of: /"C\.([A-Za-z]+)-[^"]*-tool\.module"/).map { String($0.1) }
    #expect(Set(modules) == ["DepotMacros", "DepotMacroPlugin"])
  }

  @Test func `make installs all the Debian packages that are missing at once`() throws {
    let folder = try TemporaryFolder()
    let asked = folder.path + "/asked"
    // A machine that has none of them.
    for (name, text) in [
      ("dpkg-query", "exit 1"), ("sudo", "exec \"$@\""),
      ("apt-get", "[ $1 = install ] && printf '%s\\n' \"$@\" >\(asked); exit 0"),
    ] {
      let path = try folder.write("#!/bin/sh\n\(text)\n", to: name)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let outcome = try Program.run(
      ["make", "-C", Programs.root, "deps"],
      environment: ["PATH": "\(folder.path):\(path)", "MAKEFLAGS": nil, "MAKELEVEL": nil]
    )
    #expect(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
    #expect(outcome.output.contains("Installing Debian packages: libsqlite3-dev libjson-c-dev\n"))
    let packages = try String(contentsOfFile: asked, encoding: .utf8).split(separator: "\n")
    #expect(packages.suffix(2) == ["libsqlite3-dev", "libjson-c-dev"])
  }

  /// Takes minutes, so `make test-long` runs it.
  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["DEPOT_LONG"] != nil),
    arguments: [("Objects", true), ("Objects", false), ("Values", false)]
  )
  func `a package of the manual builds with a tagged version`(
    section: String,
    hasEngine: Bool
  ) throws {
    let folder = try TemporaryFolder()
    let clone = folder.path + "/depot"
    try run(["git", "clone", "-q", Programs.root, clone])
    try run(["git", "-C", clone, "tag", Self.version])
    let parts = Self.page.components(separatedBy: "\n## ").first { $0.hasPrefix(section + "\n") }
    let blocks = (parts ?? "").components(separatedBy: "```swift\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
    try #require(blocks.count == 2)
    let name = try #require(blocks[0].firstMatch(of: /name: "(\w+)"/)).1
    let package = folder.path + "/\(name)"
    let program = package + "/Sources/\(name)"
    try FileManager.default.createDirectory(atPath: program, withIntermediateDirectories: true)
    let traits = hasEngine ? "" : ", traits: []"
    let manifest = blocks[0].replacing(", traits: []", with: "").replacing(
      "path: \"../depot\"",
      with: "url: \"file://\(clone)\", from: \"\(try Self.version)\"" + traits
    )
    try manifest.write(toFile: package + "/Package.swift", atomically: true, encoding: .utf8)
    try blocks[1].write(toFile: program + "/main.swift", atomically: true, encoding: .utf8)
    try run(["env", "-u", "DEPOT_OPTIMIZED", "swift", "build", "--package-path", package])
    let built = try FileManager.default.contentsOfDirectory(atPath: package + "/.build/debug")
      .filter { folder in
        folder.hasSuffix(".build")
          && FileManager.default.enumerator(atPath: "\(package)/.build/debug/\(folder)")?
            .contains { ($0 as? String)?.hasSuffix(".o") == true } == true
      }
    #expect(!built.contains { $0.hasPrefix("depot") || $0.hasPrefix("example") }, "\(built)")
    #expect(built.contains("DepotEngine.build") == hasEngine, "\(built)")
    let environment = StartedService.environment(in: folder.path).merging([
      "PATH": "/usr/local/bin:/usr/bin:/bin", "DEPOT_DAEMON": Programs.daemon,
      "DEPOT_EMBEDDED": "0",
    ]) { $1 }
    defer { StartedService.end(at: StartedService.socket(in: folder.path)) }
    let outcome = try Program.run(["\(package)/.build/debug/\(name)"], environment: environment)
    #expect(outcome.status == 0, "\(outcome.errors)")
    guard section == "Objects", !hasEngine else { return }
    let alone = try Program.run(
      ["\(package)/.build/debug/\(name)"],
      environment: environment.merging(["DEPOT_EMBEDDED": "1"]) { $1 }
    )
    #expect(alone.status != 0)
    #expect(alone.errors.contains("built without the engine"))
  }

  private static var version: String {
    get throws {
      let words = try Program.run([Programs.depot, "--version"]).output.split { " \n".contains($0) }
      return String(try #require(words.dropFirst().first))
    }
  }

  private func run(_ command: [String]) throws {
    let outcome = try Program.run(command, within: .seconds(1500))
    try #require(outcome.status == 0, "\(command): \(outcome.output)\(outcome.errors)")
  }
}
