import DepotProtocol
import TestSupport

extension SeededGenerator {
  /// Returns a name that a schema can have, with letters of any script.
  mutating func unicodeName() -> String {
    while true {
      var scalars = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 1...8, using: &self) {
        if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit(), using: &self)) {
          scalars.append(scalar)
        }
      }
      let name = NameSyntax.normalized(String(scalars))
      if NameSyntax.isUsable(name) { return name }
    }
  }

  /// The bound of what a scalar is chosen from: ASCII, the scripts of most languages, or all.
  private mutating func limit() -> UInt32 { pick([0x80, 0x250, 0x1000, 0x1_0000, 0x3_2000]) }
}
