"""Labels of data sets in figures."""

DIGITS, DOCUMENTATION, GENERATED = "scikit-learn's digits", "documentation of Python", "generated sentences"
# Title of a data set, and of what stands in for it where nothing is downloaded.
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
    """Return the label of a data set from the source "embedded", "mirror" or "official"."""
    if dataset not in TITLES:
        return DIGITS if dataset == "digits" else dataset
    title, stand_in = TITLES[dataset]
    if source == "embedded":
        return f"{stand_in}, in place of {title}"
    return f"{title}, {'a local mirror' if source == 'mirror' else 'official'}"
