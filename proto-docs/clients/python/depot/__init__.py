"""A client of Depot, with nothing but Python's own library: `Depot` waits, `AsyncDepot` is for asyncio."""
from .aio import AsyncDepot, AsyncPending, AsyncRows, AsyncStream, AsyncWatch
from .client import Depot, Pending, Rows, Stream, Watch
from .errors import DepotError
from .live import LiveRows, Row
from .session import socket_path

__all__ = ["AsyncDepot", "AsyncPending", "AsyncRows", "AsyncStream", "AsyncWatch", "Depot", "DepotError",
           "LiveRows", "Pending", "Row", "Rows", "Stream", "Watch", "socket_path"]
__version__ = "0.1.0"
