"""The emulator: a parser, a grid of rows, and the functions of ECMA-48 and xterm."""
