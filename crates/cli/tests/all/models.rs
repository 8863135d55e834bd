//! Guarantees to users about lists, answers, choices, comparisons and fits of models: every model answers or names its
//! missing input, and worked values are reproduced.

use std::collections::BTreeSet;

use crate::support::{
    ON_SIMULATOR, PLAN, PrintedRow, TestHome, number, parse_csv, printed_rows, stderr_text, with_changed_times,
};
use netsig_base::algorithm::{Algorithm, Collective};
use netsig_model::model::{self, Model, ModelEstimator};

/// g = 10 µs + 10 ns/B·m, os = 5 µs + 4 ns/B·m, or = 6 µs + 5 ns/B·m, L = 50 µs, written by
/// hand, without signatures.
const TOY: &str = include_str!("../refusals/home/toy.toml");

const OF_ALLTOALL: &str = "--collective alltoall --procs 8 --size 4096 --format csv";

/// With the profile of [`TOY`].
fn toy() -> TestHome {
    let home = TestHome::new();
    home.write("toy.toml", TOY);
    home
}

/// The one time that netsig predicts.
fn time(home: &TestHome, arguments: &str) -> f64 {
    let (_, rows) = parse_csv(&home.run(&format!("predict {arguments} {OF_ALLTOALL}")));
    assert_eq!(rows.len(), 1, "{arguments}");
    assert_is_interval(&rows[0]);
    number(&rows[0], "time_s")
}

fn assert_is_interval(row: &PrintedRow) {
    let time = number(row, "time_s");
    // A prediction from tables of pLogP has no interval.
    let [lower, upper] = ["lower_s", "upper_s"].map(|key| match row[key].as_str() {
        "" => time,
        _ => number(row, key),
    });
    let is_ordered = 0.0 <= lower && lower <= time && time <= upper && upper.is_finite();
    assert!(is_ordered, "{row:?}");
}

fn assert_close(got: f64, expected: f64, what: &str) {
    let is_close = (got - expected).abs() <= 1e-12 * expected.abs();
    assert!(is_close, "{what}: {got} is not {expected}");
}

fn column<'a>(rows: &'a [PrintedRow], key: &str) -> Vec<&'a str> {
    rows.iter().map(|row| row[key].as_str()).collect()
}

fn names(collective: Collective) -> Vec<&'static str> {
    model::of_collective(collective).map(|model| model.name).collect()
}

fn strategies(collective: Collective) -> Vec<&'static str> {
    model::strategies(collective).map(|model| model.name).collect()
}

fn alltoalls() -> impl Iterator<Item = &'static Model> {
    model::of_collective(Collective::Alltoall)
}

