/// A connection with a service.
///
/// ``Client`` and ``BlockingConnection`` have most methods in common: the client's methods are
/// awaited. The other one's block their thread, and accept arguments that need a thread, such as
/// closures that don't wait.
public protocol ServiceConnection: AnyObject {}

extension Client: ServiceConnection {}
extension BlockingConnection: ServiceConnection {}

/// Gives a method of ``Client`` its form for ``BlockingConnection``, without `async` and `await`.
@attached(peer, names: overloaded)
package macro Blocking() = #externalMacro(module: "DepotMacroPlugin", type: "BlockingMacro")
