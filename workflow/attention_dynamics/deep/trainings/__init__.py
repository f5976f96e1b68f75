"""Trainings of networks: a module for every kind."""
