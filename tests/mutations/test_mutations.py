"""The list of mutations keeps up with the program; the mutations themselves are run by hand (run.py)."""

from run import ROOT, load_mutations


def test_every_mutation_still_has_its_place_and_its_tests():
    mutations = load_mutations()
    assert len({one.name for one in mutations}) == len(mutations) >= 100
    broken = {one: one.apply(ROOT) for one in mutations}
    gone = [f"{one.name}: {one.file}" for one, text in broken.items() if text is None]
    assert not gone, f"these texts no longer stand there once; bring mutations.toml up to date: {gone}"
    for one, text in broken.items():
        compile(str(text), one.name, "exec")  # it must still run, or any test would notice
    missing = {path for one in mutations for path in one.tests if not (ROOT / path).exists()}
    assert not missing
