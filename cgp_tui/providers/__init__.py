"""How is one a provider?"""
