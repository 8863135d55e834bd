//! Guarantees to users about lists, answers, choices, comparisons and fits of models:
//! every model answers or says what it needs, and worked values come out.

use std::collections::BTreeSet;

use crate::support::{Home, ON, PLAN, Row, number, retimed, rows, said, table};
use netsig_base::algorithm::{Algorithm, Collective};
use netsig_model::model::{self, Estimator, Model};

/// g = 10 µs + 10 ns/B·m, os = 5 µs + 4 ns/B·m, or = 6 µs + 5 ns/B·m, L = 50 µs, written by
/// hand, without signatures.
const TOY: &str = include_str!("../refusals/home/toy.toml");

const OF_ALLTOALL: &str = "--collective alltoall --procs 8 --size 4096 --format csv";

/// With the profile of [`TOY`].
fn toy() -> Home {
    let home = Home::new();
    home.write("toy.toml", TOY);
    home
}

/// The one time that netsig predicts.
fn time(home: &Home, arguments: &str) -> f64 {
    let (_, rows) = table(&home.does(&format!("predict {arguments} {OF_ALLTOALL}")));
    assert_eq!(rows.len(), 1, "{arguments}");
    assert_is_interval(&rows[0]);
    number(&rows[0], "time_s")
}

fn assert_is_interval(row: &Row) {
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

fn column<'a>(rows: &'a [Row], key: &str) -> Vec<&'a str> {
    rows.iter().map(|row| row[key].as_str()).collect()
}

fn names(collective: Collective) -> Vec<&'static str> {
    model::of(collective).map(|model| model.name).collect()
}

fn strategies(collective: Collective) -> Vec<&'static str> {
    model::strategies(collective).map(|model| model.name).collect()
}

fn alltoalls() -> impl Iterator<Item = &'static Model> {
    model::of(Collective::Alltoall)
}

#[test]
fn every_model_is_listed_and_tells_its_formula_source_and_example() {
    let home = Home::new();
    let listed = rows(&home, "models");
    assert_eq!(listed.len(), model::models().count());
    let screen = home.does("models --wide");
    for (row, model) in listed.iter().zip(model::models()) {
        assert_eq!(row["model"], model.name);
        let value = number(row, "example_value");
        assert_close(value, model.example.expected, model.name);
        assert!(screen.contains(model.formula));
        let text = home.does(&format!("models {}/{}", model.subject, model.name));
        let title = format!("{}/{} (", model.subject, model.name);
        assert!(text.starts_with(&title), "{text}");
        let parts = [model.formula, model.source, model.example.inputs];
        let names = model.parameters.iter().map(|p| p.name);
        for part in parts.into_iter().chain(names) {
            assert!(text.contains(part), "{part:?} is not in {text}");
        }
    }
    let flat = home.does("models flat");
    let namesakes = model::named("flat").unwrap().len();
    assert_eq!(flat.matches("\nsource ").count(), namesakes);
    let scatter = rows(&home, "models --collective scatter");
    assert_eq!(column(&scatter, "model"), names(Collective::Scatter));
}

