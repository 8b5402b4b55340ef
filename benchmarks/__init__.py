"""Benchmarks: the compiled parser beside the interpreter, equality first, ratios of one run."""
