import Foundation
import TestSupport
import Testing

extension CommandTests {
  /// The arguments of programs beneath a library that was loaded before them.
  @Suite struct ArgumentsTests {
    /// A library that moves the environment before the program runs, as libfaketime does.
    private static let library = """
      #include <stdio.h>
      #include <stdlib.h>

      extern char **environ;

      // A name that is there already, as after another program, would move nothing.
      __attribute__((constructor)) static void grow(void) {
        int first = 0;
        while (environ[first]) first++;
        for (int number = first; number < first + 200; number++) {
          char name[32];
          snprintf(name, sizeof name, "DEPOT_TEST_%d", number);
          setenv(name, "1", 1);
        }
      }
      """

    private let folder: TemporaryFolder
    private let library: String

    init() throws {
      folder = try TemporaryFolder()
      library = folder.path + "/grow.so"
      let source = try folder.write(Self.library, to: "grow.c")
      let compiled = try Program.run(["cc", "-shared", "-fPIC", "-o", library, source])
      #expect(compiled.status == 0, "\(compiled.errors)")
    }

    private func run(_ command: [String]) throws -> Outcome {
      try Program.run(
        command,
        environment: [
          "LD_PRELOAD": library, "DEPOT_SOCKET": folder.path + "/s",
          "XDG_DATA_HOME": folder.path + "/data",
        ]
      )
    }

    @Test(arguments: [
      ([Programs.daemon, "--version"], "depotd "), ([Programs.depot, "--version"], "depot "),
      ([Programs.depot, "help", "service", "start"], "depot service start"),
      ([Programs.demo, "--help"], "Usage: depot-demo"),
    ])
    func `programs obey their arguments though a library has called setenv before`(
      command: [String],
      answer: String
    ) throws {
      let outcome = try run(command)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.contains(answer), "\(outcome.output)")
    }

    /// As programs are built for users; only there Swift's own list of arguments is empty.
    @Test(arguments: ["-Onone", "-O"])
    func `so does one with the runtime inside`(optimization: String) throws {
      let main = try folder.write(
        "enum Process {}\nprint(Process.arguments.dropFirst().joined(separator: \"|\"))\n",
        to: "main.swift"
      )
      let sources = Programs.root + "/Sources"
      let program = folder.path + "/program"
      let compiled = try Program.run([
        "swiftc", "-swift-version", "6", "-static-stdlib", optimization, "-package-name", "depot",
        "-I", sources + "/CDepotLinux", main, sources + "/DepotLinux/Process+Arguments.swift",
        "-o", program,
      ])
      #expect(compiled.status == 0, "\(compiled.errors)")
      #expect(try run([program, "--socket", "a b", ""]).output == "--socket|a b|\n")
    }
  }
}
