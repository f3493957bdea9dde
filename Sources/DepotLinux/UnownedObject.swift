internal import CDepotLinux

/// An object that isn't kept alive from here, and may have ended.
///
/// Unlike a weak reference, it makes nothing slower that is done with the object. The object's memory
/// lasts as long as this, so that no other object has its address.
public struct UnownedObject {
  private unowned let owner: AnyObject
  private let address: UnsafeMutableRawPointer

  public init(_ object: AnyObject) {
    owner = object
    address = Unmanaged.passUnretained(object).toOpaque()
  }

  /// The object; `nil` after its end.
  public var object: AnyObject? {
    Unmanaged<AnyObject>.fromOpaque(address).ifAlive
  }
}

extension Unmanaged {
  /// The object; `nil` if it is ending, which must have to wait before its memory goes.
  package var ifAlive: Instance? {
    depot_retain_if_alive(toOpaque()).map {
      Unmanaged<Instance>.fromOpaque($0).takeRetainedValue()
    }
  }
}
