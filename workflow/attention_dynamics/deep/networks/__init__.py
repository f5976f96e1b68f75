"""Networks: a module for every kind."""
