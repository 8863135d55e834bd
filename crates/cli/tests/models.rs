//! What users rely on where models are listed, asked, chosen among, compared and fitted:
//! every model answers or says what it needs, and worked values come out.

mod support;

use netsig_core::algorithm::{Algorithm, Collective};
use netsig_core::model::{self, Estimator, Model};
use support::{Home, ON, PLAN, Row, number, retimed, said, table};

/// g = 10 µs + 10 ns/B·m, os = 5 µs + 4 ns/B·m, or = 6 µs + 5 ns/B·m, L = 50 µs, written by
/// hand, without signatures.
const TOY: &str = include_str!("refusals/home/toy.toml");

const OF_ALLTOALL: &str = "--collective alltoall --procs 8 --size 4096 --format csv";

/// With the profile of [`TOY`].
fn toy() -> Home {
    let home = Home::new();
    home.write("toy.toml", TOY);
    home
}

/// The rows that netsig prints.
fn rows(home: &Home, arguments: &str) -> Vec<Row> {
    table(&home.does(&format!("{arguments} --format csv"))).1
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
    model::strategies(collective)
        .map(|model| model.name)
        .collect()
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
        let arguments = format!("predict toy.toml --collective {collective} --procs 1,8,24");
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
            if row["procs"] == "1" {
                assert_eq!(row["time_s"], "0.0");
            }
        }
        let got = rows(&home, &arguments);
        assert!(!got.is_empty());
        for row in got {
            Algorithm::parse(collective, &row["algorithm"]).unwrap();
            assert!(all.contains(&row), "{row:?}");
        }
    }
    let of = |what: &str| {
        let arguments = format!("predict toy.toml --collective {what} --procs 24 --size 4096");
        home.netsig(&format!("{arguments} --format csv"))
            .output()
            .unwrap()
    };
    let [scatter, gather] = ["scatter", "gather"].map(of);
    let mirrored = String::from_utf8_lossy(&gather.stdout).replace("gather", "scatter");
    assert_eq!(mirrored, String::from_utf8_lossy(&scatter.stdout));
    assert!(said(&gather).contains("without contention") && said(&scatter).is_empty());
}

/// What a model needs stands in the refusal, and given that, it answers.
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
        let settings = needed.map(|p| format!(" --set {}=3", p.name));
        let mut remedy: String = settings.collect();
        assert!(remedy.is_empty() || message.contains("--set"), "{message}");
        if message.contains("--network") {
            remedy += " --network tree-2x6x40";
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
    assert_eq!(
        [of("hockney"), of("plogp_a"), of("labarta"), of("tree")],
        [2, 2, 0, 0]
    );
    assert_eq!(of("plogpt_a"), 1, "which is for powers of two");
    let got = rows(&home, &format!("{wanted} --procs 8 --network tree-2x6x40"));
    assert!(column(&got, "model").contains(&"tree"));

    let fitted = Home::fitted();
    let wanted = "predict profile.toml --collective alltoall --model all --procs 8";
    let got = rows(
        &fitted,
        &format!("{wanted} --size 4096 --network tree-2x6x40"),
    );
    got.iter().for_each(assert_is_interval);
    for algorithm in ["direct", "library"] {
        let of = got.iter().filter(|row| row["algorithm"] == algorithm);
        let of: Vec<&str> = of.map(|row| row["model"].as_str()).collect();
        let mut applicable = names(Collective::Alltoall);
        // The tree has six of eight processes behind its uplink, not half.
        applicable.retain(|name| !name.starts_with("two_phase") && !name.starts_with("plogpt"));
        assert_eq!(of, applicable);
    }
}

/// Of a fitted signature, what was not set stays: one side of M does not move the other.
#[test]
fn settings_leave_the_rest_of_a_fitted_signature() {
    let home = Home::fitted();
    let of = |setting: &str| {
        let wanted = "predict profile.toml --collective alltoall --algorithm direct --procs 8";
        let got = rows(&home, &format!("{wanted} --size 1KiB,256KiB {setting}"));
        got.iter().for_each(assert_is_interval);
        let is_contention_free = setting == "--model hockney";
        let standing = if is_contention_free {
            "contention-free"
        } else {
            "interpolated"
        };
        assert_eq!(column(&got, "standing"), [standing; 2], "{setting}");
        [&got[0], &got[1]].map(|row| number(row, "time_s"))
    };
    let [below, above] = of("--model signature");
    let [free, _] = of("--model hockney");
    let [moved, kept] = of("--set gamma_below=3");
    assert_close(moved, 3.0 * free, "below M");
    assert_close(kept, above, "from M on");
    let [kept, moved] = of("--set delta_s=1s");
    assert_close(kept, below, "below M");
    assert!(moved > above);
}

