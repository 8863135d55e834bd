//! What the figures of a page of `netsig report` hold.

use itertools::Itertools as _;
use serde_json::Value;

/// What a page holds for its script.
pub fn page_data(page: &str) -> Value {
    let start = page.split_once("id=\"report-data\"").unwrap().1;
    let text = start.split_once('>').unwrap().1.split_once("</script>").unwrap().0;
    serde_json::from_str(text).unwrap()
}

/// The series of the figures whose title ends so, in each figure.
fn series_of<'d>(data: &'d Value, title: &str) -> Vec<&'d Vec<Value>> {
    let figures = data["figures"].as_array().unwrap().iter();
    let of_title = figures.filter(|figure| figure["title"].as_str().unwrap().ends_with(title));
    of_title.map(|figure| figure["series"].as_array().unwrap()).collect()
}

fn looks<'d>(series: &'d [Value], look: &str) -> impl Iterator<Item = &'d Value> {
    series.iter().filter(move |one| one["look"] == look)
}

/// Asserts that the figures draw what was measured beside netsig's predictions with their level, and steps as steps.
/// Nothing that was held out is joined with what was fitted, and the library has one colour.
pub fn assert_figures(data: &Value) {
    for series in series_of(data, "measured and predicted times") {
        for look in ["specks", "band", "line"] {
            assert!(looks(series, look).all(|one| one["procs"].is_u64()), "{look}");
        }
        assert!(looks(series, "specks").next().is_some() && looks(series, "dots").next().is_some());
    }
    let keys = data["figures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|figure| figure["key"].to_string());
    assert!(keys.filter(|key| key.contains("predicted, 90 % interval")).count() > 4);
    let contention = series_of(data, "as without contention")[0];
    let x = looks(contention, "dashes").next().unwrap()["x"].as_array().unwrap();
    assert!(
        x.windows(2).any(|pair| pair[0] == pair[1]),
        "the signature steps at M: {x:?}"
    );
    assert!(looks(contention, "line").next().is_some() && looks(contention, "band").next().is_some());
    for series in series_of(data, "error of the prediction by processes") {
        let places = |look: &str| {
            looks(series, look)
                .flat_map(|one| one["x"].as_array().unwrap())
                .collect_vec()
        };
        assert!(
            places("rings")
                .iter()
                .all(|held_out| !places("line").contains(held_out))
        );
    }
    for series in series_of(data, "size from which ports overflow, M(n)") {
        assert!(looks(series, "bars").chain(looks(series, "arrows")).next().is_some());
    }
    assert!(
        series_of(data, "lost packets")
            .iter()
            .any(|series| looks(series, "stars").next().is_some())
    );
    let hues = contention
        .iter()
        .filter(|one| one["name"].as_str().unwrap().starts_with("library among"));
    assert!(hues.map(|one| &one["colour"]).all(|colour| colour == "c0"));
    for map in data["maps"].as_array().unwrap() {
        let names = map["names"]
            .as_array()
            .unwrap()
            .iter()
            .zip(map["colours"].as_array().unwrap());
        assert!(
            names
                .into_iter()
                .all(|(name, colour)| (name == "library") == (colour == "c0")),
            "{map}"
        );
        let tiles = map["tiles"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|row| row.as_array().unwrap());
        let unsure = tiles
            .filter(|tile| tile["unsure"] == true)
            .map(|tile| tile["words"].as_str().unwrap());
        assert!(unsure.clone().count() > 0 && unsure.clone().all(|words| words.contains("not sure")));
    }
    for table in data["cells"].as_array().unwrap() {
        let contest = &table["contests"][usize::try_from(table["widest"].as_u64().unwrap()).unwrap()];
        let cells = contest[2]
            .as_array()
            .unwrap()
            .iter()
            .map(|place| &table["cells"][usize::try_from(place.as_u64().unwrap()).unwrap()]);
        assert!(cells.clone().count() == 2 && cells.clone().all(|cell| cell[8].as_array().unwrap().len() > 1));
        let medians = cells.map(|cell| cell[4].as_f64().unwrap()).collect_vec();
        assert!(medians[0] > medians[1], "the library loses: {medians:?}");
    }
}
