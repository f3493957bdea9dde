internal import DepotProtocol
internal import DepotSQLite

/// The checksum that each stored row carries.
///
/// It covers the identifier, the version, and every value that isn't null together with its
/// position, so that an optional attribute can be added to an entity without touching its rows.
package struct RowChecksum: Sendable {
  private var checksum = Checksum()

  package init(identifier: Int64, version: Int64) {
    checksum.add(UInt64(bitPattern: identifier))
    checksum.add(UInt64(bitPattern: version))
  }

  /// Adds an integer at an attribute's position.
  package mutating func add(_ value: Int64, at position: Int) {
    checksum.add(UInt64(position) << 8 | 1)
    checksum.add(UInt64(bitPattern: value))
  }

  /// Adds a double at an attribute's position.
  package mutating func add(_ value: Double, at position: Int) {
    checksum.add(UInt64(position) << 8 | 2)
    checksum.add(value.bitPattern)
  }

  /// Adds a text at an attribute's position.
  package mutating func add(text bytes: UnsafeBufferPointer<UInt8>, at position: Int) {
    checksum.add(UInt64(position) << 8 | 3)
    checksum.add(UnsafeRawBufferPointer(bytes))
  }

  /// Adds a blob at an attribute's position.
  package mutating func add(blob bytes: UnsafeBufferPointer<UInt8>, at position: Int) {
    checksum.add(UInt64(position) << 8 | 4)
    checksum.add(UnsafeRawBufferPointer(bytes))
  }

  /// What the column holds.
  package var value: Int64 { Int64(bitPattern: checksum.value) }
}
