from .environment import make_plain

make_plain()  # before anything that inspects the terminal is imported
