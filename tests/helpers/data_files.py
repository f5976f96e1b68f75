"""Files and archives with given content, as mirrors and official sources have them."""

import gzip
import io
import lzma
import tarfile
import zipfile

COMPRESSED = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress}


def write_files(folder, contents, ending=""):
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        (folder / (name + ending)).write_bytes(COMPRESSED[ending](content))
    return folder


def pack_tar(contents, **extra):
    """Return a compressed tar archive. extra: attributes of one more member."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name, content in contents.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        if extra:
            member = tarfile.TarInfo()
            for name, value in extra.items():
                setattr(member, name, value)
            archive.addfile(member)
    return data.getvalue()


def pack_zip(contents):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)
    return data.getvalue()
