import Foundation

/// A folder with a short path that is removed with the last reference to it.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    let number = String(UInt32.random(in: .min ... .max), radix: 36)
    path = "/tmp/depot-test-\(ProcessInfo.processInfo.processIdentifier)-\(number)"
    try FileManager.default.createDirectory(
      atPath: path,
      withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o755]
    )
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The names of what is in it.
  package var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  /// Writes a file into the folder and returns its path.
  package func write(_ text: String, to name: String) throws -> String {
    let file = path + "/" + name
    try Data(text.utf8).write(to: URL(filePath: file))
    return file
  }
}
