"""What do machines get to read?"""
