"""What figures say about the data sets that they are computed from."""

DIGITS, DOCUMENTATION, GENERATED = "scikit-learn's digits", "documentation of Python", "generated sentences"
# Data set -> its title, and what stands in for it where nothing is downloaded.
TITLES = {
    "mnist": ("MNIST", DIGITS),
    "cifar10": ("CIFAR-10", DIGITS),
    "imdb": ("IMDb", DOCUMENTATION),
    "mnli": ("MNLI", GENERATED),
    "civil_comments": ("Civil Comments", DOCUMENTATION),
    "wikitext2": ("WikiText-2", DOCUMENTATION),
    "wikitext103": ("WikiText-103", DOCUMENTATION),
}


def label(dataset: str, source: str) -> str:
    """What a figure says about its data, from the source "embedded", "mirror" or "official"."""
    if dataset not in TITLES:
        return f"data: {DIGITS if dataset == 'digits' else dataset}"
    title, stand_in = TITLES[dataset]
    if source == "embedded":
        return f"data: {stand_in}, in place of {title}"
    return f"data: {title}, {'a local mirror' if source == 'mirror' else 'official'}"
