/// A mark that keeps a client from changing an entity as long as it exists.
package final class EnumerationMark: Sendable {
  private let entity: String
  private let core: ClientCore

  package init(_ entity: String, _ client: Client) {
    self.entity = entity
    core = client.core
    core.update { state in state.enumerations.begin(entity) }
  }

  deinit {
    core.update { [entity] state in state.enumerations.end(entity) }
  }
}
