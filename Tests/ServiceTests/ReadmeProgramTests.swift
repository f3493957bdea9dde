import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// The README's programs, each compiled and run as it stands there.
  @Suite struct ReadmeProgramTests {
    /// A program and what the README says that it prints.
    struct ReadmeProgram: CustomTestStringConvertible, Sendable {
      /// The section of the README.
      var section: String
      /// A program of the package that is made of the same modules.
      var model: String

      var testDescription: String { section }

      /// - Throws: An error if the section doesn't have a manifest, a program, and its output.
      func blocks() throws -> (source: String, output: String) {
        let readme = try String(contentsOfFile: Programs.root + "/README.md", encoding: .utf8)
        let swift = DocumentedExamplesTests.blocks(of: "swift", in: section, of: readme)
        let console = DocumentedExamplesTests.blocks(of: "console", in: section, of: readme)
        try #require(swift.count == 2 && console.count == 1)
        try #require(console[0].hasPrefix("$ swift run\n"))
        return (swift[1], String(console[0].dropFirst("$ swift run\n".count)))
      }
    }

    @Test(arguments: [
      ReadmeProgram(section: "Objects", model: "example-users"),
      ReadmeProgram(section: "Values", model: "depot-demo"),
    ])
    func `a program prints what the README says`(program: ReadmeProgram) throws {
      let (source, output) = try program.blocks()
      let folder = try TemporaryFolder()
      try source.write(toFile: folder.path + "/main.swift", atomically: true, encoding: .utf8)
      try compile(folder.path + "/main.swift", to: folder.path + "/program", like: program.model)
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

    /// Compiles a program with the modules that this test was built with.
    private func compile(_ source: String, to program: String, like model: String) throws {
      let build = URL(filePath: Programs.besideTests("")).path
      let list = try String(
        contentsOfFile: build + "/\(model).product/Objects.LinkFileList",
        encoding: .utf8
      )
      let own = "/\(model.replacingOccurrences(of: "-", with: "_")).build/"
      let outcome = try Program.run(
        [
          "swiftc", "-swift-version", "6", "-gnone", source, "-o", program,
          "-load-plugin-executable", build + "/DepotMacroPlugin-tool#DepotMacroPlugin", "-lsqlite3",
        ] + Programs.moduleOptions
          + list.split(separator: "\n").filter { !$0.contains(own) }.map(String.init)
      )
      try #require(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    }
  }
}
