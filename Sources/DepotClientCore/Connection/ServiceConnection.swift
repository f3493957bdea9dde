/// A connection with a service.
///
/// ``Client`` and ``BlockingConnection`` have most methods in common: those of the client are awaited,
/// and those of the other block their thread and take only what a thread can give, such as closures
/// that don't wait.
public protocol ServiceConnection: AnyObject {}

extension Client: ServiceConnection {}
extension BlockingConnection: ServiceConnection {}

/// Gives a method of ``Client`` its form for ``BlockingConnection``, in which nothing is awaited.
@attached(peer, names: overloaded)
package macro Blocking() = #externalMacro(module: "DepotMacroPlugin", type: "BlockingMacro")
