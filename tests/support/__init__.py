"""What the tests share: the oracle, chunkings, the sample data, generated templates."""
