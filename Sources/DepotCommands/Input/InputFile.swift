internal import DepotLinux
internal import DepotProtocol

/// A file, or standard input, that is read piece by piece.
final class InputFile {
  let name: String
  private let descriptor: Descriptor
  private let size: Int?
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
  private(set) var offset = 0

  /// Opens a file; `-` is standard input.
  ///
  /// - Throws: ``DepotError`` `notfound.file` or `storage.io` if it can't be opened.
  init(_ path: String) throws(DepotError) {
    name = path == "-" ? "standard input" : path
    do throws(SystemError) {
      descriptor = path == "-" ? Descriptor(0) : try Descriptor.open(reading: path)
    } catch {
      let isUnusable = error.isMissingFile || error.isNameTooLong || error.isPermission
      throw DepotError(
        isUnusable ? .fileNotFound : .io,
        "The file \(path) can't be opened (\(error))."
      )
    }
    size = descriptor.regularFileSize
  }

  deinit { buffer.deallocate() }

  /// The part that was read, from 0 to 1, if the size is known.
  var fraction: Double? {
    size.flatMap { $0 > 0 ? Double(offset) / Double($0) : nil }
  }

  /// Reads the next bytes, which are valid until the next call; none at the end.
  ///
  /// - Throws: ``DepotError`` `storage.io` if the file can't be read.
  func read() throws(DepotError) -> UnsafeRawBufferPointer {
    do throws(SystemError) {
      let count = try descriptor.read(into: buffer)
      offset += count
      return UnsafeRawBufferPointer(rebasing: buffer[..<count])
    } catch {
      throw DepotError(.io, "\(name) can't be read (\(error)).")
    }
  }

  /// Reads all that is left.
  ///
  /// - Throws: ``DepotError`` `limit.value_bytes` if that is more than `limit` bytes.
  func readAll(limit: Int) throws(DepotError) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let piece = try read()
      if piece.isEmpty { return bytes }
      bytes.append(contentsOf: piece)
      if bytes.count > limit {
        throw DepotError(.valueTooLarge, "\(name) has more than \(Numbers.size(bytes: limit)).")
      }
    }
  }
}
