"""Pauses between attempts."""
from __future__ import annotations

import random
import time
from typing import Iterator

from .errors import DepotError


def is_worth_another(error: DepotError) -> bool:
    """Whether a request that may be repeated is to be sent again by itself, after a pause."""
    return error.retry == "later"


def pauses(patience: float) -> Iterator[float]:
    """Yields pauses in seconds that double from 20 ms to 2 s, until `patience` seconds have passed."""
    end = time.monotonic() + patience
    pause = 0.02
    while (left := end - time.monotonic()) > 0:
        yield min(left, pause * random.uniform(0.5, 1.0))
        pause = min(2 * pause, 2.0)
