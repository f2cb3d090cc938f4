from .environment import make_plain

make_plain()  # before anything is imported that looks at the terminal
