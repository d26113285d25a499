"""The form of members that come in great numbers: written without blanks, with a short and plain name and value."""

from __future__ import annotations

import re
from typing import Final

MEMBER: Final = re.compile(
    rb'"([ !#-\[\]-~]{0,64}+)":(-?(?:0|[1-9][0-9]{0,17}+)|"[ !#-\[\]-~]{0,64}+"|true|false|null),(?=")'
)
"""Its name, its value, and the comma before the name of the next member: that one is read by this pattern, or in some other
way. Without an escape and beyond no ASCII, so that the name is what is written, and the value is in order."""
