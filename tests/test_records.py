"""Which iterates are recorded."""

from hypothesis import given
from hypothesis import strategies as st

from attention_dynamics.training import recorded_steps


def digits(step: int) -> int:
    return len(str(step).rstrip("0"))


@given(steps=st.integers(1, 30000), every=st.integers(1, 40000))
def test_record_every_keeps_multiples_and_last(steps, every):
    expected = [t for t in range(steps + 1) if t % every == 0 or t == steps]
    assert recorded_steps(steps, every) == expected


@given(steps=st.integers(1, 30000), most=st.integers(1, 6))
def test_logarithmic_records_have_few_significant_digits_and_last(steps, most):
    expected = [t for t in range(steps + 1) if digits(t) <= most or t == steps]
    assert recorded_steps(steps, record_digits=most) == expected


def test_decades_have_equal_numbers_of_records():
    for most in (1, 2, 3):
        steps = recorded_steps(10**6, record_digits=most)
        counts = [sum(10**k < t <= 10 ** (k + 1) for t in steps) for k in range(most, 6)]
        assert counts == [9 * 10 ** (most - 1)] * len(counts)
