"""Loading of the configuration: reading, merging of layers, validation into typed objects, checks across blocks."""
