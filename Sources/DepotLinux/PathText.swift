internal import CDepotLinux
internal import Glibc

/// Paths as Swift strings, even if their bytes aren't UTF-8.
///
/// A file's name may be any bytes. Each byte of an argument that isn't UTF-8 becomes a scalar at
/// the end of Unicode's private-use range, and becomes the byte again when a file at the path is
/// opened.
package enum PathText {
  /// The scalar that represents the byte 0.
  private static let first: UInt32 = 0x10FF00

  /// Whether an argument of this program isn't UTF-8; otherwise no path contains such scalars.
  private static let isNeeded: Bool = {
    let start = depot_noted_start()
    return (0..<Int(start.count)).contains { index in
      start.arguments[index].map { String(validatingCString: $0) == nil } ?? false
    }
  }()

  /// This program's arguments as paths, including bytes that aren't UTF-8.
  package static var arguments: [String] {
    let start = depot_noted_start()
    return (0..<Int(start.count)).compactMap { index in
      start.arguments[index].map { text(ofArgument: $0) }
    }
  }

  /// Returns an argument as a string.
  static func text(ofArgument argument: UnsafePointer<CChar>) -> String {
    if let text = String(validatingCString: argument) { return text }
    let bytes = UnsafeRawBufferPointer(start: argument, count: strlen(argument))
    var text = String.UnicodeScalarView()
    var rest = bytes[...]
    while let byte = rest.first {
      var iterator = rest.makeIterator()
      let length = 0xF0 <= byte ? 4 : 0xE0 <= byte ? 3 : 0xC0 <= byte ? 2 : 1
      var decoder = UTF8()
      if case .scalarValue(let scalar) = decoder.decode(&iterator) {
        text.append(scalar)
        rest = rest.dropFirst(length)
      } else {
        text.append(Unicode.Scalar(first + UInt32(byte)) ?? "\u{FFFD}")
        rest = rest.dropFirst()
      }
    }
    return String(text)
  }

  /// Whether a string represents bytes that aren't UTF-8.
  package static func isForeign(_ text: String) -> Bool {
    isNeeded && text.unicodeScalars.contains { byte($0) != nil }
  }

  /// Whether the path of the current folder isn't UTF-8.
  package static var isFolderForeign: Bool {
    guard let path = getcwd(nil, 0) else { return false }
    defer { free(path) }
    return String(validatingCString: path) == nil
  }

  /// Returns a string with a question mark in place of each byte that isn't UTF-8.
  package static func shown(_ text: String) -> String {
    guard isForeign(text) else { return text }
    return text.unicodeScalars.map { byte($0) == nil ? String($0) : "?" }.joined()
  }

  private static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
    first + 0x80...first + 0xFF ~= scalar.value ? UInt8(scalar.value - first) : nil
  }

  /// Calls `body` with the bytes of a path.
  static func withBytes<Result>(
    _ path: String,
    _ body: (UnsafePointer<CChar>) -> Result
  ) -> Result {
    guard isForeign(path) else { return path.withCString(body) }
    var bytes: [CChar] = []
    for scalar in path.unicodeScalars {
      if let byte = byte(scalar) {
        bytes.append(CChar(bitPattern: byte))
      } else {
        bytes += String(scalar).utf8.map { CChar(bitPattern: $0) }
      }
    }
    bytes.append(0)
    return bytes.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map(body) ?? path.withCString(body)
    }
  }
}
