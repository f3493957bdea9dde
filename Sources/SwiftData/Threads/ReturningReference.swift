/// A reference to an object that belongs to an actor or a queue, on its way back there.
// because the object is used there only
struct ReturningReference<Object: AnyObject>: @unchecked Sendable {
  weak var object: Object?
}
