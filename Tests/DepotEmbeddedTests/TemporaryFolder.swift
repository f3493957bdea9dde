import Foundation
import Glibc

/// A folder with a short path that is removed with the last reference to it.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let number = String(UInt32.random(in: .min ... .max), radix: 36)
    path = "/tmp/depot-embed-\(getpid())-\(number)"
    try FileManager.default.createDirectory(
      atPath: path,
      withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o755]
    )
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }
}
