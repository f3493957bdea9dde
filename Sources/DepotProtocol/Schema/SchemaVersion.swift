/// A version of a schema: three numbers, written `1.2.0`.
@Memberwise("major", "minor", "patch")
public struct SchemaVersion: Hashable, Sendable, Comparable, CustomStringConvertible {
  public var major: Int
  public var minor: Int
  public var patch: Int

  /// Reads `1.2.0`; `nil` for anything but three whole numbers of at most nine digits.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      1...9 ~= part.utf8.count && part.utf8.allSatisfy { $0 &- 0x30 < 10 } ? Int(part) : nil
    }
    guard parts.count == 3, numbers.count == 3 else { return nil }
    self.init(numbers[0], numbers[1], numbers[2])
  }

  public var description: String { "\(major).\(minor).\(patch)" }

  public static func < (left: Self, right: Self) -> Bool {
    (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
  }
}
