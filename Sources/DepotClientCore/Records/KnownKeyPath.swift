/// A key path of properties that is remembered, and used by any thread.
// because key paths of properties have nothing that could change
package struct KnownKeyPath<Path: AnyKeyPath>: Hashable, @unchecked Sendable {
  package let keyPath: Path

  package init(keyPath: Path) { self.keyPath = keyPath }
}
