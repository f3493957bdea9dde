internal import CDepotLinux

/// A reference to an object that doesn't keep the object alive.
///
/// Unlike a weak reference, it doesn't slow down other uses of the object. The object's memory is
/// kept while this reference exists, so that no other object gets its address.
public struct UnownedObject {
  private unowned let owner: AnyObject
  private let address: UnsafeMutableRawPointer

  public init(_ object: AnyObject) {
    owner = object
    address = Unmanaged.passUnretained(object).toOpaque()
  }

  /// The object; `nil` once it is being released.
  public var object: AnyObject? {
    Unmanaged<AnyObject>.fromOpaque(address).ifAlive
  }
}

extension Unmanaged {
  /// The object; `nil` if it is being released.
  ///
  /// The object's memory must still exist.
  package var ifAlive: Instance? {
    // not mapped, because a closure over a generic type costs seven times the rest
    guard let address = depot_retain_if_alive(toOpaque()) else { return nil }
    return Unmanaged<Instance>.fromOpaque(address).takeRetainedValue()
  }
}
