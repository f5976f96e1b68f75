"""Real images: the mirror door, the embedded set, and what the store and the command make of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from attention_dynamics import store
from attention_dynamics.deep.datasets import files, stand_ins
from attention_dynamics.deep.datasets.__main__ import main
from attention_dynamics.deep.datasets.images import Cifar10, Cifar100, load_images
from attention_dynamics.deep.datasets.labelled import Images
from helpers.data_files import COMPRESSED, write_files
from helpers.image_files import ARRAYS, idx, random_images, small_cifar10, small_cifar100, small_mnist

some = settings(deadline=None, max_examples=40, derandomize=True)
IMAGES, LABELS = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"
SMALL = {"mnist": small_mnist, "cifar10": small_cifar10, "cifar100": small_cifar100}


def assert_holds(images, arrays):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(images, name), arrays[name])
    assert {getattr(images, name).dtype.name for name in ARRAYS} == {"uint8", "int64"}
    assert all(getattr(images, name).flags.writeable for name in ARRAYS)


def test_images_survive_storage(tmp_path):
    parts = {"name": "cifar10", "source": "mirror", "note": "training batches: data_batch_1.bin"}
    images = Images(**random_images(4, 3), **parts, classes=12)
    store.save_arrays(tmp_path / "images.npz", images.to_arrays())
    again = Images.from_arrays(store.load_arrays(tmp_path / "images.npz"))
    assert_holds(again, images.to_arrays())
    assert (again.name, again.source, again.note) == ("cifar10", "mirror", "training batches: data_batch_1.bin")
    assert type(again.source) is str
    assert again.classes == 12
    assert again.digest == images.digest


def test_digest_depends_only_on_arrays():
    arrays = random_images(4, 3)
    digest = Images(**arrays, name="a", source="mirror", note="").digest
    laid_out = {name: np.asfortranarray(array) for name, array in arrays.items()}
    assert Images(**laid_out, name="b", source="official", note="x").digest == digest
    for name in ARRAYS:
        changed = {**arrays, name: arrays[name].copy()}
        changed[name].flat[-1] ^= 1
        assert Images(**changed, name="a", source="mirror", note="").digest != digest


@pytest.mark.parametrize("subfolder", [".", "mnist"])
@pytest.mark.parametrize("ending", COMPRESSED)
def test_mnist_is_read_from_mirror(monkeypatch, tmp_path, subfolder, ending):
    arrays, contents = small_mnist(monkeypatch)
    write_files(tmp_path / subfolder, contents, ending)
    images = load_images("mnist", "mirror", mirror=tmp_path)
    assert_holds(images, arrays)
    assert (images.name, images.source, images.note) == ("mnist", "mirror", "the official content")


def test_mirror_with_other_content_is_noted(monkeypatch, tmp_path):
    _, contents = small_mnist(monkeypatch)
    name = "t10k-images-idx3-ubyte"
    write_files(tmp_path, {**contents, name: contents[name][:-1] + b"\0"}, ".gz")
    assert load_images("mnist", "mirror", mirror=tmp_path).note == f"not the official content: {name}.gz"


# Set, file, what is wrong with it (None: it is missing), and what the message says of it.
WRONG_FILES = [
    ("mnist", IMAGES, lambda data: data[:-1], "15695 bytes, expected 15696"),
    ("mnist", IMAGES, lambda data: data + b"\0", "more bytes, expected 15696"),
    ("mnist", IMAGES, lambda data: b"\0\0\x0d\3" + data[4:], r"\(3331, 20, 28, 28\), expected \(2051, 20, 28, 28\)"),
    ("mnist", IMAGES, lambda data: data[:7] + b"\x15" + data[8:], r"\(2051, 21, 28, 28\), expected \(2051, 20"),
    ("mnist", IMAGES, lambda data: data[:3], r"are \(2048, 0, 0, 0\), expected \(2051"),
    ("mnist", LABELS, lambda data: data[:-1] + b"\x0a", "a label is 10, expected 0 to 9"),
    ("mnist", LABELS, lambda data: b"", r"are \(0, 0\), expected \(2049, 20\)"),
    ("mnist", LABELS, None, f"is missing; expected {IMAGES}, {LABELS}"),
    ("cifar10", Cifar10.TRAIN[1], lambda data: data[:-3073], "27657 bytes, expected 30730"),
    ("cifar10", Cifar10.TEST, lambda data: data + data[:3073], "more bytes, expected 30730"),
    ("cifar10", Cifar10.TEST, lambda data: b"\x0a" + data[1:], "a label is 10, expected 0 to 9"),
    ("cifar10", Cifar10.TEST, None, f"is missing; expected {Cifar10.TEST} and at least"),
    ("cifar100", "train.bin", lambda data: data[:-1], "61479 bytes, expected 61480"),
    ("cifar100", "test.bin", lambda data: data + b"\0", "more bytes, expected 30740"),
    ("cifar100", "test.bin", lambda data: b"\x13\x64" + data[2:], "a label is 100, expected 0 to 99"),
    ("cifar100", "train.bin", None, "is missing; expected test.bin and at least one of train.bin"),
    ("cifar100", "test.bin", None, "is missing"),
]


@pytest.mark.parametrize(("dataset", "name", "change", "says"), WRONG_FILES)
def test_wrong_file_is_refused_with_name(monkeypatch, tmp_path, dataset, name, change, says):
    _, contents = SMALL[dataset](monkeypatch)
    content = contents.pop(name)
    write_files(tmp_path, contents | ({name: change(content)} if change else {}), ".gz")
    with pytest.raises(files.InvalidDataFile, match=rf"{name}(\.gz)?: .*{says}"):
        load_images(dataset, "mirror", mirror=tmp_path)


@some
@given(st.data(), st.sampled_from([".gz", ".xz"]))
def test_truncated_compressed_file_is_refused(tmp_path_factory, data, ending):
    whole = COMPRESSED[ending](idx(random_images(28, 1)["train_labels"]))
    part = tmp_path_factory.mktemp("part") / f"labels{ending}"
    part.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with part.open("rb") as file, pytest.raises(files.InvalidDataFile, match=f"labels{ending}: "):
        files.check_size(part, files.read_limited(part, file, 28), 28)


@pytest.mark.parametrize("ending", [".gz", ".xz"])
def test_uncompressed_and_oversized_files_are_refused(tmp_path, ending):
    wrong, bomb = tmp_path / f"wrong{ending}", tmp_path / f"bomb{ending}"
    wrong.write_bytes(b"<html>Not found</html>")
    bomb.write_bytes(COMPRESSED[ending](bytes(10**7)))
    with wrong.open("rb") as file, pytest.raises(files.InvalidDataFile, match=f"wrong{ending}: cannot be decompressed"):
        files.read_limited(wrong, file, 10)
    with bomb.open("rb") as file:
        assert files.read_limited(bomb, file, 10) == bytes(11)


@pytest.mark.parametrize("batches", [(0,), (0, 2), (0, 1, 2, 3, 4)], ids=str)
def test_cifar10_mirror_uses_existing_batches(monkeypatch, tmp_path, batches):
    arrays, contents = small_cifar10(monkeypatch)
    names = [*(Cifar10.TRAIN[k] for k in batches), Cifar10.TEST]
    write_files(tmp_path, {name: contents[name] for name in names}, ".xz")
    images = load_images("cifar10", "mirror", mirror=tmp_path)
    rows = np.concatenate([np.arange(10 * k, 10 * k + 10) for k in batches])
    assert_holds(images, arrays | {name: arrays[name][rows] for name in ("train_images", "train_labels")})
    assert (images.name, images.source) == ("cifar10", "mirror")
    assert images.note == "training batches: " + ", ".join(f"data_batch_{k + 1}.bin.xz" for k in batches)


@pytest.mark.parametrize("subfolder", [".", "cifar-100"])
def test_cifar100_is_read_from_mirror_with_fine_labels(monkeypatch, tmp_path, subfolder):
    arrays, contents = small_cifar100(monkeypatch)
    write_files(tmp_path / subfolder, contents, ".gz")
    images = load_images("cifar100", "mirror", mirror=tmp_path)
    assert_holds(images, arrays)
    assert (images.name, images.note, images.classes) == ("cifar100", "training batches: train.bin.gz", 100)


def test_published_sizes_of_cifar_files():
    # By the page of the data sets, https://www.cs.toronto.edu/~kriz/cifar.html.
    assert [Cifar10()._size(name) for name in (*Cifar10.TRAIN, Cifar10.TEST)] == [30_730_000] * 6
    assert [Cifar100()._size(name) for name in ("train.bin", "test.bin")] == [153_700_000, 30_740_000]


def test_digit_pairs_have_both_digits_and_all_classes_equally():
    pairs, digits = load_images("cifar100", "embedded"), load_images("digits", "embedded")
    assert (pairs.train_images.shape, pairs.test_images.shape) == ((4000, 8, 16, 1), (1000, 8, 16, 1))
    assert (pairs.name, pairs.note, pairs.classes) == ("digit_pairs", "digit pairs stand-in, not CIFAR-100", 100)
    for part, count in (("train", 40), ("test", 10)):
        images, labels = getattr(pairs, f"{part}_images"), getattr(pairs, f"{part}_labels")
        assert (np.bincount(labels, minlength=100) == count).all()
        assert (np.sort(labels.reshape(-1, 100)) == np.arange(100)).all()
        known = dict(zip(map(bytes, getattr(digits, f"{part}_images")), getattr(digits, f"{part}_labels"), strict=True))
        for image, label in zip(images, labels, strict=True):
            assert 10 * known[image[:, :8].tobytes()] + known[image[:, 8:].tobytes()] == label
    assert pairs.digest == load_images("cifar100", "embedded").digest
    upscaled = load_images("cifar100", "embedded", upscaled=True)
    assert upscaled.test_images.shape == (1000, 32, 32, 3)
    assert (upscaled.test_images[:, [*range(8), *range(24, 32)]] == 0).all()
    inner = np.kron(pairs.test_images, np.ones((2, 2, 3), np.uint8))
    np.testing.assert_array_equal(upscaled.test_images[:, 8:24], inner)


def test_digits_split_is_fixed():
    images, data = load_images("digits", "embedded"), load_digits()
    assert (images.train_images.shape, images.test_images.shape) == ((1437, 8, 8, 1), (360, 8, 8, 1))
    assert (images.name, images.source, images.note) == ("digits", "embedded", "")
    counts = np.bincount(images.test_labels) - np.bincount(data.target) / 5
    assert np.abs(counts).max() < 1
    # A perfect split: the training images are the others, in order, and no value is lost.
    raw = np.rint(np.concatenate([images.train_images, images.test_images])[..., 0] * (16 / 255)).reshape(1797, -1)
    labels = np.concatenate([images.train_labels, images.test_labels])
    together = np.column_stack([raw, labels])
    expected = np.column_stack([data.data, data.target])
    np.testing.assert_array_equal(np.unique(together, axis=0), np.unique(expected, axis=0))
    position = [int((expected == row).all(1).argmax()) for row in together[:1437]]
    assert (np.diff(position) > 0).all()
    assert images.digest == "1436cc81b64c68f57889a63da42d12b3c9b39c983d76fab307d9b71ce9717415"


@pytest.mark.parametrize(
    ("name", "title", "shape", "factor", "margin"),
    [("mnist", "MNIST", (28, 28, 1), 3, 2), ("cifar10", "CIFAR-10", (32, 32, 3), 4, 0)],
)
def test_digits_stand_in_for_other_sets(name, title, shape, factor, margin):
    plain, upscaled = (load_images(name, "embedded", upscaled=flag) for flag in (False, True))
    for images in (plain, upscaled):
        assert (images.name, images.source, images.note) == ("digits", "embedded", f"digits stand-in, not {title}")
    assert plain.digest == load_images("digits", "embedded").digest
    assert upscaled.test_images.shape == (360, *shape)
    inner = upscaled.test_images[:, margin : shape[0] - margin, margin : shape[1] - margin]
    np.testing.assert_array_equal(inner, np.kron(plain.test_images, np.ones((factor, factor, shape[2]), np.uint8)))
    assert inner.sum(dtype=int) == upscaled.test_images.sum(dtype=int)


def test_shrinking_images_is_refused():
    with pytest.raises(ValueError, match="shape: 7 x 28 is smaller than 8 x 8"):
        stand_ins.upscale(np.zeros((1, 8, 8), np.uint8), (7, 28, 1))


def test_contradictory_arguments_are_refused():
    for name, source, more, says in (
        ("digits", "official", {}, "digits: the only source is 'embedded', not 'official'"),
        ("digits", "embedded", {"upscaled": True}, "digits: upscaled"),
        ("mnist", "mirror", {}, "mnist: source 'mirror' needs a folder"),
        ("mnist", "mirror", {"mirror": ".", "upscaled": True}, "mnist: upscaled needs .*'mirror'"),
    ):
        with pytest.raises(ValueError, match=says):
            load_images(name, source, **more)


def test_command_describes_data_set_or_fails_in_one_line(monkeypatch, tmp_path, capsys):
    _, contents = small_mnist(monkeypatch)
    mirror = write_files(tmp_path, contents, ".gz")
    main(["mnist", "--source", "mirror", "--mirror", str(mirror)])
    digest = load_images("mnist", "mirror", mirror=mirror).digest
    assert capsys.readouterr().out == (
        f"mnist (mirror): 20 + 10 images of 28 x 28 x 1, {digest}, the official content\n"
    )
    (mirror / f"{LABELS}.gz").unlink()
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(SystemExit, match=f"^[^\n]*{LABELS}.gz: is missing[^\n]*$"):
        main(["mnist", "--source", "mirror", "--mirror=~"])
