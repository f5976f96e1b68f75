"""What figures say about the data sets that they are computed from."""

DIGITS, DOCUMENTATION = "scikit-learn's digits", "documentation of Python"
# Data set -> its title, and what stands in for it where nothing is downloaded.
TITLES = {
    "mnist": ("MNIST", DIGITS),
    "cifar10": ("CIFAR-10", DIGITS),
    "imdb": ("IMDb", DOCUMENTATION),
    "civil_comments": ("Civil Comments", DOCUMENTATION),
    "wikitext2": ("WikiText-2", DOCUMENTATION),
    "wikitext103": ("WikiText-103", DOCUMENTATION),
}


def label(dataset: str, source: str) -> str:
    """What a figure says about its data, from the source "embedded", "mirror" or "official"."""
    if dataset == "digits":
        return f"data: {DIGITS}"
    title, stand_in = TITLES[dataset]
    if source == "embedded":
        return f"data: {stand_in}, in place of {title}"
    return f"data: {title}, {'a local mirror' if source == 'mirror' else 'official'}"