/// Every ranked name is one that `predict` takes, and it says the same of it.
#[test]
fn rankings_ascend_and_agree_with_predictions() {
    let home = toy();
    for collective in [Collective::Bcast, Collective::Scatter, Collective::Gather] {
        let of = format!("toy.toml --collective {collective} --procs 8,24 --size 1,4096,1MiB");
        let ranked = rows(&home, &format!("select {of}"));
        let count = ranked.len() / 6;
        for ranking in ranked.chunks(count) {
            assert!(ranking.iter().map(|row| number(row, "time_s")).is_sorted());
            let ranks = (1..=count).map(|rank| rank.to_string());
            assert!(ranks.eq(column(ranking, "rank")));
        }
        for row in &ranked {
            let [name, procs, size] = ["algorithm", "procs", "size_bytes"].map(|key| &row[key]);
            let of = format!("toy.toml --collective {collective} --procs {procs} --size {size}");
            let predicted = rows(&home, &format!("predict {of} --algorithm {name}"));
            for key in ["time_s", "segment_bytes", "model", "standing"] {
                assert_eq!(row[key], predicted[0][key], "{row:?}");
            }
        }
        let mut best = ranked.clone();
        best.retain(|row| row["rank"] == "1");
        assert_eq!(best.len(), 6);
        assert_eq!(rows(&home, &format!("select {of} --show best")), best);
        let exact = rows(&home, &format!("select {of} --binomial exact"));
        let is_binomial = |row: &&Row| row["algorithm"] == "binomial";
        let mut binomial = exact.iter().filter(is_binomial);
        assert!(binomial.all(|row| row["model"] == "binomial_exact"));
    }
}

/// Measured all-to-alls rank by the model that speaks for them; the times of the others are
/// bounds, and stand below.
#[test]
fn alltoalls_rank_as_they_are_predicted() {
    let home = toy();
    let bounds = rows(
        &home,
        "select toy.toml --collective alltoall --procs 8 --size 1KiB",
    );
    assert!(
        bounds
            .iter()
            .all(|row| row["standing"] == "contention-free")
    );
    let home = Home::fitted();
    let of = "profile.toml --collective alltoall --procs 8 --size 1KiB";
    let ranked = rows(&home, &format!("select {of}"));
    let predicted = rows(&home, &format!("predict {of}"));
    assert_eq!(predicted.len(), 2);
    for row in &ranked[..2] {
        let same = |other: &&Row| other["algorithm"] == row["algorithm"];
        let prediction = predicted.iter().find(same).unwrap();
        for key in ["time_s", "lower_s", "upper_s", "model", "standing"] {
            assert_eq!(row[key], prediction[key], "{row:?}");
        }
    }
    let rest = &ranked[2..];
    assert!(!rest.is_empty() && rest.iter().all(|row| row["standing"] == "contention-free"));
    for row in rest {
        let name = &row["algorithm"];
        let predicted = &rows(&home, &format!("predict {of} --algorithm {name}"))[0];
        for key in [
            "algorithm",
            "time_s",
            "lower_s",
            "upper_s",
            "model",
            "standing",
        ] {
            assert_eq!(row[key], predicted[key], "{row:?}");
        }
    }
}

