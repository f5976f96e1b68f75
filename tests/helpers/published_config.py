"""The configuration of this repository, which takes half a second to read, once for all tests of a process."""

from functools import cache

from attention_dynamics.config.load import Config, load_config
from conftest import ROOT


@cache
def published_config(scale: str = "laptop") -> Config:
    """The configuration without overrides, at a scale."""
    return load_config(ROOT / "config", {"scale": scale})
