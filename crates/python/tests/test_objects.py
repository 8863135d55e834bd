"""Objects are values: pickled, copied, compared, shown, and read as columns."""

import copy
import html.parser
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import netsig
from conftest import SOURCES

pytestmark = pytest.mark.filterwarnings("ignore::netsig.NetsigWarning")

ROW_CLASSES = ["Dataset", "Table", "Predictions", "Selection", "Simulations"]


@pytest.fixture(scope="module")
def objects(data, profile):
    """An object of every class, and one of other content."""
    grid = ([[4], [8]], [1024, 65536, 1 << 20])
    free = {"settings": {"L": "10us", "G": "1ns/B"}}
    return {
        "Dataset": (data, netsig.Dataset.from_arrow(data.to_pandas()[1:], provenance=data.provenance)),
        "Clusters": (netsig.Clusters([4, 8]), netsig.discover("wan-6-6-30x5")),
        "Network": (netsig.Network("ethernet-12x40"), netsig.Network("ethernet-12x20")),
        "Profile": (profile, netsig.fit(data, model="signature")),
        "Predictions": (profile.predict("alltoall", *grid), profile.predict("alltoall", 8, 1024)),
        "Selection": (profile.select("alltoall", *grid), profile.select("alltoall", 8, 1024)),
        "Simulations": (
            netsig.simulate(None, "bcast", "binomial", *grid, **free),
            netsig.simulate(None, "bcast", "binomial", 8, 1, **free),
        ),
        "Table": (netsig.models(), profile.choices()),
    }


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(objects, protocol):
    for one, other in objects.values():
        for original in (one, other):
            again = pickle.loads(pickle.dumps(original, protocol))
            assert type(again) is type(original)
            assert again is not original
            assert again == original
            assert repr(again) == repr(original)
        assert pickle.loads(pickle.dumps(other, protocol)) != one


def test_pickles_answer_alike(objects, profile):
    again = pickle.loads(pickle.dumps(objects))
    for name in ROW_CLASSES:
        original, restored = objects[name][0], again[name][0]
        assert original.to_polars().equals(restored.to_polars())
    predictions = again["Predictions"][0]
    assert predictions.shape == predictions.time_s.shape == (2, 3)
    assert np.array_equal(predictions.time_s, objects["Predictions"][0].time_s)
    assert again["Selection"][0].best.tolist() == objects["Selection"][0].best.tolist()
    assert again["Profile"][0].name == profile.name
    found = again["Profile"][0].predict("alltoall", 8, 1024)
    assert found == profile.predict("alltoall", 8, 1024)
    assert again["Network"][0].hosts == 12


def test_pickle_of_an_empty_answer(profile):
    empty = profile.predict("alltoall", 8, np.empty((0, 3), int))
    again = pickle.loads(pickle.dumps(empty))
    assert again == empty
    assert again.time_s.shape == (0, 3)


def test_pickle_of_data_with_every_kind_of_row(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(
        "#@mpi=Open MPI 4.1.4\n"
        "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s,status,statistic,averaged\n"
        "collective,alltoall,library,4,1024,0,0,1e-3,ok,,\n"
        "collective,alltoall,library,4,1024,1,0,,late,,\n"
        "collective,alltoall,library,4,2048,0,0,2e-3,ok,mean,100\n"
    )
    data = netsig.read_data(path)
    again = pickle.loads(pickle.dumps(data))
    assert again == data
    assert again.provenance == data.provenance == {"mpi": "Open MPI 4.1.4"}
    assert again["averaged"][2] == 100
    assert np.isnan(again["time_s"][1])


def test_in_another_process(profile):
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer).predict('alltoall', 8, 1024).time_s)"
    run = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(profile), capture_output=True, check=True)
    assert float(run.stdout) == profile.predict("alltoall", 8, 1024).time_s


def test_pickles_are_small(profile):
    many = profile.predict("alltoall", 8, np.arange(1, 100_001))
    numbers = 5 * many.time_s.nbytes
    assert len(pickle.dumps(many)) < 1.8 * numbers


def other_version(original, format):
    restore, (kind, _, *state) = original.__reduce__()
    return restore, (kind, format, *state)


