"""What travelled, byte for byte?"""
