"""How does one ask providers, safely?"""
