"""How are our small files kept safely?"""