/// The segmented strategies are those with segments in their formula, and no segment is
/// longer than the message. Without `--model` there is a row for each algorithm of the table.
#[test]
fn every_strategy_is_predicted() {
    let home = toy();
    for collective in [Collective::Bcast, Collective::Scatter, Collective::Gather] {
        let arguments = format!("predict toy.toml --collective {collective} --procs 2,8,24");
        let arguments = format!("{arguments} --size 0,1,4096,1MiB");
        let all = rows(&home, &format!("{arguments} --model all"));
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
        let got = rows(&home, &arguments);
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
        let got = rows(&home, &format!("predict toy.toml {cells} --model {model}"));
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
        let message = said(&output);
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
        if model.estimator == Estimator::Latency {
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
    let got = rows(&home, &format!("{wanted} --procs 8,12"));
    got.iter().for_each(assert_is_interval);
    let of = |name: &str| got.iter().filter(|row| row["model"] == name).count();
    assert_eq!([of("hockney"), of("plogp_a"), of("labarta"), of("tree")], [2, 2, 0, 0]);
    assert_eq!(of("plogpt_a"), 1, "which is for powers of two");
    let got = rows(
        &home,
        &format!("{wanted} --procs 8 --network tree-2x6x40 --extrapolate"),
    );
    assert!(column(&got, "model").contains(&"tree"));

    let fitted = Home::fitted();
    let wanted = "predict profile.toml --collective alltoall --model all --procs 8";
    let got = rows(&fitted, &format!("{wanted} --size 4096 --network tree-2x6x40"));
    got.iter().for_each(assert_is_interval);
    for algorithm in ["direct", "library"] {
        let of = got.iter().filter(|row| row["algorithm"] == algorithm);
        let of: Vec<&str> = of.map(|row| row["model"].as_str()).collect();
        let mut applicable = names(Collective::Alltoall);
        applicable.retain(|name| !name.starts_with("two_phase") && *name != "shared_link");
        assert_eq!(of, applicable);
    }
}

/// Every ranked name is one that `predict` takes, and it says the same of it. Measured all-to-alls rank
/// by the model that speaks for them, as do unmeasured exchanges, and a standard error above their best values; the
/// times of the others are bounds, and stand below.
#[test]
fn rankings_ascend_and_agree_with_predictions() {
    let home = Home::fitted();
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
        let ranked = rows(&home, &select);
        for ranking in ranked.chunk_by(|_, next| next["rank"] != "1") {
            let count = ranking.len();
            let is_bound = |row: &Row| row["standing"] == "contention-free";
            let known = match collective {
                Collective::Alltoall => ranking.iter().take_while(|row| !is_bound(row)).count(),
                _ => 0,
            };
            let (known, bounds) = ranking.split_at(known);
            assert!(known.len() >= measured && count > measured, "{ranking:?}");
            assert!(collective != Collective::Alltoall || bounds.iter().all(is_bound));
            for (rows, part) in [(known, 0.6), (bounds, 0.0)] {
                let cautious = |row: &Row| {
                    let time = number(row, "time_s");
                    match part {
                        0.0 => time,
                        _ => time * (number(row, "upper_s") / time).powf(part),
                    }
                };
                // What gains little ranks as the library's own choice, and behind it.
                let mut least = 0.0_f64;
                let value = |row: &Row| {
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
            let predicted = rows(&home, &format!("predict {of} {cells} --algorithm {name}"));
            for row in ranked.iter().filter(|row| row["algorithm"] == name) {
                let is_it = |other: &Row| {
                    let own = ["rank", "gain", "setting"];
                    let mut keys = row.keys().filter(|key| !own.contains(&&***key));
                    keys.all(|key| row[key] == other[key])
                };
                assert!(predicted.iter().any(is_it), "{row:?}");
            }
        }
        let best = ranked.iter().filter(|row| row["rank"] == "1").cloned();
        let shown = rows(&home, &format!("{select} --show best"));
        assert_eq!(best.collect::<Vec<Row>>(), shown);
    }
    let exact = "select toy.toml --collective scatter --procs 24 --size 1 --binomial exact";
    assert!(column(&rows(&home, exact), "model").contains(&"binomial_exact"));
}

/// The truth is γ = 1.8: a signature is nearly right about more processes, and the bound
/// short of at least 1 − 1/1.8.
#[test]
fn models_are_ranked_by_their_error_on_the_rest() {
    let home = Home::measured();
    let (columns, default) = table(&home.does("compare data.csv --format csv"));
    let promised = "collective,algorithm,model,median_error,p90_error,worst_error,bias,points,refused";
    assert_eq!(columns.join(","), promised);
    let trained = rows(&home, "compare data.csv --train procs<=4");
    let large = rows(&home, "compare data.csv --train procs<8,size>=1KiB");
    // 13 sizes, of which two are below 1 KiB.
    for (scores, points) in [(&default, 13), (&trained, 26), (&large, 13 + 2 * 2)] {
        for algorithm in ["direct", "library"] {
            let of = |row: &&Row| row["algorithm"] == algorithm;
            let scores: Vec<Row> = scores.iter().filter(of).cloned().collect();
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
    let json = home.does("compare data.csv --format json");
    let json: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    assert_eq!(json.len(), default.len());
}

/// A profile of one model has that as its default.
#[test]
fn every_model_with_parameters_is_fitted() {
    let home = Home::measured();
    let fitted = rows(&home, "fit data.csv -o all.toml");
    for model in alltoalls().filter(|model| model.is_fitted_to_cells()) {
        for needed in model.parameters.iter().filter(|p| p.default.is_none()) {
            let is_it = |row: &&Row| [&*row["model"], &*row["parameter"]] == [model.name, needed.name];
            assert_eq!(fitted.iter().filter(is_it).count(), 2, "{} {}", model.name, needed.name);
        }
    }
    let wanted = "one.toml --collective alltoall --procs 4..16 --size 256..256KiB";
    for model in ["slowdown", "bandwidth"] {
        home.does(&format!("fit data.csv -o one.toml --model {model}"));
        let got = rows(&home, &format!("predict {wanted} --model {model}"));
        assert_eq!(got.len(), 2 * 3 * 11);
        got.iter().for_each(assert_is_interval);
        let own = rows(&home, &format!("predict {wanted}"));
        assert!(own == got && got[0]["model"] == model);
    }
}

/// `netsig` alone and `--help` are answered at length, and on the right stream.
#[test]
fn help_is_no_error_message() {
    let home = Home::new();
    assert!(home.does("--help").lines().count() > 10);
    let alone = home.netsig("").output().unwrap();
    assert_eq!(alone.status.code(), Some(2));
    assert!(said(&alone).lines().count() > 10);
}

/// A given threshold is every model's, and process counts that do not saturate the network leave the
/// fit of all.
#[test]
fn all_models_are_fitted_to_the_same_points() {
    let home = Home::new();
    let plan = PLAN.replace("[4, 6, 8]", "[3, 4, 6, 8, 10, 12]");
    home.write("plan.toml", &plan);
    home.does(&format!("measure plan.toml -o data.csv {ON}"));
    let faster_among_three = |row: &[String], time| if row[3] == "3" { time / 2.0 } else { time };
    let data = retimed(&home.read("data.csv"), faster_among_three);
    home.write("data.csv", &data);
    let values = |options: &str, name: &str| -> Vec<Row> {
        let mut fitted = rows(&home, &format!("fit data.csv -o p.toml {options}"));
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
    assert!((gamma("factor_001") + 1.0 - gamma("full")).abs() < 0.05);
    assert!(values("--keep-unsaturated", "gamma") != gammas);
}

/// With tables, models of pLogP are fitted and judged on them: 7·(10 us + 10 ns·64 Ki) + 50 us.
#[test]
fn models_are_fitted_on_tables_that_are_given() {
    let home = Home::measured();
    home.write("toy.toml", TOY);
    let told = home.told(&["fit data.csv -o p.toml --plogp toy.toml"]);
    assert!(!told.contains("without pLogP"), "{told}");
    assert!(home.read("p.toml").contains("fitted_on = \"plogp\""));
    let free = "predict p.toml --collective alltoall --algorithm direct --procs 8 --size 64KiB";
    let free = rows(&home, &format!("{free} --model free"));
    assert_close(number(&free[0], "time_s"), 7.0 * 665.36e-6 + 50e-6, "free");
    let judged = rows(&home, "compare data.csv --plogp toy.toml");
    let median = |model: &str| {
        let row = judged.iter().find(|row| row["model"] == model).unwrap();
        &row["median_error"]
    };
    assert_ne!(median("free"), median("hockney"));
}
