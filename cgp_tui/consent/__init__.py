"""May it leave?"""
