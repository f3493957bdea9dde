/// The memory into which connections are read, freed with the last reference to it.
final class ReceiveBuffer {
  let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)

  deinit { bytes.deallocate() }
}
