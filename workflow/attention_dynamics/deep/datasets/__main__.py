"""``python -m attention_dynamics.deep.datasets mnist --source official``: fetch or check a data set and describe it."""

import argparse
import os.path
import sys
from collections.abc import Sequence
from typing import get_args

from attention_dynamics.deep.datasets.describe import NAMES, describe_dataset
from attention_dynamics.deep.datasets.files import InvalidDataFile
from attention_dynamics.deep.datasets.official import DownloadError
from attention_dynamics.types import DataSource


def main(arguments: Sequence[str] | None = None) -> None:
    """Load a set and print its counts, shape and digest; exit with one line where that fails."""
    parser = argparse.ArgumentParser(prog="python -m attention_dynamics.deep.datasets", description=__doc__)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--source", choices=get_args(DataSource), required=True)
    parser.add_argument("--mirror", type=os.path.expanduser, help="folder with the official files")
    parser.add_argument("--cache", type=os.path.expanduser, help="folder where downloads are kept")
    parser.add_argument("--upscaled", action="store_true", help="digits in the size of what they stand in for")
    try:
        print(describe_dataset(**vars(parser.parse_args(arguments))))
    except (InvalidDataFile, DownloadError, ModuleNotFoundError, ValueError, OSError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