/// The truth is γ = 1.8: a signature is nearly right about more processes, and the bound
/// short of at least 1 − 1/1.8.
#[test]
fn models_are_ranked_by_their_error_on_the_rest() {
    let home = Home::measured();
    let (columns, default) = table(&home.does("compare data.csv --format csv"));
    let promised = "collective,algorithm,model,median_error,p90_error,worst_error,bias,points";
    assert_eq!(columns[..8].join(","), promised);
    let trained = rows(&home, "compare data.csv --train procs<=4");
    let large = rows(&home, "compare data.csv --train procs<8,size>=1KiB");
    // 13 sizes, of which two are below 1 KiB.
    for (scores, points) in [(&default, 13), (&trained, 26), (&large, 13 + 2 * 2)] {
        for algorithm in ["direct", "library"] {
            let of = |row: &&Row| row["algorithm"] == algorithm;
            let scores: Vec<Row> = scores.iter().filter(of).cloned().collect();
            assert!(scores.len() >= 8);
            for row in &scores {
                assert_eq!(row["points"], points.to_string());
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

#[test]
fn every_model_with_parameters_is_fitted_and_predicts() {
    let home = Home::measured();
    let fittable = alltoalls().filter(|model| model.is_fitted_to_cells());
    for model in fittable {
        let name = model.name;
        let fitted = rows(
            &home,
            &format!("fit data.csv -o {name}.toml --model {name}"),
        );
        let estimated = fitted.iter().filter(|row| row["model"] == name);
        let estimated: Vec<&str> = estimated.map(|row| row["parameter"].as_str()).collect();
        let needed = model.parameters.iter().filter(|p| p.default.is_none());
        assert!(
            needed.clone().all(|p| estimated.contains(&p.name)),
            "{name}"
        );
        let wanted = format!("predict {name}.toml --collective alltoall --procs 4..16");
        let got = rows(
            &home,
            &format!("{wanted} --size 256..256KiB --model {name}"),
        );
        assert_eq!(got.len(), 2 * 3 * 11);
        got.iter().for_each(assert_is_interval);
        assert!(
            got.iter()
                .all(|row| number(row, "time_s") > 0.0 && row["model"] == name)
        );
        let own = rows(&home, &format!("{wanted} --size 256..256KiB"));
        assert_eq!(own, got, "the model of a profile is its default");
    }
}

/// A profile of α and β alone still answers what needs no more, and says so where pLogP
/// would.
#[test]
fn a_profile_without_plogp_takes_the_view_of_hockney() {
    let home = Home::new();
    let (hockney, _) = TOY.split_once("[plogp]").unwrap();
    home.write("hockney.toml", hockney);
    let arguments = "hockney.toml --collective bcast --procs 8 --size 4096 --format csv";
    for command in ["predict", "select"] {
        let output = home
            .netsig(&format!("{command} {arguments}"))
            .output()
            .unwrap();
        assert!(output.status.success());
        assert!(said(&output).starts_with("netsig: note: hockney.toml has no [plogp]"));
        let (_, got) = table(&String::from_utf8_lossy(&output.stdout));
        let flat = got.iter().find(|row| row["algorithm"] == "flat").unwrap();
        assert_close(number(flat, "time_s"), 7.0 * 100.96e-6, command);
    }
    assert_close(
        time(&home, "hockney.toml --model hockney"),
        7.0 * 100.96e-6,
        "alltoall",
    );
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

#[test]
fn a_given_threshold_is_kept_by_every_model() {
    let home = Home::measured();
    for model in ["signature", "full", "factor_001"] {
        let fit = format!("fit data.csv -o p.toml --model {model} --threshold 64KiB");
        let is_it =
            |row: &&Row| row["algorithm"] == "direct" && row["parameter"] == "threshold_bytes";
        let fitted = rows(&home, &fit);
        let threshold = fitted.iter().find(is_it).unwrap();
        assert_eq!(threshold["value"], "65536.0", "{model}");
    }
}

/// Process counts that do not saturate the network leave the fit of every model.
#[test]
fn all_models_are_fitted_to_the_same_points() {
    let home = Home::new();
    home.write(
        "plan.toml",
        &PLAN.replace("[4, 6, 8]", "[3, 4, 6, 8, 10, 12]"),
    );
    home.does(&format!("measure plan.toml -o data.csv {ON}"));
    let faster_among_three = |row: &[String], time| if row[3] == "3" { time / 2.0 } else { time };
    let data = retimed(&home.read("data.csv"), faster_among_three);
    home.write("data.csv", &data);
    let (_, fitted) = table(&home.does("fit data.csv -o p.toml --format csv"));
    let gamma = |model: &str| {
        let is_it = |row: &&Row| row["model"] == model && row["parameter"] == "gamma";
        number(fitted.iter().find(is_it).unwrap(), "value")
    };
    assert!((gamma("full") / gamma("signature") - 1.0).abs() < 0.03);
    assert!((gamma("factor_001") + 1.0 - gamma("full")).abs() < 0.05);
    let all = home.does("fit data.csv -o p.toml --format csv --keep-unsaturated");
    assert!(table(&all).1 != fitted);
}

/// What was fitted on top of alpha and beta does not change when tables are added.
#[test]
fn tables_do_not_change_what_was_fitted_without_them() {
    let home = Home::fitted();
    let (_, tables) = TOY.split_once("[plogp]").unwrap();
    let profile = home.read("profile.toml");
    let (hockney, rest) = profile.split_once("[[fitted]]").unwrap();
    home.write(
        "tables.toml",
        &format!("{hockney}[plogp]{tables}\n[[fitted]]{rest}"),
    );
    let of = |profile: &str, model: &str| {
        home.does(&format!(
            "predict {profile} --collective alltoall --algorithm direct --procs 8 --size 64KiB --model {model} --format csv"
        ))
    };
    assert_eq!(
        of("tables.toml", "factor_001"),
        of("profile.toml", "factor_001")
    );
    assert_ne!(of("tables.toml", "free"), of("profile.toml", "free"));
}

/// g = 80 µs + 200 ns/B·m, os = or = 56 µs + 140 ns/B·m, L = 20 µs: os + or − g = 0.4·g.
const TABLES: &str = "[plogp]
latency_s = 2e-5
gap_s = [[0, 8e-5], [1048576, 0.2097952]]
send_overhead_s = [[0, 5.6e-5], [1048576, 0.14685664]]
receive_overhead_s = [[0, 5.6e-5], [1048576, 0.14685664]]
";

/// With tables, models of pLogP are fitted on them and predicted so, and what coincides on α
/// and β does no more: the γ of `factor_003` is the slowdown less one over 0.4.
#[test]
fn models_are_fitted_on_tables_that_are_given() {
    let home = Home::measured();
    let (bare, _) = TOY.split_once("[plogp]").unwrap();
    home.write("bare.toml", bare);
    home.write("tables.toml", &format!("{bare}{TABLES}"));
    let fit = "fit data.csv -o p.toml --plogp tables.toml --format csv";
    let output = home.netsig(fit).output().unwrap();
    assert!(output.status.success() && !said(&output).contains("without pLogP"));
    let (_, fitted) = table(&String::from_utf8_lossy(&output.stdout));
    let parameter = |model: &str, name: &str| {
        let is_it = |row: &&Row| {
            [&row["algorithm"], &row["model"], &row["parameter"]] == ["direct", model, name]
        };
        number(fitted.iter().find(is_it).unwrap(), "value")
    };
    let gamma = parameter("factor_003", "gamma");
    let expected = (parameter("slowdown", "slowdown") - 1.0) / 0.4;
    assert!((gamma / expected - 1.0).abs() < 0.05, "{gamma} {expected}");

    let of = |model: &str| {
        let wanted = "predict p.toml --collective alltoall --algorithm direct --procs 8";
        let got = rows(&home, &format!("{wanted} --size 64KiB --model {model}"));
        number(&got[0], "time_s")
    };
    let gap = 8e-5 + 2e-7 * 65536.0;
    assert_close(of("free"), 7.0 * gap + 2e-5, "free");
    let by_hand = 7.0 * gap * (1.0 + 0.4 * gamma) + 2e-5;
    assert!((of("factor_003") / by_hand - 1.0).abs() < 1e-6);

    let judged = rows(&home, "compare data.csv --plogp tables.toml");
    let median = |model: &str| {
        let row = judged.iter().find(|row| row["model"] == model).unwrap();
        row["median_error"].clone()
    };
    assert_ne!(median("free"), median("hockney"));
}

#[test]
fn data_without_an_alltoall_give_alpha_and_beta() {
    let home = Home::measured();
    let text = home.read("data.csv");
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("collective,"))
        .collect();
    home.write("pingpong.csv", &lines.join("\n"));
    let output = home.netsig("fit pingpong.csv -o p.toml").output().unwrap();
    assert!(output.status.success() && said(&output).contains("hold no alltoall or other"));
    home.does("predict p.toml --collective bcast --procs 8 --size 1KiB");
}

/// Beyond the uplink's buffer of 64 KiB algorithm B meets a time-out, and A does not.
#[test]
fn time_outs_are_predicted_in_a_tree() {
    let home = toy();
    let tree = include_str!("../../../scenarios/tree-2x6x40.toml");
    let tree = tree
        .replace("128KiB", "64KiB")
        .replace("= 12", "= 8")
        .replace("= 6", "= 4");
    home.write("tree.toml", &tree);
    let wanted = "predict toy.toml --collective alltoall --procs 8 --size 65536,65537";
    let step = |model: &str| {
        let got = rows(
            &home,
            &format!("{wanted} --model {model} --network tree.toml"),
        );
        number(&got[1], "time_s") - number(&got[0], "time_s")
    };
    assert!(step("plogpt_a") < 1e-3);
    assert!(step("plogpt_b") > 0.1);
    assert!((step("plogpt_b_two_pass") - 0.2).abs() < 1e-3);
}
