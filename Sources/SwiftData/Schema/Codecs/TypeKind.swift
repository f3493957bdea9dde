/// The kind of a type, from the runtime's metadata.
enum TypeKind: Equatable {
  case structure
  /// An enumeration with some cases, none with associated values.
  case plainEnumeration(cases: Int)
  case other

  /// Reads the metadata of a type, whose layout belongs to the ABI.
  init(_ type: Any.Type) {
    let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
    switch metadata.load(as: UInt.self) {
    case 0x200: self = .structure
    case 0x201:
      // The descriptor of the type: flags, parent, name, accessor, fields, and the two counts.
      let descriptor = metadata.load(fromByteOffset: 8, as: UnsafeRawPointer.self)
      let withValues = descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xff_ffff
      let without = descriptor.load(fromByteOffset: 24, as: UInt32.self)
      self = withValues == 0 && without > 0 ? .plainEnumeration(cases: Int(without)) : .other
    default: self = .other
    }
  }

  /// Returns the cases of an enumeration without associated values; `nil` for other types.
  static func cases<Content>(of type: Content.Type) -> [Content]? {
    guard case .plainEnumeration(let count) = TypeKind(type) else { return nil }
    let size = MemoryLayout<Content>.size
    guard size <= 4, count <= 65_536 else { return nil }
    return (0..<count).map { number in
      // Such a value is the number of its case, in as many bytes as it needs.
      withUnsafeTemporaryAllocation(of: Content.self, capacity: 1) { buffer in
        let bytes = UnsafeMutableRawBufferPointer(buffer)
        withUnsafeBytes(of: UInt32(number).littleEndian) {
          bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(size)))
        }
        return buffer[0]
      }
    }
  }
}
