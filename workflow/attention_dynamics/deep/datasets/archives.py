"""Files in archives, read in memory: nothing is unpacked onto the disk."""

import tarfile
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import PurePosixPath

from attention_dynamics.datasets.files import RefusedFile


def tar_files(
    name: str, archive: bytes, wanted: Callable[[PurePosixPath], bool]
) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Path and content of the wanted files of a ``.tar.gz``, in its order.

    Raises RefusedFile, naming the archive, for a member that is neither file nor folder or that would be unpacked
    outside of the folder where the archive is.
    """
    with tarfile.open(fileobj=BytesIO(archive), mode="r:gz") as members:
        for member in members:
            path = _inside(name, member.name, as_is=member.isfile() or member.isdir())
            if member.isfile() and wanted(path):
                yield path, members.extractfile(member).read()


def zip_file(name: str, archive: bytes, wanted: str) -> bytes:
    """The content of the file called ``wanted``, in whichever folder of a ``.zip``.

    Raises RefusedFile, naming the archive, where there is none, and for a member that would be unpacked outside of the
    folder where the archive is.
    """
    with zipfile.ZipFile(BytesIO(archive)) as members:
        paths = {_inside(name, member): member for member in members.namelist()}
        for path, member in paths.items():
            if path.name == wanted:
                return members.read(member)
    raise RefusedFile(f"{name}: {wanted} is missing")


def _inside(archive: str, member: str, *, as_is: bool = True) -> PurePosixPath:
    """The path of a member that would be unpacked into the archive's folder; RefusedFile for any other.

    as_is: it is a file or a folder, and no link or device.
    """
    path = PurePosixPath(member)
    if path.is_absolute() or ".." in path.parts or not as_is:
        raise RefusedFile(f"{archive}: member {member} is a link or leads outside, expected files inside")
    return path
