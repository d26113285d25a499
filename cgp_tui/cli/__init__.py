"""What was asked for?"""
