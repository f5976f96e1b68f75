"""The configuration: read, layered, validated into typed objects, and checked across its blocks."""
