internal import Glibc

/// Compresses answers with zlib, which is part of every Debian; it is opened at the first request.
struct GZip: Sendable {
  private typealias Bound = @Sendable @convention(c) (UInt) -> UInt
  private typealias Compress =
    @Sendable @convention(c) (
      UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt>, UnsafePointer<UInt8>, UInt, Int32
    ) -> Int32
  private typealias Checksum =
    @Sendable @convention(c) (UInt, UnsafePointer<UInt8>?, UInt32) -> UInt

  private let bound: Bound
  private let compress: Compress
  private let checksum: Checksum

  /// The library, opened once in this process; `nil` if it is missing.
  static let shared = GZip()

  /// The corresponding C functions are `dlopen` and `dlsym`.
  private init?() {
    guard let library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL),
      let bound = dlsym(library, "compressBound"), let compress = dlsym(library, "compress2"),
      let checksum = dlsym(library, "crc32")
    else { return nil }
    self.bound = unsafeBitCast(bound, to: Bound.self)
    self.compress = unsafeBitCast(compress, to: Compress.self)
    self.checksum = unsafeBitCast(checksum, to: Checksum.self)
  }

  /// Returns the bytes in the format of gzip(1), or `nil` if that isn't shorter.
  func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    guard !bytes.isEmpty else { return nil }
    var size = bound(UInt(bytes.count))
    var sum: UInt = 0
    var buffer = [UInt8](repeating: 0, count: Int(size))
    let code = bytes.withUnsafeBufferPointer { source -> Int32 in
      guard let start = source.baseAddress else { return -1 }
      sum = checksum(0, start, UInt32(source.count))
      return buffer.withUnsafeMutableBufferPointer { target in
        target.baseAddress.map { compress($0, &size, start, UInt(source.count), 9) } ?? -1
      }
    }
    // zlib's format has a header of 2 bytes and a checksum of 4; gzip's has a header of 10, a checksum, and the size.
    guard code == 0, size > 6 else { return nil }
    var result: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3]
    result += buffer[2..<Int(size) - 4]
    for value in [sum, UInt(bytes.count)] {
      for shift in [0, 8, 16, 24] { result.append(UInt8(truncatingIfNeeded: value >> UInt(shift))) }
    }
    return result.count < bytes.count ? result : nil
  }
}