@pytest.mark.parametrize("kind", ["Clusters", "Dataset", "Network", "Profile", "Predictions", "Selection", "Simulations", "Table"])
def test_pickles_of_another_version(objects, kind):
    restore, arguments = other_version(objects[kind][0], 2)
    with pytest.raises(netsig.UsageError) as found:
        restore(*arguments)
    assert str(found.value) == (
        f"a {kind} was pickled by another version of netsig (format 2; this version reads 1); "
        "unpickle it with that version and write a file of it, or compute it again"
    )
    with pytest.raises(netsig.UsageError, match="by another version"):
        restore(kind, 7, {"any": "state"}, 3, None)
    for damage in [(kind, 1), (kind, 1, {}, b""), (kind, 1, {"name": "a"}, b"\xff\x00"), ("Other", 1, {}, b"")]:
        with pytest.raises(netsig.UsageError, match=rf"^the pickle of a {damage[0]} is damaged \(.*\); compute") as found:
            restore(*damage)
        assert "\n" not in str(found.value)


def test_damaged_rows(objects):
    restore, (kind, format, facts, _) = objects["Predictions"][0].__reduce__()
    _, (_, _, _, rows) = objects["Selection"][0].__reduce__()
    with pytest.raises(netsig.UsageError, match="other columns"):
        restore(kind, format, facts, rows)
    _, (_, _, _, rows) = objects["Predictions"][0].__reduce__()
    with pytest.raises(netsig.UsageError, match="not the shape"):
        restore(kind, format, facts | {"shape": "7"}, rows)


def test_copies(objects):
    for one, _ in objects.values():
        assert copy.copy(one) == one
        assert copy.deepcopy({"key": [one]})["key"][0] == one


def test_equality(objects, data, profile, profile_file, tmp_path):
    for name, (one, other) in objects.items():
        assert one == one
        assert not one != one
        assert one != other
        assert one != name
        assert (one == None) is False  # noqa: E711
    data.write(tmp_path / "other-name.csv")
    assert netsig.read_data(tmp_path / "other-name.csv") == data
    assert netsig.Profile.parse(profile_file.read_text(), name="other") == profile
    assert netsig.fit(data) == profile
    assert netsig.Dataset.from_arrow(data.to_pandas(), provenance={"mpi": "another"}) != data


def test_simulations_of_events_are_values_but_not_pickled():
    one, again, other = (netsig.simulate_events("ethernet-12x40", "bcast", "binomial", n, 1024) for n in (8, 8, 7))
    assert one == again == copy.deepcopy(one)
    assert one != other
    with pytest.raises(TypeError, match=r"^EventSimulation\(binomial .*\) cannot be pickled; pickle its table"):
        pickle.dumps(one)
    assert pickle.loads(pickle.dumps(one.links())) == one.links()


def test_hashes(objects):
    for name in ROW_CLASSES:
        with pytest.raises(TypeError, match="unhashable"):
            hash(objects[name][0])
    for name in ("Clusters", "Network", "Profile"):
        one, other = objects[name]
        assert hash(pickle.loads(pickle.dumps(one))) == hash(one)
        assert len({one, copy.copy(one), other}) == 2


def test_columns(objects):
    for name in ROW_CLASSES:
        rows = objects[name][0]
        frame = rows.to_polars()
        assert list(rows) == rows.keys() == frame.columns
        assert len(rows) == frame.height > 0
        assert frame.columns[0] in rows
        assert "time" not in rows
        assert 3 not in rows
        columns = dict(rows)
        assert list(columns) == frame.columns
        for (key, values), again in zip(rows.items(), rows.values(), strict=True):
            assert values.shape == (len(rows),)
            assert not values.flags.writeable
            assert np.array_equal(pd.isna(values), pd.isna(again))
            expected = frame[key].to_list()
            is_missing = [value is None for value in expected]
            assert pd.isna(values).tolist() == is_missing
            present = ~np.array(is_missing)
            assert values[present].tolist() == [value for value in expected if value is not None]
        with pytest.raises(KeyError, match="'time' is no column; take one of: |\"time\" is no column; take one of: "):
            rows["time"]
        with pytest.raises(TypeError):
            rows[0]


