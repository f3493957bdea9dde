// A program has one module to import.
@_exported public import DepotClientCore
@_exported public import DepotProtocol
