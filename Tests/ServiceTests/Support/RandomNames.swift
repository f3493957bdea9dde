import DepotProtocol
import TestSupport

extension SeededGenerator {
  /// Returns a name that a schema can have, with letters of any script.
  mutating func unicodeName() -> String {
    while true {
      var scalars = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 1...8, using: &self) {
        let limits: [UInt32] = [0x80, 0x250, 0x1000, 0x1_0000, 0x3_2000]
        let limit = limits[Int.random(in: limits.indices, using: &self)]
        if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &self)) {
          scalars.append(scalar)
        }
      }
      let name = NameSyntax.normalized(String(scalars))
      if NameSyntax.isUsable(name) { return name }
    }
  }
}
