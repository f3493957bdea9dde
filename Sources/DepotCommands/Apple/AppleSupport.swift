internal import DepotLinux
internal import DepotProtocol

/// The folder beside a store of SwiftData or Core Data with large values in files of their own.
///
/// In the store such a value begins with a byte: 1 before the value itself, or 2 before the name of
/// a file.
struct AppleSupport {
  private static let valueLimit = 1 << 30
  private let folder: String

  /// Finds the folder of `default.store`, which is `.default_SUPPORT/_EXTERNAL_DATA` beside it.
  init(of store: String) {
    let slash = store.lastIndex(of: "/")
    let name = slash.map { store[store.index(after: $0)...] } ?? store[...]
    let base = name.lastIndex(of: ".").map { name[..<$0] } ?? name
    let before = slash.map { store[...$0] } ?? ""
    folder = "\(before).\(base)_SUPPORT/_EXTERNAL_DATA"
  }

  /// Whether there is such a folder.
  var exists: Bool { FileSystem.size(of: folder) != nil }

  /// The name of the file that a stored value is in; `nil` if it isn't in a file.
  static func name(_ stored: [UInt8]) -> String? {
    guard stored.count == 38, stored[0] == 2, stored[37] == 0 else { return nil }
    let name = stored[1..<37]
    let isName = name.enumerated().allSatisfy { place, byte in
      [8, 13, 18, 23].contains(place)
        ? byte == UInt8(ascii: "-") : Character(UnicodeScalar(byte)).isHexDigit
    }
    return isName ? String(decoding: name, as: UTF8.self) : nil
  }

  /// Returns a value that may be in a file.
  ///
  /// - Throws: ``DepotError`` `notfound.file` if the file isn't there.
  func value(of stored: [UInt8]) throws(DepotError) -> [UInt8] {
    guard let name = Self.name(stored) else {
      return stored.first == 1 ? Array(stored.dropFirst()) : stored
    }
    guard let bytes = FileSystem.contents(of: "\(folder)/\(name)", limit: Self.valueLimit) else {
      throw DepotError(.fileNotFound, "There is no file \(folder)/\(name), which has the value.")
        .hint("Copy that folder along with the store; its name begins with a point.")
    }
    return bytes
  }
}
