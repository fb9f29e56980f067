"""Checks of skill packages for their authors: the runtime's diagnostics, the format's rules, and practice.

Needs `markdown-it-py`, of the extra `cli`, to find links; nothing here prints or writes but `fixes.py`.
"""
