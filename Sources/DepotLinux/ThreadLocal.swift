internal import Glibc

/// An object for each thread, made when the thread first uses it (pthread_key_create(3)).
package final class ThreadLocal<Object: AnyObject>: Sendable {
  private let key: pthread_key_t
  private let make: @Sendable () -> Object

  package init(_ make: @escaping @Sendable () -> Object) {
    var key = pthread_key_t()
    let code = pthread_key_create(&key) { object in
      if let object { Unmanaged<AnyObject>.fromOpaque(object).release() }
    }
    precondition(code == 0, "A process has at most PTHREAD_KEYS_MAX keys.")
    self.key = key
    self.make = make
  }

  /// The object of the calling thread.
  package var object: Object {
    if let object = pthread_getspecific(key) {
      return Unmanaged<Object>.fromOpaque(object).takeUnretainedValue()
    }
    let object = make()
    pthread_setspecific(key, Unmanaged.passRetained(object).toOpaque())
    return object
  }
}
