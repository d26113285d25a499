"""A provider that plays its part of a dialogue: `scripted.py FILE`, a JSON list of lines to say, null for one to hear, a
list with the name of a file to wait for.

Lines are base64. When its part is over it waits for the shutdown. Run without `site`, like any stranger's program.
"""

from __future__ import annotations

import binascii
import json
import os
import sys
import time

HEARD = sys.stdin.buffer


def hear() -> None:
    line = HEARD.readline()
    if not line or b'"shutdown"' in line:
        os._exit(0)


with open(sys.argv[1], encoding="ascii") as file:
    STEPS = json.load(file)
for step in STEPS:
    if step is None:
        hear()
    elif isinstance(step, list):
        while not os.path.exists(step[0]):  # noqa: PTH110
            time.sleep(0.005)
    else:
        os.write(1, binascii.a2b_base64(step) + b"\n")
while True:
    hear()
