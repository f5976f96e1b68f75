"""Short sentences with a designated word: the lists, their tokens, and the attention on them."""

import numpy as np
import pytest
import torch

from attention_dynamics.deep.datasets import sentences, stand_ins, texts, tokens
from attention_dynamics.deep.datasets.labelled import EncodedTexts
from attention_dynamics.deep.datasets.sentences import encode_sentences
from attention_dynamics.deep.datasets.tokens import Encoder, Vocabulary, lower_words
from attention_dynamics.deep.modules.observers import ClassifierObserver
from attention_dynamics.deep.networks import TextClassifier
from attention_dynamics.deep.problems import TextSource
from attention_dynamics.measures.measure import Measure
from attention_dynamics.problems import stored
from attention_dynamics.run import Run

CLASSES = {"imdb": texts.Imdb.CLASSES, "pydoc_topics": tuple(stand_ins.GROUPS)}
SPECIAL = ("[PAD]", "[UNK]", "[CLS]")


@pytest.mark.parametrize("name", sentences.SENTENCES)
def test_sentence_lists_have_one_designated_word(name):
    by_class = sentences.SENTENCES[name]
    assert tuple(by_class) == CLASSES[name]
    listed = [sentences.parse_sentence(marked) for texts in by_class.values() for marked in texts]
    assert len(listed) >= 40
    assert len({sentence.text for sentence in listed}) == len(listed)
    for sentence in listed:
        words = lower_words(sentence.text)
        assert 1 < len(words) <= 6
        assert lower_words(sentence.designated) == [words[len(lower_words(sentence.before))]]


@pytest.mark.parametrize("marked", ["no word", "*two* *words*", "*half", "a *b* c*"])
def test_sentence_without_single_designated_word_is_refused(marked):
    with pytest.raises(ValueError, match="one word needs to stand between asterisks"):
        sentences.parse_sentence(marked)


def encode(words, length=9, name="imdb"):
    encoder = Encoder(lower_words, Vocabulary((*SPECIAL, *words), "[UNK]"), separator=False)
    return encode_sentences(name, CLASSES["imdb"], encoder, length)


def test_sentences_with_known_word_are_encoded_after_cls():
    short = encode(["a", "boring", "film", "powerful"])
    assert short.texts.tolist() == ["A boring film", "A truly powerful last act"]
    # Words of the others are not known, as in texts; padding makes them equally long.
    assert short.tokens.tolist() == [[2, 3, 4, 5, 0, 0], [2, 3, 1, 6, 1, 1]]
    assert short.designated.tolist() == [2, 3]
    assert short.labels.tolist() == [0, 1]
    assert short.listed == 44
    # Cut off before the word of the second.
    assert encode(["a", "boring", "film", "powerful"], length=3).tokens.tolist() == [[2, 3, 4]]


def test_word_piece_sentences_end_with_separator_and_keep_word_whole():
    vocabulary = Vocabulary((*tokens.SPECIAL, "a", "boring", "film", "power", "##ful"), "[UNK]")
    encoder = Encoder(tokens.WordPiece(vocabulary), vocabulary)
    short = encode_sentences("imdb", CLASSES["imdb"], encoder, 9)
    assert short.texts.tolist() == ["A boring film"]
    assert short.tokens.tolist() == [[2, 5, 6, 7, 3]]
    assert encode_sentences("imdb", CLASSES["imdb"], encoder, 4).tokens.tolist() == [[2, 5, 6, 3]]
    assert encode_sentences("imdb", CLASSES["imdb"], encoder, 3) is None


def test_texts_without_sentences_have_none():
    assert encode(["a", "film"]) is None
    assert encode(["boring"], name="mnli") is None


@pytest.fixture(scope="module")
def texts():
    return TextSource(dataset="imdb", vocabulary="words", length=12, words=200, train=60, test=20).build()


def test_problem_keeps_sentences(texts):
    again = stored.from_arrays(texts.to_arrays())
    for name, array in vars(texts.sentences).items():
        np.testing.assert_array_equal(vars(again.sentences)[name], array)
    words = texts.words[np.take_along_axis(texts.sentences.tokens, texts.sentences.designated[:, None], 1)[:, 0]]
    assert all(word in text.lower() for word, text in zip(words, texts.sentences.texts, strict=True))


def test_attention_matches_softmax_of_last_block():
    torch.manual_seed(0)
    model = TextClassifier(dim=8, depth=2, heads=2, mlp=12, dropout=0.3).build((2, 9, 11), 2).eval()
    tokens = np.array([[2, 4, 5, 6], [2, 7, 0, 0]])
    observed = ClassifierObserver(["weights", "sentences"], tokens)(model)
    assert "weight_max_q" in observed
    for row, length in ((0, 4), (1, 2)):
        # One sentence without padding, head by head.
        one = torch.tensor(tokens[row : row + 1, :length])
        hidden = model.blocks[0](model.embedding(one) + model.position[:length], torch.ones(1, 1, 1, length).bool())
        query, key = (hidden[0] @ model.blocks[1].projections()[name].T for name in "QK")
        heads = [(query[0, part] @ key[:, part].T / 4**0.5).softmax(0) for part in (slice(4), slice(4, 8))]
        expected = (sum(heads) / 2).detach().numpy()
        np.testing.assert_allclose(observed["sentence_attention"][row, :length], expected, atol=1e-6)
        assert (observed["sentence_attention"][row, length:] == 0).all()
    assert ClassifierObserver([], None)(model) == {}


def test_word_score_is_between_zero_and_one():
    short = encode(["a", "boring", "film", "powerful"])
    attention = np.zeros((2, 1, 1, 2, 6))
    attention[0, 0, 0] = [[0.1, 0.4, 0.2, 0.3, 0, 0], [0.25, 0.05, 0.1, 0.5, 0.05, 0.05]]
    attention[1, 0, 0] = [[0.25] * 4 + [0] * 2, [1 / 6] * 6]
    problem = EncodedTexts(*[np.zeros(0)] * 6, sentences=short)
    measure = Measure.of("sentences")
    series = measure.measure(Run(training=None, problem=problem, trajectory={"sentence_attention": attention}))
    assert set(series) == set(measure.series)
    # Padding is not the least.
    np.testing.assert_allclose(series["designated_attention"], [[[[1 / 3, 1]]], [[[0, 0]]]])
