"""The networks on images: published sizes, attention as the papers write it, and independent computations."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_dynamics.deep.modules.observers import cls_attention, key_query_norm, soft_sparsity
from attention_dynamics.deep.modules.vision import (
    LocalitySelfAttention,
    ShiftedPatchEmbedding,
)
from attention_dynamics.deep.networks import PatchAttention, SmallDataViT, ViT
from attention_dynamics.deep.trainer.loop import build_seeded

IMAGE = (3, 8, 12)
SMALL = {"patch": 4, "dim": 16, "depth": 2, "heads": 4, "mlp": 32}
NETWORKS = {
    "ViT": lambda **more: ViT(**SMALL, **more).build(IMAGE, 5),
    "SmallDataViT": lambda **more: SmallDataViT(**SMALL, head_dim=6, **more).build(IMAGE, 5),
    "PatchAttention": lambda: PatchAttention(patch=4, dim=16).build(IMAGE, 5),
}
CIFAR = (3, 32, 32)


def network(name, **more):
    return build_seeded(0, lambda: NETWORKS[name](**more)).eval()


def images(count=3, image=IMAGE, seed=0):
    return torch.randn(count, *image, generator=torch.Generator().manual_seed(seed))


def size(network):
    return sum(p.numel() for p in network.parameters())


@pytest.mark.parametrize(
    ("build", "count"),
    [
        # ViT-base: 85,054,464 in twelve blocks, and patches of 2 x 2, [CLS], 257 positions, last norm, ten classes.
        (lambda: ViT(patch=2, dim=768, depth=12, heads=12, mlp=3072, bias=True).build(CIFAR, 10), 85_271_818),
        # The ViT of Mirror descent on CIFAR-10: 9.56 million.
        (lambda: ViT(resize=48, patch=4, dim=512, depth=6, heads=8, mlp=512).build(CIFAR, 10), 9_564_682),
        # Fast rates Fig 7: about 4.7 million.
        (lambda: SmallDataViT(patch=4, dim=64, depth=8, heads=32, head_dim=64, mlp=512).build(CIFAR, 10), 4_746_674),
        # The stand-in of Mirror descent, section 6: 12,352 + 64 + 1088 + 2 · 33,280 + 128 + 650.
        (lambda: ViT(patch=8, dim=64, depth=2, heads=2, mlp=128).build(CIFAR, 10), 80_842),
        # Fast rates Fig 6: 16 patches of 7 x 7, dim 32: 1600 + 512 + 1024 + 5130.
        (lambda: PatchAttention(patch=7, dim=32).build((1, 28, 28), 10), 8_266),
    ],
)
def test_parameter_counts_match_published_sizes(build, count):
    with torch.device("meta"):
        assert size(build()) == count


@pytest.mark.parametrize("name", ["ViT", "SmallDataViT"])
def test_probabilities_mix_values(name):
    """Independent of the fused kernel that training uses."""
    attention = network(name).blocks[0].attention
    with torch.no_grad():
        for p in attention.parameters():
            p.add_(0.3 * torch.ones_like(p))
        tokens = torch.randn(2, 7, 16, generator=torch.Generator().manual_seed(1))
        value = (tokens @ attention.projections()["V"].T).unflatten(-1, (4, -1)).transpose(1, 2)
        mixed = (attention.probabilities(tokens) @ value).transpose(1, 2).flatten(2)
        np.testing.assert_allclose(attention(tokens), attention.out(mixed), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["ViT", "SmallDataViT"])
def test_first_token_output_equals_full_output(name):
    block = network(name).blocks[0]
    tokens = torch.randn(2, 7, 16, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(block(tokens, queries=1), block(tokens)[:, :1])


@pytest.mark.parametrize("name", NETWORKS)
def test_logits_match_combined_key_query_matrix(name):
    """The last layer's probabilities from W_K W_Q' alone: softmax over t of x_t' W x for each query x."""
    model = network(name)
    with torch.no_grad():
        for p in model.parameters():
            p.add_(0.1 * torch.randn(p.shape, generator=torch.Generator().manual_seed(2)))
        x = model.tokens(images())
        if name == "PatchAttention":
            scale, probabilities = 1, model.probabilities(x)[:, None]
        else:
            probabilities = model.last_attention(images())
            x = model.blocks[-1].attention_norm(model.blocks[0](x))
            scale = (16 / 4) ** -0.5 if name == "ViT" else model.blocks[-1].attention.log_scale.exp()
    logits = scale * torch.einsum("ntd,hde,nse->nhst", x, model.key_query(), x)
    if name == "SmallDataViT":
        logits = logits - torch.diag_embed(torch.full((logits.shape[-1],), torch.inf))
    np.testing.assert_allclose(logits.nan_to_num(nan=-torch.inf).softmax(-1), probabilities, atol=1e-5)


