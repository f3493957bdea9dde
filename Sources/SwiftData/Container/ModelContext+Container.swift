extension ModelContext {
  /// Creates a context of a container's stores.
  public convenience init(_ container: ModelContainer) {
    self.init(container.core, isSuccessor: false)
  }

  /// The container whose stores are read and written.
  public final var container: ModelContainer {
    guard let core = core as? ContainerCore else {
      preconditionFailure("The stores belong to no container.")
    }
    return core.container
  }
}
