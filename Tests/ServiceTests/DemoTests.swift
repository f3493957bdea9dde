import Foundation
import Glibc
import TestSupport
import Testing

extension CommandTests {
  /// The program `depot-demo`, which leaves nothing behind however it ends.
  @Suite(.serialized) struct DemoTests {
    private let folder: TemporaryFolder
    private let environment: [String: String?]

    init() throws {
      folder = try TemporaryFolder()
      let catalogue = (1...40).map { number in
        """
        Package: package-\(number)
        Version: 1.\(number)
        Installed-Size: \(number * 10)
        Maintainer: Jane Doe <jane@example.org>
        Section: database
        Depends: package-\(number % 7)
        Description: the package of number \(number)


        """
      }
      let list = try folder.write(catalogue.joined(), to: "catalogue")
      let program = try folder.write("#!/bin/sh\ncat '\(list)'\n", to: "apt-cache")
      chmod(program, 0o755)
      environment = [
        "PATH": folder.path + ":/usr/local/bin:/usr/bin:/bin", "TMPDIR": folder.path + "/",
        "DEPOT_SOCKET": nil,
      ]
    }

    /// The folders that demos left.
    private var leftFolders: [String] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      return names.filter { $0.hasPrefix("depot-demo-") }
    }

    /// The services that run in the folders of demos.
    private func services() throws -> [Substring] {
      try Program.run(["pgrep", "-f", "depotd --socket \(folder.path)"]).lines
    }

    private func expectNothingLeft(_ comment: Comment) throws {
      #expect(leftFolders.isEmpty, comment)
      #expect(try services().isEmpty, comment)
    }

    @Test(arguments: ["--help", "-h"])
    func `it says what it does`(option: String) throws {
      let outcome = try Program.run([Programs.demo, option], environment: environment)
      #expect(outcome.status == 0)
      #expect(outcome.output.contains("Usage: depot-demo [--catalogue FOLDER]"))
      try expectNothingLeft("help")
    }

    @Test(arguments: [["x"], ["--catalogue"], ["--catalogue", "a", "b"], ["-v"]])
    func `what it doesn't know it refuses`(arguments: [String]) throws {
      let outcome = try Program.run([Programs.demo] + arguments, environment: environment)
      #expect(outcome.status == 64)
      #expect(outcome.output.isEmpty)
      #expect(outcome.errors.contains("hint: See: depot-demo --help"))
      try expectNothingLeft("arguments")
    }

    @Test func `it comes to its end, and leaves nothing behind`() throws {
      let outcome = try Program.run([Programs.demo], environment: environment)
      #expect(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
      #expect(outcome.output.contains("40 packages"))
      #expect(outcome.output.contains("$ depot stats"))
      try expectNothingLeft("end")
    }

    @Test func `it runs the commands that the README shows`() throws {
      let readme = try DocumentedExamplesTests.page("README.md")
      let block = try #require(
        DocumentedExamplesTests.blocks(of: "console", in: "Try it", of: readme).first
      )
      let shown = block.split(separator: "\n").filter { $0.hasPrefix("$ ") || $0.hasPrefix("    ") }
      #expect(shown.count >= 3)
      let outcome = try Program.run([Programs.demo], environment: environment)
      for line in shown { #expect(outcome.lines.contains(line), "\(line)\n\(outcome.output)") }
    }

    @Test(arguments: [1, 6, 40])
    func `a reader that ends early ends it quietly`(lines: Int) throws {
      let outcome = try Program.run(
        ["bash", "-c", "set -o pipefail; \"$1\" | head -\(lines)", "bash", Programs.demo],
        environment: environment
      )
      #expect(outcome.status == 141)
      // An import that ended before the reader did has reported its rows there.
      #expect(!outcome.errors.contains("error:"), "\(outcome.errors)")
      #expect(!outcome.errors.contains("depot-demo:"), "\(outcome.errors)")
      try expectNothingLeft("head -\(lines)")
    }

    @Test(
      arguments: [SIGINT, SIGTERM, SIGHUP],
      ["packages with", "$ depot schema apply", "ALL dependencies"]
    )
    func `a signal ends it, with its service`(signal: Int32, text: String) throws {
      let demo = try Program([Programs.demo], environment: environment)
      let service = try poll { try services().isEmpty ? nil : true }
      #expect(service == true)
      _ = poll { demo.output.contains(text) ? true : nil }
      demo.process.signal(signal)
      #expect(try demo.wait().status == 128 + signal)
      try expectNothingLeft("signal \(signal)")
    }

    @Test func `a program that fails ends it, with its service`() throws {
      // The full device can't be written to.
      let outcome = try Program.run(
        ["bash", "-c", "\"$1\" > /dev/full", "bash", Programs.demo],
        environment: environment
      )
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("depot-demo: "))
      try expectNothingLeft("error")
    }
  }
}
