"""Words, pieces of words and their numbers: by hand, and there and back."""

import unicodedata
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_dynamics.deep.datasets.tokens import (
    PAD_ID,
    SPECIAL,
    Encoder,
    Vocabulary,
    WordPiece,
    basic_english,
    basic_words,
    learn_vocabulary,
    lower_words,
    most_frequent,
    truncate,
)

some = settings(deadline=None, max_examples=60, derandomize=True)
words = st.lists(st.text("abcdé", min_size=1, max_size=5), max_size=12)
BERT = Vocabulary((*SPECIAL, "the", "un", "##aff", "##able", "##a", "a", "!", "un##", "東"), "[UNK]")
ENCODER = Encoder(WordPiece(BERT), BERT)


def test_basic_english_matches_torchtext():
    text = "You'll \"see\": it's  A.B, (well); no! why?<br />Yes - <unk> e-mail\n"
    expected = "you ' ll see it ' s a . b , ( well ) no ! why ? yes - <unk> e-mail"
    assert basic_english(text) == expected.split()


def test_lower_words_have_letters_digits_and_inner_apostrophes():
    text = "It's NOT 'good',<br /><br/>snake_case, Über-cool: 10/10... O'Neill's!"
    assert lower_words(text) == ["it's", "not", "good", "snake", "case", "über", "cool", "10", "10", "o'neill's"]


def test_vocabulary_is_sorted_by_frequency_then_alphabet():
    counts = Counter(["b", "a", "<unk>", "c", "b", "d", "<unk>", "d", "b"])
    assert most_frequent(counts).words == ("<unk>", "b", "d", "a", "c")
    small = most_frequent(counts, 4, special=("<pad>", "<unk>"))
    assert small.words == ("<pad>", "<unk>", "b", "d")
    np.testing.assert_array_equal(small.encode(["d", "x", "<unk>", "b"]), [3, 1, 1, 2])
    assert small.encode([]).dtype == np.int32
    with pytest.raises(ValueError, match="size: 1 is less than the number of special words, pieces and characters, 2"):
        most_frequent(counts, 1, special=("<pad>", "<unk>"))


@some
@given(words, st.integers(1, 30))
def test_known_words_are_decoded(text, size):
    vocabulary = most_frequent(Counter(text), size)
    assert len(vocabulary) == min(size, 1 + len(set(text)))
    again = [vocabulary.words[number] for number in vocabulary.encode(text)]
    assert again == [word if word in vocabulary.number else "<unk>" for word in text]


@pytest.mark.parametrize(
    ("given_words", "says"),
    [(("a", "<unk>", "a"), "'a' occurs more than once"), (("a",), "'<unk>', the unknown word, is mis")],
)
def test_invalid_vocabulary_is_refused(given_words, says):
    with pytest.raises(ValueError, match=says):
        Vocabulary(given_words)


def test_basic_words_match_bert():
    text = "Naïve CAFÉ's\t$5.00—ok?\x00\ufffd\x07 東京 a\u200bb\xa0c `x` Ǆ"
    assert " ".join(basic_words(text)) == "naive cafe ' s $ 5 . 00 — ok ? 東 京 ab c ` x ` ǆ"


def test_words_are_split_into_longest_pieces_from_left():
    tokenize = WordPiece(BERT)
    assert tokenize("The unaffable!") == ["the", "un", "##aff", "##able", "!"]
    assert tokenize("una unaffableb 東a") == ["un", "##a", "[UNK]", "東", "a"]
    # What begins a word is none of its inner pieces, nor the other way round, and "#" is a word of its own.
    assert tokenize("able theun un## ") == ["[UNK]", "[UNK]", "un", "[UNK]", "[UNK]"]
    assert tokenize("a" * 100 + " " + "a" * 101) == ["a", *["##a"] * 99, "[UNK]"]
    assert tokenize("") == []


