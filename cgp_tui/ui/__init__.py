"""What is drawn?"""
