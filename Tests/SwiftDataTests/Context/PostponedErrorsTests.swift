import Testing

@testable import SwiftData

@Suite struct `Postponed errors` {
  private struct Failure: Error {}

  private let errors = PostponedErrors()

  private func read(failing: Bool = true) -> Int? {
    errors.noting { if failing { throw Failure() } else { 1 } }
  }

  @Test func `the error of a read is thrown once, and no later one with it`() throws {
    #expect(read(failing: false) == 1)
    try errors.throwOfRead()
    #expect(read() == nil)
    #expect(read() == nil)
    #expect(errors.failedReads == 2)
    #expect(throws: SwiftDataError.self) { try errors.throwOfRead() }
    try errors.throwOfRead()
  }

  @Test func `changes that are refused are thrown apart from reads`() throws {
    errors.refuse(SwiftDataError(.modelValidationFailure, "It can't be."))
    try errors.throwOfRead()
    #expect(throws: SwiftDataError.modelValidationFailure) { try errors.throwOfChange() }
    try errors.throwOfChange()
  }

  @Test func `a function that runs apart throws its own errors only`() throws {
    _ = read()
    #expect(try errors.apart { 2 } == 2)
    #expect(throws: SwiftDataError.self) { try errors.apart { _ = read() } }
    #expect(errors.failedReads == 1)
    errors.removeAll()
    try errors.throwOfRead()
  }

  @Test func `a value that can't be read is an error only where the program asks for it`() throws {
    let gadget = EntityDescription.of(Gadget.self)
    let storage = gadget.makeObject(nil).storage
    storage.slots[1] = .unloaded
    errors.reading(1, of: storage, isAsked: false) { errors.refuse(1, of: storage, Failure()) }
    try errors.throwOfRead()
    errors.reading(1, of: storage, isAsked: true) { errors.refuse(2, of: storage, Failure()) }
    try errors.throwOfRead()
    errors.reading(1, of: storage, isAsked: true) { errors.refuse(1, of: storage, Failure()) }
    let error = #expect(throws: SwiftDataError.self) { try errors.throwOfRead() }
    #expect(error?.property == gadget.properties[1].name)
  }
}
