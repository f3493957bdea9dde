internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// A file, or standard input, read piece by piece.
final class InputFile {
  /// The name of the file `-`.
  static let standardInput = "standard input"

  let name: String
  private let descriptor: Descriptor
  private let size: Int?
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
  private(set) var offset = 0
  /// The decoder of a text in UTF-16.
  private var decoder: UTF16Decoder?
  /// The interruption by the user that ends the reading.
  private let interruption: Interruption?
  /// The error that ended the reading.
  private(set) var failure: DepotError?

  /// Opens a file; `-` is standard input.
  ///
  /// - Throws: ``DepotError`` `notfound.file` or `storage.io` if it can't be opened.
  init(_ path: String, _ interruption: Interruption? = nil) throws(DepotError) {
    self.interruption = interruption
    name = path == "-" ? Self.standardInput : PathText.shown(path)
    do throws(SystemError) {
      descriptor = path == "-" ? Descriptor(0) : try Descriptor.open(reading: path)
    } catch {
      let isUnusable = error.isMissingFile || error.isNameTooLong || error.isPermission
      throw DepotError(
        isUnusable ? .fileNotFound : .io,
        "The file \(PathText.shown(path)) can't be opened (\(error))."
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
  /// After ``readStart()`` they are UTF-8 even if the text is in UTF-16.
  ///
  /// - Throws: ``DepotError`` `storage.io` if the file can't be read, `cancelled.by_client` if the
  ///   user interrupts, `protocol.json` if it isn't valid UTF-16.
  func read() throws(DepotError) -> UnsafeRawBufferPointer {
    guard let decoder else {
      return UnsafeRawBufferPointer(rebasing: buffer[..<(try read(behind: 0))])
    }
    while true {
      let count = try read(behind: 0)
      let text = try decoded(by: decoder, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      if count == 0 || !text.isEmpty { return text }
    }
  }

  private func decoded(
    by decoder: UTF16Decoder,
    _ bytes: UnsafeRawBufferPointer
  ) throws(DepotError) -> UnsafeRawBufferPointer {
    guard let text = decoder.decode(bytes) else {
      let error = DepotError(.json, "\(name) looks like UTF-16, but parts of it are invalid.")
        .hint("Write it as UTF-8, as by: iconv -f UTF-16 -t UTF-8")
      failure = error
      throw error
    }
    return text
  }

  /// Reads the first bytes of a text, without a byte order mark.
  ///
  /// A text in UTF-16 is recognized by its mark, or by the zeros in its first two characters.
  ///
  /// - Throws: An error of ``read()``.
  func readStart() throws(DepotError) -> UnsafeRawBufferPointer {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    var count = 0
    while count <= mark.count, case let more = try read(behind: count), more > 0 { count += more }
    if let decoder = UTF16Decoder(ofTextFrom: UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
      self.decoder = decoder
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[decoder.markCount..<count])
      let text = try decoded(by: decoder, bytes)
      return text.isEmpty && !bytes.isEmpty ? try read() : text
    }
    let start = buffer[..<count].starts(with: mark) ? mark.count : 0
    return UnsafeRawBufferPointer(rebasing: buffer[start..<count])
  }

  private func read(behind start: Int) throws(DepotError) -> Int {
    do throws(DepotError) {
      try interruption?.awaitInput(from: size == nil ? descriptor : nil)
      let count = try attempt("\(name) can't be read") { () throws(SystemError) in
        try descriptor.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...]))
      }
      offset += count
      return count
    } catch {
      failure = error
      throw error
    }
  }

  /// Copies the rest to a sink.
  func copy(to sink: ByteSink) throws {
    while case let piece = try read(), !piece.isEmpty {
      sink.bytes.append(contentsOf: piece)
      try sink.flushIfLarge()
    }
    try sink.flush()
  }

  /// Reads the rest.
  ///
  /// - Throws: ``DepotError`` `limit.value_bytes` if the rest is larger than `limit` bytes.
  func readAll(limit: Int) throws(DepotError) -> [UInt8] {
    var bytes: [UInt8] = []
    while case let piece = try read(), !piece.isEmpty {
      bytes.append(contentsOf: piece)
      if bytes.count > limit {
        throw DepotError(.valueTooLarge, "\(name) has more than \(Numbers.size(bytes: limit)).")
      }
    }
    return bytes
  }
}
