"""Instruments of several workers in one text that Prometheus reads."""

from prometheus_client.parser import text_string_to_metric_families

from proxy.telemetry.exposition import exposition, merged

ONE = (
    "# HELP a_total Things.\n# TYPE a_total counter\n"
    'a_total{kind="x, y"} 1.0\na_total{kind="z"} 2.0\n'
    "# HELP b_seconds Time.\n# TYPE b_seconds gauge\nb_seconds 0.5\n"
)
TWO = ONE.replace("1.0", "4.0") + "# HELP c_ratio Part.\n# TYPE c_ratio gauge\nc_ratio NaN\n"


def test_each_family_stands_once_and_each_sample_names_its_worker() -> None:
    """The text parses, and no sample is lost or given to another."""
    text = merged({0: ONE, 1: TWO}).decode()
    families = {family.name: family for family in text_string_to_metric_families(text)}
    values = {(s.labels["kind"], s.labels["worker"]): s.value for s in families["a"].samples}
    assert values == {("x, y", "0"): 1, ("z", "0"): 2, ("x, y", "1"): 4, ("z", "1"): 2}
    assert [s.labels for s in families["b_seconds"].samples] == [{"worker": "0"}, {"worker": "1"}]
    assert len(families["c_ratio"].samples) == 1
    assert text.count("# HELP a_total") == 1


async def test_our_own_instruments_survive_it() -> None:
    """As many samples as two processes have, all parsed."""
    own = (await exposition()).decode()
    alone = sum(len(family.samples) for family in text_string_to_metric_families(own))
    both = merged({0: own, 1: own}).decode()
    assert sum(len(f.samples) for f in text_string_to_metric_families(both)) == 2 * alone
