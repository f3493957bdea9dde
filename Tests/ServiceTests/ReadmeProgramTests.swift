import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// The programs of the README and of the manual, each compiled and run as it stands there.
  @Suite struct ReadmeProgramTests {
    /// A program with the output that its page shows.
    struct ReadmeProgram: CustomTestStringConvertible, Sendable {
      var page: String
      var section: String
      /// A program of the package that is made of the same modules.
      var model: String

      var testDescription: String { "\(section) of \(page)" }

      /// Returns the program and its output.
      ///
      /// - Throws: An error if the section doesn't have a program behind any manifest, and its output.
      func blocks() throws -> (source: String, output: String) {
        let text = try DocumentedExamplesTests.page(page)
        let swift = DocumentedExamplesTests.blocks(of: "swift", in: section, of: text)
        let console = DocumentedExamplesTests.blocks(of: "console", in: section, of: text)
        let program = try #require(swift.last)
        try #require(swift.count <= 2 && console.count == 1)
        try #require(console[0].hasPrefix("$ swift run\n"))
        return (program, String(console[0].dropFirst("$ swift run\n".count)))
      }
    }

    @Test(arguments: [
      ReadmeProgram(page: "README.md", section: "Objects", model: "example-users"),
      ReadmeProgram(page: "README.md", section: "Values", model: "depot-demo"),
      ReadmeProgram(page: "Programs", section: "Objects", model: "example-users"),
      ReadmeProgram(page: "Programs", section: "Values", model: "depot-demo"),
    ])
    func `a program prints what its page says`(program: ReadmeProgram) throws {
      let (source, output) = try program.blocks()
      let folder = try TemporaryFolder()
      try source.write(toFile: folder.path + "/main.swift", atomically: true, encoding: .utf8)
      try Self.compile(
        folder.path + "/main.swift",
        to: folder.path + "/program",
        like: program.model
      )
      let environment = StartedService.environment(in: folder.path).merging([
        "PATH": "/usr/local/bin:/usr/bin:/bin", "DEPOT_DAEMON": Programs.daemon,
        "DEPOT_EMBEDDED": "0",
      ]) { $1 }
      defer { StartedService.end(at: StartedService.socket(in: folder.path)) }
      let first = try Program.run([folder.path + "/program"], environment: environment)
      #expect(first.output == output, "\(first.errors)")
      let second = try Program.run([folder.path + "/program"], environment: environment)
      #expect(second.status == 0, "a second run finds what the first one saved: \(second.errors)")
    }

    /// The steps of "Getting started", with a reader that runs while the other program saves.
    @Test func `the two programs of the tutorial share objects`() throws {
      let page = try DocumentedExamplesTests.page("GettingStarted")
      func blocks(_ language: String, _ section: String) -> [String] {
        DocumentedExamplesTests.blocks(of: language, in: section, of: page)
      }
      let folder = try TemporaryFolder()
      for (name, section) in [
        ("Shelf", "Step 2: a program that saves"), ("Reader", "Step 3: a program that observes"),
      ] {
        let path = try folder.write(try #require(blocks("swift", section).first), to: "main.swift")
        try Self.compile(path, to: folder.path + "/\(name)", like: "example-users")
      }
      let environment = StartedService.environment(in: folder.path).merging([
        "PATH": "\(Programs.folder):/usr/local/bin:/usr/bin:/bin", "DEPOT_DAEMON": Programs.daemon,
        "DEPOT_EMBEDDED": "0",
      ]) { $1 }
      defer { StartedService.end(at: StartedService.socket(in: folder.path)) }
      /// Runs a program for each line of a block that begins with `$ swift run`, and calls a function
      /// with the title of the saved book.
      func play(_ block: String, _ saved: (String) throws -> Void) throws {
        for part in ("\n" + block).components(separatedBy: "\n$ swift run ").dropFirst() {
          let lines = part.split(separator: "\n")
          var command = lines[0].split(separator: " ").map(String.init)
          command[0] = folder.path + "/" + command[0]
          let outcome = try Program.run(command, environment: environment)
          #expect(outcome.lines == Array(lines.dropFirst()), "\(outcome.errors)")
          try saved(command[1])
        }
      }
      try play(try #require(blocks("console", "Step 2: a program that saves").first)) { _ in }
      let consoles = blocks("console", "Step 4: both at once")
      try #require(consoles.count == 3 && consoles[0].hasPrefix("$ swift run Reader\n"))
      // Each line at once, though it writes no terminal.
      let reader = try Program(
        ["stdbuf", "-oL", folder.path + "/Reader"],
        environment: environment
      )
      let first = consoles[0].dropFirst("$ swift run Reader\n".count)
      try expectSoon("the reader shows the first book") { reader.output == first }
      try play(consoles[1]) { title in
        try expectSoon("the reader shows \(title)") { reader.output.contains(title) }
      }
      let outcome = try reader.wait()
      #expect(outcome.output == first + consoles[2], "\(outcome.errors)")
      let script = try #require(blocks("sh", "Step 5: look at the store").first)
      let looked = try Program.run(["bash", "-ec", script], environment: environment)
      #expect(looked.status == 0, "\(looked.errors)")
      #expect(looked.output.contains("Dune") && !looked.output.contains("\"Book/1\""))
    }

    /// Compiles a program with the modules that this test was built with.
    static func compile(
      _ sources: String...,
      to program: String,
      like model: String
    ) throws {
      let build = URL(filePath: Programs.besideTests("")).path
      let list = try String(
        contentsOfFile: build + "/\(model).product/Objects.LinkFileList",
        encoding: .utf8
      )
      let own = "/\(model.replacingOccurrences(of: "-", with: "_")).build/"
      let outcome = try Program.run(
        [
          "swiftc", "-swift-version", "6", "-gnone", "-o", program,
          "-load-plugin-executable", build + "/DepotMacroPlugin-tool#DepotMacroPlugin", "-lsqlite3",
        ] + sources + Programs.moduleOptions
          + list.split(separator: "\n").filter { !$0.contains(own) }.map(String.init)
      )
      try #require(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }
  }
}
