"""Files in archives, read in memory: nothing is unpacked to disk."""

import tarfile
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import PurePosixPath

from attention_dynamics.deep.datasets.files import InvalidDataFile


def read_tar(
    name: str, archive: bytes, wanted: Callable[[PurePosixPath], bool]
) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Yield path and content of the wanted files of a ``.tar.gz``, in the order of the archive.

    Raises InvalidDataFile, naming the archive, for a member that is neither file nor folder or that would be unpacked
    outside of the folder where the archive is.
    """
    with tarfile.open(fileobj=BytesIO(archive), mode="r:gz") as members:
        for member in members:
            path = _checked_path(name, member.name, plain=member.isfile() or member.isdir())
            if member.isfile() and wanted(path):
                content = members.extractfile(member)
                assert content is not None
                yield path, content.read()


def read_zip_file(name: str, archive: bytes, wanted: str) -> bytes:
    """Return the content of the file called ``wanted``, in any folder of a ``.zip``.

    Raises InvalidDataFile, naming the archive, where it is missing, and for a member that would be unpacked outside of
    the folder where the archive is.
    """
    with zipfile.ZipFile(BytesIO(archive)) as members:
        paths = {_checked_path(name, member): member for member in members.namelist()}
        for path, member in paths.items():
            if path.name == wanted:
                return members.read(member)
    raise InvalidDataFile(f"{name}: {wanted} is missing")


def _checked_path(archive: str, member: str, *, plain: bool = True) -> PurePosixPath:
    """Return the path of a member that would be unpacked inside the archive's folder; raise InvalidDataFile for others.

    plain: it is a file or a folder, and no link or device.
    """
    path = PurePosixPath(member)
    if path.is_absolute() or ".." in path.parts or not plain:
        raise InvalidDataFile(f"{archive}: member {member} is a link or leads outside, expected files inside")
    return path