#[test]
fn every_model_is_listed_and_tells_its_formula_source_and_example() {
    let home = TestHome::new();
    let listed = printed_rows(&home, "models");
    assert_eq!(listed.len(), model::models().count());
    let screen = home.run("models --wide");
    for (row, model) in listed.iter().zip(model::models()) {
        assert_eq!(row["model"], model.name);
        let value = number(row, "example_value");
        assert_close(value, model.example.expected, model.name);
        assert!(screen.contains(model.formula));
        let text = home.run(&format!("models {}/{}", model.subject, model.name));
        let title = format!("{}/{} (", model.subject, model.name);
        assert!(text.starts_with(&title), "{text}");
        let parts = [model.formula, model.source, model.example.inputs];
        let names = model.parameters.iter().map(|p| p.name);
        for part in parts.into_iter().chain(names) {
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
    }
    let flat = home.run("models flat");
    let namesakes = model::all_named("flat").unwrap().len();
    assert_eq!(flat.matches("\nsource ").count(), namesakes);
    let scatter = printed_rows(&home, "models --collective scatter");
    assert_eq!(column(&scatter, "model"), names(Collective::Scatter));
}

/// The segmented strategies have segments in their formula, and no segment is longer than the message. Without
/// `--model` there is a row for each algorithm of the table.
#[test]
fn every_strategy_is_predicted() {
    let home = toy();
    for collective in [Collective::Bcast, Collective::Scatter, Collective::Gather] {
        let arguments = format!("predict toy.toml --collective {collective} --procs 2,8,24");
        let arguments = format!("{arguments} --size 0,1,4096,1MiB");
        let all = printed_rows(&home, &format!("{arguments} --model all"));
        assert_eq!(all.len(), 3 * 4 * strategies(collective).len());
        for (index, row) in all.iter().enumerate() {
            assert_is_interval(row);
            let model = model::find(collective, strategies(collective)[index / 12]).unwrap();
            assert_eq!(row["model"], model.name);
            let is_segmented = model.formula.contains("g(s)");
            assert_eq!(!row["segment_bytes"].is_empty(), is_segmented, "{row:?}");
            if is_segmented {
                let segment = number(row, "segment_bytes");
                assert!(1.0 <= segment && segment <= number(row, "size_bytes").max(1.0));
            }
        }
        let got = printed_rows(&home, &arguments);
        assert!(!got.is_empty());
        for row in got {
            Algorithm::parse(collective, &row["algorithm"]).unwrap();
            assert!(all.contains(&row), "{row:?}");
        }
    }
}

/// Two sites, 5 ms and 0.4 µs a byte apart.
const CLUSTERS: &str = "[[cluster]]\nname = 'a'\nhosts = 'a[0-3]'\n[[cluster]]\nname = 'b'\n\
    hosts = 'b[0-7]'\n[[cluster_link]]\nbetween = ['a', 'b']\nbytes = [1, 1000001]\n\
    time_s = [0.005, 0.405]\n";

/// A profile with clusters answers for the models of two clusters; 12 processes in clusters of 4 and 8, by
/// eq. 6 by hand: `7·(α + β·m) + 2·(α_w + β_w·4·m)` with m = 10000, α = 60 µs, β = 10 ns/B.
#[test]
fn clusters_of_a_profile_are_those_of_the_models() {
    let home = toy();
    home.write("clusters.toml", CLUSTERS);
    let time = |model: &str| {
        let cells = "--collective alltoall --procs 12 --size 10000 --clusters clusters.toml";
        let got = printed_rows(&home, &format!("predict toy.toml {cells} --model {model}"));
        got[0]["time_s"].parse::<f64>().unwrap()
    };
    let first = 7.0 * (60e-6 + 1e-8 * 1e4) + 2.0 * (5e-3 + 4e-7 * 4e4);
    assert!((time("two_phase") / first - 1.0).abs() < 1e-4, "{}", time("two_phase"));
}

/// The unit that a time needs.
fn unit(parameter: &str) -> &str {
    if parameter.ends_with("_s") || parameter.ends_with("_s_per_byte") {
        "s"
    } else {
        ""
    }
}

/// A refusal names the missing input of a model; with it, the model answers.
#[test]
fn every_alltoall_answers_or_says_what_it_needs() {
    let home = toy();
    for model in alltoalls() {
        let arguments = format!("predict toy.toml {OF_ALLTOALL} --model {}", model.name);
        let output = home.netsig(&arguments).output().unwrap();
        if output.status.success() {
            time(&home, &format!("toy.toml --model {}", model.name));
            continue;
        }
        let message = stderr_text(&output);
        assert_eq!(output.status.code(), Some(3), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        let needed = model.parameters.iter().filter(|p| p.default.is_none());
        let has_all = needed.clone().all(|p| message.contains(p.name));
        assert!(has_all, "{message}");
        let settings = needed.map(|p| format!(" --set {}=3{}", p.name, unit(p.name)));
        let mut remedy: String = settings.collect();
        assert!(remedy.is_empty() || message.contains("--set"), "{message}");
        if message.contains("--clusters") {
            home.write("clusters.toml", CLUSTERS);
            remedy += " --clusters clusters.toml --algorithm two-phase:2";
        }
        if message.contains("--network") {
            remedy += " --network tree-2x6x40 --extrapolate";
        }
        if model.estimator == ModelEstimator::Latency {
            assert!(message.ends_with("fit it to data\n"), "{message}");
            continue;
        }
        assert!(time(&home, &format!("toy.toml --model {}{remedy}", model.name)) > 0.0);
    }
}

#[test]
fn all_models_are_those_that_apply() {
    let home = toy();
    let wanted = "predict toy.toml --collective alltoall --model all --size 4096";
    let got = printed_rows(&home, &format!("{wanted} --procs 8,12"));
    got.iter().for_each(assert_is_interval);
    let of = |name: &str| got.iter().filter(|row| row["model"] == name).count();
    assert_eq!(
        [of("hockney"), of("plogp_a"), of("labarta"), of("tree_bound")],
        [2, 2, 0, 0]
    );
    assert_eq!(of("plogpt_a"), 1, "which is for powers of two");
    let got = printed_rows(
        &home,
        &format!("{wanted} --procs 8 --network tree-2x6x40 --extrapolate"),
    );
    assert!(column(&got, "model").contains(&"tree_bound"));

    let fitted = TestHome::fitted();
    let wanted = "predict profile.toml --collective alltoall --model all --procs 8";
    let got = printed_rows(&fitted, &format!("{wanted} --size 4096 --network tree-2x6x40"));
    got.iter().for_each(assert_is_interval);
    for algorithm in ["direct", "library"] {
        let algorithm_rows = got.iter().filter(|row| row["algorithm"] == algorithm);
        let models: Vec<&str> = algorithm_rows.map(|row| row["model"].as_str()).collect();
        let mut applicable = names(Collective::Alltoall);
        applicable.retain(|name| !name.starts_with("two_phase") && *name != "shared_link");
        assert_eq!(models, applicable);
    }
}

/// `predict` takes every ranked name, and predicts the same time. Measured all-to-alls and unmeasured exchanges rank by
/// their model, a standard error above their best values. The times of other algorithms are bounds, and rank below.
#[test]
fn rankings_ascend_and_agree_with_predictions() {
    let home = TestHome::fitted();
    home.write("toy.toml", TOY);
    for (profile, collective, measured) in [
        ("toy", Collective::Bcast, 0),
        ("toy", Collective::Scatter, 0),
        ("toy", Collective::Gather, 0),
        ("toy", Collective::Alltoall, 0),
        ("profile", Collective::Alltoall, 2),
    ] {
        let of = format!("{profile}.toml --collective {collective}");
        let cells = "--procs 6,8 --size 1KiB,64KiB";
        let select = format!("select {of} {cells}");
        let ranked = printed_rows(&home, &select);
        for ranking in ranked.chunk_by(|_, next| next["rank"] != "1") {
            let count = ranking.len();
            let is_bound = |row: &PrintedRow| row["standing"] == "contention-free";
            let known = match collective {
                Collective::Alltoall => ranking.iter().take_while(|row| !is_bound(row)).count(),
                _ => 0,
            };
            let (known, bounds) = ranking.split_at(known);
            assert!(known.len() >= measured && count > measured, "{ranking:?}");
            assert!(collective != Collective::Alltoall || bounds.iter().all(is_bound));
            for (rows, part) in [(known, 0.6), (bounds, 0.0)] {
                let cautious = |row: &PrintedRow| {
                    let time = number(row, "time_s");
                    match part {
                        0.0 => time,
                        _ => time * (number(row, "upper_s") / time).powf(part),
                    }
                };
                // An algorithm with little gain ranks as the library's own choice, and behind it.
                let mut least = 0.0_f64;
                let value = |row: &PrintedRow| {
                    if row["algorithm"] == "library" {
                        least = cautious(row);
                    }
                    cautious(row).max(least)
                };
                let values: Vec<f64> = rows.iter().map(value).collect();
                assert!(values.is_sorted(), "{ranking:#?}");
            }
            let ranks = (1..=count).map(|rank| rank.to_string());
            assert!(ranks.eq(column(ranking, "rank")));
        }
        let names: BTreeSet<&str> = column(&ranked, "algorithm").into_iter().collect();
        for name in names {
            let predicted = printed_rows(&home, &format!("predict {of} {cells} --algorithm {name}"));
            for row in ranked.iter().filter(|row| row["algorithm"] == name) {
                let is_it = |other: &PrintedRow| {
                    let ranking_keys = ["rank", "gain", "setting", "measured", "held_back"];
                    let mut keys = row.keys().filter(|key| !ranking_keys.contains(&&***key));
                    keys.all(|key| row[key] == other[key])
                };
                assert!(predicted.iter().any(is_it), "{row:?}");
            }
        }
        let best = ranked.iter().filter(|row| row["rank"] == "1").cloned();
        let shown = printed_rows(&home, &format!("{select} --show best"));
        assert_eq!(best.collect::<Vec<PrintedRow>>(), shown);
    }
    let exact = "select toy.toml --collective scatter --procs 24 --size 1 --binomial exact";
    assert!(column(&printed_rows(&home, exact), "model").contains(&"binomial_exact"));
}

/// The truth is γ = 1.8: a signature is nearly right about more processes, and the bound
/// short of at least 1 − 1/1.8.
#[test]
fn models_are_ranked_by_their_error_on_the_rest() {
    let home = TestHome::measured();
    let (columns, default) = parse_csv(&home.run("compare data.csv --format csv"));
    let promised = "collective,algorithm,model,median_error,p90_error,worst_error,bias,points,refused";
    assert_eq!(columns.join(","), promised);
    let trained = printed_rows(&home, "compare data.csv --train procs<=4");
    let large = printed_rows(&home, "compare data.csv --train procs<8,size>=1KiB");
    // 13 sizes, of which two are below 1 KiB.
    for (scores, points) in [(&default, 13), (&trained, 26), (&large, 13 + 2 * 2)] {
        for algorithm in ["direct", "library"] {
            let of = |row: &&PrintedRow| row["algorithm"] == algorithm;
            let scores: Vec<PrintedRow> = scores.iter().filter(of).cloned().collect();
            assert!(scores.len() >= 8);
            for row in &scores {
                let cells: u32 = ["points", "refused"]
                    .map(|key| row[key].parse::<u32>().unwrap())
                    .iter()
                    .sum();
                assert_eq!(cells, points, "{row:?}");
                let keys = ["median_error", "p90_error", "worst_error"];
                assert!(keys.map(|key| number(row, key)).is_sorted(), "{row:?}");
                assert!(number(row, "bias").abs() <= number(row, "worst_error"));
            }
            let medians = scores.iter().map(|row| number(row, "median_error"));
            assert!(medians.is_sorted());
            let median = |name: &str| {
                let row = scores.iter().find(|row| row["model"] == name).unwrap();
                number(row, "median_error")
            };
            assert!(median("signature") < 0.05);
            assert!(median("hockney") > 0.42);
        }
    }
    let json_text = home.run("compare data.csv --format json");
    let json: Vec<serde_json::Value> = serde_json::from_str(&json_text).unwrap();
    assert_eq!(json.len(), default.len());
}

/// A profile of one model has that as its default.
#[test]
fn every_model_with_parameters_is_fitted() {
    let home = TestHome::measured();
    let fitted = printed_rows(&home, "fit data.csv -o all.toml");
    for model in alltoalls().filter(|model| model.is_fitted_to_cells()) {
        for needed in model.parameters.iter().filter(|p| p.default.is_none()) {
            let is_it = |row: &&PrintedRow| [&*row["model"], &*row["parameter"]] == [model.name, needed.name];
            assert_eq!(fitted.iter().filter(is_it).count(), 2, "{} {}", model.name, needed.name);
        }
    }
    let wanted = "one.toml --collective alltoall --procs 4..16 --size 256..256KiB";
    for model in ["slowdown", "bandwidth"] {
        home.run(&format!("fit data.csv -o one.toml --model {model}"));
        let got = printed_rows(&home, &format!("predict {wanted} --model {model}"));
        assert_eq!(got.len(), 2 * 3 * 11);
        got.iter().for_each(assert_is_interval);
        let default_rows = printed_rows(&home, &format!("predict {wanted}"));
        assert!(default_rows == got && got[0]["model"] == model);
    }
}

/// `netsig` alone and `--help` are answered at length, and on the right stream.
#[test]
fn help_is_no_error_message() {
    let home = TestHome::new();
    assert!(home.run("--help").lines().count() > 10);
    let alone = home.netsig("").output().unwrap();
    assert_eq!(alone.status.code(), Some(2));
    assert!(stderr_text(&alone).lines().count() > 10);
}

/// A given threshold is every model's, and process counts that do not saturate the network are left out of every fit.
#[test]
fn all_models_are_fitted_to_the_same_points() {
    let home = TestHome::new();
    let plan = PLAN.replace("[4, 6, 8]", "[3, 4, 6, 8, 10, 12]");
    home.write("plan.toml", &plan);
    home.run(&format!("measure plan.toml -o data.csv {ON_SIMULATOR}"));
    let faster_among_three = |row: &[String], time| if row[3] == "3" { time / 2.0 } else { time };
    let data = with_changed_times(&home.read("data.csv"), faster_among_three);
    home.write("data.csv", &data);
    let values = |options: &str, name: &str| -> Vec<PrintedRow> {
        let mut fitted = printed_rows(&home, &format!("fit data.csv -o p.toml {options}"));
        fitted.retain(|row| row["parameter"] == name);
        fitted
    };
    let thresholds = values("--threshold 64KiB", "threshold_bytes");
    let mut given = column(&thresholds, "value");
    // None where delta is dropped.
    given.retain(|value| !value.is_empty());
    assert!(given.len() >= 3 && given.iter().all(|value| *value == "65536.0"));
    let gammas = values("", "gamma");
    let gamma = |model: &str| {
        let row = gammas.iter().find(|row| row["model"] == model).unwrap();
        number(row, "value")
    };
    assert!((gamma("full") / gamma("signature") - 1.0).abs() < 0.03);
    assert!((gamma("plogp_factor") + 1.0 - gamma("full")).abs() < 0.05);
    assert!(values("--keep-unsaturated", "gamma") != gammas);
}

/// With tables, models of pLogP are fitted and judged on them: 7·(10 us + 10 ns·64 Ki) + 50 us.
#[test]
fn models_are_fitted_on_tables_that_are_given() {
    let home = TestHome::measured();
    home.write("toy.toml", TOY);
    let told = home.stderr_of(&["fit data.csv -o p.toml --plogp toy.toml"]);
    assert!(!told.contains("without pLogP"), "{told}");
    assert!(home.read("p.toml").contains("fitted_on = \"plogp\""));
    let free_command = "predict p.toml --collective alltoall --algorithm direct --procs 8 --size 64KiB";
    let free = printed_rows(&home, &format!("{free_command} --model contention_free"));
    assert_close(number(&free[0], "time_s"), 7.0 * 665.36e-6 + 50e-6, "free");
    let judged = printed_rows(&home, "compare data.csv --plogp toy.toml");
    let median = |model: &str| {
        let row = judged.iter().find(|row| row["model"] == model).unwrap();
        &row["median_error"]
    };
    assert_ne!(median("contention_free"), median("hockney"));
}
