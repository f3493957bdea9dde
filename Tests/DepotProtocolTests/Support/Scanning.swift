import DepotProtocol

/// Scans `bytes` with our scanner; returns the error, or `nil`.
func scanError(_ bytes: [UInt8], depth: Int = 64, values: Int = 1_000_000) -> JSONError? {
  bytes.withUnsafeBufferPointer { buffer -> JSONError? in
    do throws(JSONError) {
      _ = try JSONScanner.scan(buffer, depthLimit: depth, valueLimit: values)
      return nil
    } catch {
      return error
    }
  }
}

/// The JSON text that `body` writes.
func jsonText(_ body: (inout JSONWriter) -> Void) -> String {
  var writer = JSONWriter()
  body(&writer)
  return String(decoding: writer.bytes, as: UTF8.self)
}
