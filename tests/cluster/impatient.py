"""Snakemake as it is, but that it asks after its jobs every second, where the plug-in pauses ever longer.

Not asking too often is a courtesy to a controller that many share; the one on loopback has no one else.
"""

import asyncio

from snakemake.cli import main
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor


async def sleep(self: RemoteExecutor) -> None:
    """Between two looks at the jobs."""
    await asyncio.sleep(1)


RemoteExecutor.sleep = sleep
main()
