"""What does a transcript say, as far as it has grown?"""