def test_kinds_of_columns(objects, data):
    selection = objects["Selection"][0]
    kinds = {name: values.dtype.kind for name, values in selection.items()}
    assert [kinds[name] for name in ("procs", "size_bytes", "rank", "measured", "time_s", "algorithm")] == list("iiibfO")
    assert selection["procs"].dtype == selection["size_bytes"].dtype == np.int64
    assert data["procs"].dtype == data["size_bytes"].dtype == np.int64
    # As in pandas, a column of integers with missing ones is float64.
    assert data["averaged"].dtype == data.to_pandas()["averaged"].to_numpy(float).dtype == np.float64
    assert data["statistic"].tolist() == [None] * len(data)
    for name, kind in {"procs": pl.Int64, "size_bytes": pl.Int64, "time_s": pl.Float64}.items():
        assert data.to_polars()[name].dtype == kind


def test_a_frame_of_the_columns(objects):
    predictions = objects["Predictions"][0]
    frame = pd.DataFrame(dict(predictions))
    assert frame.time_s.tolist() == predictions.time_s.ravel().tolist()
    assert predictions["time_s"].shape == (6,)
    assert predictions["time_s"].tolist() == predictions.table()["time_s"].tolist()


def test_attributes_are_read_only(objects):
    integers = {"procs", "size_bytes", "segment_bytes", "messages", "sent_bytes", "losses"}
    for name in ("Predictions", "Selection", "Simulations"):
        for one in (objects[name][0], pickle.loads(pickle.dumps(objects[name][0]))):
            arrays = {part: getattr(one, part) for part in dir(one) if not part.startswith("_")}
            arrays = {part: values for part, values in arrays.items() if isinstance(values, np.ndarray)}
            assert "time_s" in arrays
            for part, values in arrays.items():
                assert values.shape == (2, 3)
                assert not values.flags.writeable
                with pytest.raises(ValueError, match="read-only"):
                    values[0, 0] = values[0, 1]
                if part in integers:
                    assert values.dtype == np.int64
    single = objects["Simulations"][1]
    assert type(single.messages) is int
    assert type(single.time_s) is float


class Markup(html.parser.HTMLParser):
    """The tags and texts of a page, and the texts of cells with their alignment."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.cells, self.open, self.texts = set(), [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.open.append((tag, dict(attrs)))
        if tag == "td":
            self.cells.append((dict(attrs)["style"].removeprefix("text-align: "), ""))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, text):
        self.texts.append(text)
        if self.open and self.open[-1][0] == "td":
            self.cells[-1] = (self.cells[-1][0], text)


def test_notebook_tables(objects):
    for name in [*ROW_CLASSES, "Clusters", "Profile"]:
        shown = objects[name][0]._repr_html_()
        page = Markup(shown)
        assert page.tags == {"div", "p", "table", "thead", "tbody", "tr", "th", "td"}
        assert len(shown) < 20_000
        assert shown.count("<tr>") <= 11
        assert name in page.texts[0]


def test_notebook_numbers(objects, data):
    page = Markup(objects["Predictions"][1]._repr_html_())
    time = objects["Predictions"][1].time_s
    assert ("right", f"{time * 1e3:.3g} ms") in page.cells
    assert ("right", "1 KiB") in page.cells
    assert ("right", "8") in page.cells
    assert ("left", "alltoall") in page.cells
    page = Markup(data._repr_html_())
    assert f"… {len(data) - 10} more" in page.texts
    assert "more" not in objects["Predictions"][0]._repr_html_()


def test_notebook_markup(data, tmp_path):
    bad = "<script>alert('a')</script>&\"x\""
    frame = data.to_pandas()[:3].assign(experiment="collective", collective="alltoall", algorithm=bad.replace(",", ""))
    named = netsig.Dataset.from_arrow(frame, name=f"{bad}\x1b[31m.csv")
    shown = named._repr_html_()
    assert "<script" not in shown
    assert "\x1b" not in shown
    assert "&lt;script&gt;alert(&#39;a&#39;)&lt;/script&gt;&amp;&quot;x&quot;" in shown
    assert bad in Markup(shown).cells[2][1]
    text = (SOURCES / "crates/cli/tests/refusals/home/profile.toml").read_text()
    assert "<b>" not in netsig.Profile.parse(text, name="<b>bold</b>")._repr_html_()


def test_a_large_dataset_is_shown_at_once(data):
    frame = data.to_pandas()
    large = netsig.Dataset.from_arrow(pd.concat([frame] * 5).assign(repetition=range(5 * len(frame))))
    shown = large._repr_html_()
    assert f"… {len(large) - 10} more" in shown
    assert len(shown) < 20_000
