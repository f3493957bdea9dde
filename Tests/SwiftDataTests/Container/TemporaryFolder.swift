import Foundation
import Glibc

/// A folder that goes with this object, with stores that this process serves unless the environment says
/// otherwise.
final class TemporaryFolder {
  let url: URL

  init() throws {
    _ = Self.isEmbedded
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("depot-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// Where a store of a name is.
  func store(_ name: String = "a") -> URL { url.appendingPathComponent(name + ".store") }

  private static let isEmbedded = setenv("DEPOT_EMBEDDED", "1", 0) == 0

  deinit { try? FileManager.default.removeItem(at: url) }
}
