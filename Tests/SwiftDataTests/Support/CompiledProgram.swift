import Foundation
import TestSupport

/// A program that is compiled with the modules that the tests were built with.
struct CompiledProgram {
  /// The status with which the compiler has ended.
  let status: Int32
  /// What the compiler has printed.
  let told: String
  private let folder: TemporaryFolder
  private var object: String { folder.url.path + "/main.o" }

  init(_ source: String, options: [String] = ["-swift-version", "6"]) throws {
    folder = try TemporaryFolder()
    let file = folder.url.appending(path: "main.swift")
    try source.write(to: file, atomically: true, encoding: .utf8)
    let compiled = try Program.run(
      [
        "swiftc", "-parse-as-library", "-Onone", "-c", file.path, "-o",
        folder.url.path + "/main.o",
      ] + options + Programs.moduleOptions + Programs.pluginOptions
    )
    status = compiled.status
    told = compiled.output + compiled.errors
  }

  /// Links the program and runs it with the engine inside.
  func run() throws -> Outcome {
    let program = folder.url.path + "/program"
    let linked = try Program.run(["swiftc", object, "-o", program] + Programs.linkOptions)
    if linked.status != 0 { return linked }
    return try Program.run([program], environment: ["DEPOT_EMBEDDED": "1"])
  }
}
