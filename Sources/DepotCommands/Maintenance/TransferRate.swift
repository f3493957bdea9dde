internal import DepotLinux
internal import DepotProtocol

/// A limit on the bytes transferred in a second.
struct TransferRate {
  /// The most bytes in a second; `nil` for no limit.
  private let limit: Int?
  private let start = Monotonic.now()

  /// Reads a limit such as `64M`; 0 means no limit.
  ///
  /// - Throws: ``DepotError`` `request.usage`.
  init(_ text: String) throws(DepotError) {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let unit = text.last.flatMap { units[$0] }
    let digits = unit == nil ? text[...] : text.dropLast()
    let product = Int(digits)?.multipliedReportingOverflow(by: unit ?? 1)
    guard let (bytes, isOver) = product, !isOver, bytes >= 0, digits.allSatisfy(\.isNumber) else {
      throw DepotError(.usage, "\(text.debugDescription) is no number of bytes.")
        .hint("Write it as in 800K, 64M, or 1G.")
    }
    limit = bytes == 0 ? nil : bytes
  }

  /// Waits until the given total of bytes may have been transferred.
  func wait(for bytes: Int) {
    guard let limit else { return }
    let due = Double(bytes) / Double(limit) * 1000
    let passed = Double(Monotonic.now() - start) / 1e6
    // Very short sleeps would take longer than intended.
    if due - passed > 2 { Process.sleep(milliseconds: UInt32(min(due - passed, 60_000))) }
  }
}
