import DepotProtocol
import Foundation

/// The test vectors that are part of the documentation of the protocol.
enum Vectors {
  /// The folder `proto-docs/vectors`.
  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "proto-docs/vectors")

  static func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appending(path: path)))
  }

  static func document(_ path: String) throws -> JSONValue {
    try JSONValue(parsing: bytes(path))
  }

  /// Returns the names of the files in a folder, in order.
  static func names(_ path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path).sorted()
  }
}