@pytest.mark.parametrize("bias", [True, False])
def test_network_matches_torch_encoder_layers(bias):
    model = network("ViT", bias=bias)
    with torch.no_grad():
        for p in model.parameters():
            p.add_(0.1 * torch.randn(p.shape, generator=torch.Generator().manual_seed(3)))
    x = model.tokens(images())
    for block in model.blocks:
        layer = torch.nn.TransformerEncoderLayer(16, 4, 32, 0.0, "gelu", batch_first=True, norm_first=True)
        state = layer.state_dict()
        names = {"norm1": "attention_norm", "norm2": "mlp_norm", "linear1": "mlp.0", "linear2": "mlp.3"}
        names |= {"self_attn.out_proj": "attention.out"}
        for end in ("weight", "bias"):
            state |= {f"{theirs}.{end}": block.state_dict()[f"{ours}.{end}"] for theirs, ours in names.items()}
            ours = block.state_dict().get(f"attention.query_key_value.{end}")
            state[f"self_attn.in_proj_{end}"] = torch.zeros(48) if ours is None else ours
        layer.load_state_dict(state)
        x = layer(x)
    logits = model.head(torch.nn.functional.layer_norm(x[:, 0], (16,), model.norm.weight, model.norm.bias))
    np.testing.assert_allclose(model(images()).detach(), logits.detach(), rtol=1e-4, atol=1e-5)


def test_temperature_starts_at_dimension_and_is_learned():
    attention = LocalitySelfAttention(8, 2, 9, 0.0, bias=False)
    np.testing.assert_allclose(attention.scale().item(), 1 / 3, rtol=1e-6)
    tokens = torch.randn(1, 5, 8)
    attention(tokens).square().sum().backward()
    assert attention.log_scale.grad.item() != 0
    with torch.no_grad():
        attention.log_scale.fill_(-50.0)
        uniform = (1 - torch.eye(5)) / 4
        np.testing.assert_allclose(attention.probabilities(tokens)[0, 1], uniform, atol=1e-6)


@pytest.mark.parametrize("name", NETWORKS)
def test_gradients_reach_every_parameter(name):
    model = network(name)
    torch.nn.functional.cross_entropy(model(images(8)), torch.arange(8) % 5).backward()
    assert [n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()] == []


@pytest.mark.parametrize("name", NETWORKS)
def test_network_depends_only_on_seed(name):
    state = torch.get_rng_state()
    first, again, other = (build_seeded(seed, NETWORKS[name]).eval() for seed in (3, 3, 4))
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.equal(first(images()), again(images()))
    assert not torch.equal(first(images()), other(images()))


def test_dropout_acts_in_training_only():
    model = network("ViT", dropout=0.5)
    assert torch.equal(model(images()), model(images()))
    model.train()
    assert not torch.equal(model(images()), model(images()))


def test_resized_images_are_scaled_bilinearly_before_patches():
    model = build_seeded(0, lambda: ViT(resize=8, **SMALL).build((1, 4, 4), 2)).eval()
    ramp = torch.arange(4.0).expand(1, 1, 4, 4)
    fine = torch.tensor([0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3]).expand(1, 1, 8, 8)
    np.testing.assert_allclose(
        model.tokens(ramp)[:, 1:].detach(), (model.embedding(fine) + model.position[:, 1:]).detach()
    )


