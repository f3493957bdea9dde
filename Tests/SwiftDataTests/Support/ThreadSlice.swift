import DepotLinux

/// How long the calling thread computes before others have their turn, in nanoseconds; 0 if the kernel
/// doesn't tell.
func threadSlice() -> UInt64 { DepotLinux.Thread.slice }
