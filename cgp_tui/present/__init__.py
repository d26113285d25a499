"""What do people get to read?"""