def test_patches_are_pixels_of_image_row_by_row():
    model = network("PatchAttention")
    x, linear = images(1), model.embedding.linear
    blocks = [x[0, :, r : r + 4, c : c + 4].reshape(-1) for r in (0, 4) for c in (0, 4, 8)]
    np.testing.assert_allclose(model.embedding(x)[0].detach(), linear(torch.stack(blocks)).detach(), atol=1e-6)


def test_shifted_patches_see_one_pixel_of_each_neighbor():
    """A single bright pixel reaches exactly the patches whose shifted copies contain it."""
    embedding = ShiftedPatchEmbedding(1, 4, 4)
    dark = embedding(torch.zeros(1, 1, 8, 8))
    for (row, column), seen in {(1, 1): [0], (3, 1): [0, 2], (3, 3): [0, 1, 2], (4, 4): [1, 2, 3]}.items():
        x = torch.zeros(1, 1, 8, 8)
        x[0, 0, row, column] = 1
        assert (embedding(x) - dark).abs().sum(-1)[0].nonzero()[:, 0].tolist() == seen


def test_attention_without_keys_and_queries_is_uniform():
    """W = 0: the first layer of Fast rates Fig 6 averages the tokens."""
    model = network("PatchAttention")
    tokens = model.tokens(images())
    np.testing.assert_allclose(model.probabilities(tokens).detach(), 1 / 6, rtol=1e-6)
    mean = tokens.mean(1, keepdim=True).expand(-1, 6, -1).flatten(1)
    np.testing.assert_allclose(model(images()).detach(), model.head(mean).detach(), atol=1e-6)


def test_histograms_count_projections():
    model = ViT(patch=8, dim=64, depth=2, heads=2, mlp=128).build(CIFAR, 10)
    weights = model.projections()
    assert {name: tuple(w.shape) for name, w in weights.items()} == dict.fromkeys("QKV", (2, 64, 64))
    # Entries start uniform in +-1/8: the share below .005 that the histogram of section 6 starts with.
    np.testing.assert_allclose((torch.cat(list(weights.values())).abs() < 0.005).double().mean(), 0.04, atol=0.004)
    by_hand = weights["K"][1].T[:, 32:] @ weights["Q"][1][32:]
    np.testing.assert_allclose(model.key_query()[1], by_hand, atol=1e-6)


@settings(deadline=None)
@given(st.integers(2, 40), st.integers(1, 40))
def test_soft_sparsity_counts_tokens_that_share_attention(tokens, chosen):
    chosen = min(chosen, tokens)
    s = torch.zeros(2, tokens, dtype=torch.float64)
    s[0, :chosen] = 1 / chosen
    s[1] = torch.rand(tokens, dtype=torch.float64).softmax(0)
    np.testing.assert_allclose(soft_sparsity(s)[0], chosen)
    np.testing.assert_allclose(soft_sparsity(s)[1], s[1].abs().sum() / s[1].norm() ** 2)
    assert 1 <= soft_sparsity(s)[1] <= tokens


def test_norm_is_of_product_of_whole_matrices():
    """With torch's initial weights about sqrt(dim) / 3 = 2.67; the stand-in of Max-margin starts at 2.68."""
    model = build_seeded(0, lambda: ViT(patch=2, dim=64, depth=2, heads=4, mlp=128).build((1, 8, 8), 10))
    weights = model.projections()
    expected = np.linalg.norm(weights["K"][-1].numpy().T @ weights["Q"][-1].numpy())
    np.testing.assert_allclose(key_query_norm(model.key_query()), expected, rtol=1e-5)
    np.testing.assert_allclose(expected, 8 / 3, rtol=0.05)


def test_class_token_attention_is_mean_over_heads():
    probabilities = network("ViT").last_attention(images())
    expected = sum(probabilities[:, head, 0] for head in range(4)) / 4
    np.testing.assert_allclose(cls_attention(probabilities), expected, rtol=1e-6)
