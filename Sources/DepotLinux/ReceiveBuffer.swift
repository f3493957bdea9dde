/// The buffer for one read, freed with the last reference to it.
package final class ReceiveBuffer {
  package let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)

  package init() {}

  deinit { bytes.deallocate() }
}
