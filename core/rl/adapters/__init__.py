"""Episodes for the engines that train models: one family of files, and one extra, for each."""
