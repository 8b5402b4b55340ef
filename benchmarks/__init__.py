"""The benchmarks: compiled parsers beside the interpreter and floors; equality before time, ratios of one run."""