def test_learned_vocabulary_has_characters_and_frequent_words():
    texts = ["Bob saw a cab.", "A cab saw a bob!", "saw"]
    characters = [*"!.abcosw"]
    fixed = [*SPECIAL, *characters, *(f"##{c}" for c in characters)]
    assert learn_vocabulary(texts, 1000).words == (*fixed, "saw", "bob", "cab")
    assert learn_vocabulary(texts, len(fixed) + 1).words == (*fixed, "saw")
    tokenize = WordPiece(learn_vocabulary(texts, len(fixed) + 1))
    assert tokenize("Saw sobs") == ["saw", "s", "##o", "##b", "##s"]
    with pytest.raises(ValueError, match=f"size: 20 is less than the number of special .* characters, {len(fixed)}"):
        learn_vocabulary(texts, 20)


@some
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40), st.integers(0, 20))
def test_pieces_are_joined_to_words(text, more):
    least = len(learn_vocabulary([text], 10**6)) - len({word for word in basic_words(text) if len(word) > 1})
    pieces = WordPiece(learn_vocabulary([text], least + more))(text)
    assert "[UNK]" not in pieces
    words = " ".join(pieces).replace(" ##", "")
    assert words == " ".join(basic_words(text))
    assert not [c for c in words if unicodedata.category(c) == "Mn"]


def test_texts_become_arrays_of_one_length():
    tokens, segments = ENCODER.encode(["the a", "a a a a", ""], 5).swapaxes(0, 1)
    pad, cls, sep, the, a = (BERT.number[word] for word in ("[PAD]", "[CLS]", "[SEP]", "the", "a"))
    np.testing.assert_array_equal(tokens, [[cls, the, a, sep, pad], [cls, a, a, a, sep], [cls, sep, pad, pad, pad]])
    assert not segments.any()
    assert (pad, tokens.dtype) == (PAD_ID, np.int32)


def test_pairs_become_arrays_with_segments():
    tokens, segments = ENCODER.encode([("the", "a !"), ("the the the a", "! !")], 7).swapaxes(0, 1)
    said = [" ".join(BERT.words[number] for number in row) for row in tokens]
    assert said == ["[CLS] the [SEP] a ! [SEP] [PAD]", "[CLS] the the [SEP] ! ! [SEP]"]
    np.testing.assert_array_equal(segments, [[0, 0, 0, 1, 1, 1, 0], [0, 0, 0, 0, 1, 1, 1]])


def test_only_separators_can_be_omitted():
    vocabulary = most_frequent({"x": 1, "y": 1}, special=("[PAD]", "<unk>", "[CLS]"))
    encoder = Encoder(str.split, vocabulary, separator=False)
    np.testing.assert_array_equal(encoder.encode(["y x q", ""], 3)[:, 0], [[2, 4, 3], [2, 0, 0]])
    np.testing.assert_array_equal(encoder.encode([("x q", "y")], 4), [[[2, 3, 1, 4], [0, 0, 0, 1]]])
    with pytest.raises(ValueError, match=r"vocabulary: '\[SEP\]' is missing"):
        Encoder(str.split, vocabulary)
    with pytest.raises(ValueError, match=r"vocabulary: its first word must be '\[PAD\]'"):
        Encoder(str.split, most_frequent({"x": 1}, special=("<unk>", "[PAD]", "[CLS]")), separator=False)
    with pytest.raises(ValueError, match="length: 2 leaves no room"):
        ENCODER.encode(["a"], 2)


@some
@given(st.lists(words, min_size=1, max_size=2), st.integers(2, 12))
def test_truncation_keeps_as_much_as_possible(parts, room):
    kept = truncate(parts, room)
    assert sum(map(len, kept)) == min(room, sum(map(len, parts)))
    assert all(part[: len(rest)] == rest for part, rest in zip(parts, kept, strict=True))
    if len(parts) == 2:
        for part, other in ((0, 1), (1, 0)):
            # A text loses words only while it is at least as long as the other.
            assert len(kept[part]) == len(parts[part]) or len(kept[part]) >= len(kept[other]) - 1
