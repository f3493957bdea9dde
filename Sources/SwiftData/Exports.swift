// A file that imports only SwiftData sees Foundation and Observation, as on Apple's systems.
@_exported public import Foundation
@_exported public import Observation

@_exported public import struct DepotClientCore.OperationEvent
@_exported public import typealias DepotClientCore.OperationObserver
@_exported public import enum DepotProtocol.MergePolicy
@_exported public import struct DepotProtocol.SaveConflict
