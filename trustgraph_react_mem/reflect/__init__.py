"""reflect"""
