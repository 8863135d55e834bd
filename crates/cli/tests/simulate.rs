//! `netsig simulate`: its output, and times that were worked by hand.

mod support;
#[path = "simulate/sweep.rs"]
mod sweep;

use netsig_core::algorithm::ALGORITHMS;
use support::{Home, Row, number, said, table};

/// `LogGP` with round numbers: L = 5 µs, o = 1 µs, g = 2 µs, G = 1 ns.
const LOGGP: &str = "--set L=5us --set o=1us --set g=2us --set G=1ns";

/// Two and two hosts at 1 Gbit/s; the uplinks carry 1 Gbit/s and buffer 4550 bytes.
const FOUR: &str = include_str!("refusals/home/four.toml");

/// Eight hosts; the switches in the middle are wide enough not to matter.
const EIGHT: &str = r#"topology = "binary-tree"
latency = "50us"
[[height]]
rate = "1Gbit/s"
[[height]]
rate = "2.4Gbit/s"
[[height]]
rate = "2Gbit/s"
delay = "18.2us"
"#;

fn home() -> Home {
    let home = Home::new();
    home.write("four.toml", FOUR);
    home.write("eight.toml", EIGHT);
    home
}

/// The rows of a simulation.
fn rows(home: &Home, arguments: &str) -> Vec<Row> {
    table(&home.does(&format!("simulate {arguments} --format csv"))).1
}

/// The time of the only row, in microseconds.
fn time_us(home: &Home, arguments: &str) -> f64 {
    let rows = rows(home, arguments);
    assert_eq!(rows.len(), 1, "{arguments}");
    number(&rows[0], "time_s") * 1e6
}

fn assert_near(found: f64, expected: f64, what: &str) {
    let error = (found - expected).abs();
    assert!(error <= 1e-9 * expected, "{what}: {found} not {expected}");
}

#[test]
fn rows_have_the_promised_columns_in_every_format() {
    let home = home();
    let wanted =
        "simulate --network tree-2x6x40 --collective alltoall --procs 4,6 --size 1KiB,2KiB";
    let (columns, rows) = table(&home.does(&format!("{wanted} --format csv")));
    let promised = "collective,algorithm,procs,size_bytes,time_s,model,method,messages,sent_bytes,losses,network";
    assert_eq!(columns.join(","), promised);
    let plain = ALGORITHMS
        .iter()
        .filter(|entry| entry.collective.to_string() == "alltoall" && entry.settings.is_empty());
    assert_eq!(rows.len(), 4 * plain.count());
    assert_eq!(rows[1]["procs"], "6", "process counts change fastest");
    let json = home.does(&format!("{wanted} --format json"));
    let objects: Vec<Row> = serde_json::from_str::<Vec<serde_json::Map<_, _>>>(&json)
        .unwrap()
        .into_iter()
        .map(|object| object.into_iter().map(plain_text).collect())
        .collect();
    assert_eq!(objects, rows);
    assert!(home.does(wanted).contains("size bytes"));
}

fn plain_text((key, value): (String, serde_json::Value)) -> (String, String) {
    let text = value.as_str().map(str::to_owned);
    (key, text.unwrap_or_else(|| value.to_string()))
}

#[test]
fn every_scenario_of_the_lab_simulates_as_it_is() {
    let home = home();
    for (name, _) in netsig_lab::SHIPPED {
        let procs = netsig_lab::load(name).unwrap().hosts();
        for model in ["loggp", "plogp", "plogpt", "fluid", "tcp"] {
            let what = format!(
                "--network {name} --model {model} --collective alltoall --procs {procs} --size 4KiB"
            );
            for row in rows(&home, &what) {
                assert!(number(&row, "time_s") > 0.0, "{row:?}");
                assert_eq!((&*row["model"], &*row["network"]), (model, *name));
            }
        }
    }
}

/// By hand, from the slides' conditions: s = 80, 160, 160 µs among four and 3·80 + 4·160 µs
/// among eight, L = 50 µs, a timeout of 200 ms. A waits in every round, B at the end.
#[test]
fn plogpt_as_worked_by_hand() {
    let home = home();
    for (network, procs, size, more, [a, b]) in [
        ("four", 4, 10_000, "", [550.0, 200_130.0]),
        ("four", 4, 10_000, "--rto-mode two-pass", [550.0, 200_450.0]),
        ("four", 4, 4550, "", [332.0, 232.0]),
        ("eight", 8, 10_000, "", [1230.0, 200_290.0]),
        (
            "eight",
            8,
            10_000,
            "--rto-mode two-pass",
            [1230.0, 200_930.0],
        ),
        ("eight", 8, 10_000, "--set RTO=1ms", [1230.0, 1290.0]),
    ] {
        for (algorithm, expected) in [("pairwise", a), ("sends-in-turn", b)] {
            for method in ["closed-form", "event"] {
                let what = format!(
                    "--network {network}.toml --collective alltoall --algorithm {algorithm} \
                     --procs {procs} --size {size} {more} --method {method}"
                );
                assert_near(time_us(&home, &what), expected, &what);
            }
        }
    }
    let lost =
        "--network four.toml --collective alltoall --algorithm sends-in-turn --procs 4 --size";
    assert_eq!(rows(&home, &format!("{lost} 4550"))[0]["losses"], "0");
    assert_ne!(rows(&home, &format!("{lost} 4551"))[0]["losses"], "0");
}

#[test]
fn losses_and_links_are_told_and_written() {
    let home = home();
    let lost = "simulate --network four.toml --collective alltoall --algorithm sends-in-turn \
                --procs 4 --size 10000 --losses losses.csv --links links.csv --gantt g.svg \
                --timeline t.json";
    let output = home.netsig(lost).output().unwrap();
    let note = said(&output);
    assert!(
        note.starts_with("netsig: note: messages lost packets 4 times")
            && note.contains("--losses"),
        "{note}"
    );
    assert_eq!(note.lines().count(), 1, "{note}");
    let (columns, losses) = table(&home.read("losses.csv"));
    assert_eq!(columns.join(","), "time_s,from,to,operation,delay_s,cause");
    assert_eq!(losses.len(), 4);
    assert_eq!(
        (&*losses[0]["time_s"], &*losses[0]["delay_s"]),
        ("0.00008", "0.2")
    );
    let (columns, links) = table(&home.read("links.csv"));
    assert_eq!(columns.join(","), "link,bytes,busy_s,utilisation");
    // Each host sends two messages over the uplink of its pair.
    let uplink = links.iter().find(|row| row["link"] == "switch0 -> switch2");
    assert_eq!(uplink.unwrap()["bytes"], "40000");
    assert!(home.read("g.svg").starts_with("<svg"));
    assert!(serde_json::from_str::<serde_json::Value>(&home.read("t.json")).is_ok());
}

#[test]
fn parameters_come_from_a_profile() {
    let home = Home::fitted();
    let message =
        "--profile profile.toml --collective bcast --algorithm flat --procs 2 --size 4KiB";
    let row = &rows(&home, message)[0];
    let predicted =
        "predict profile.toml --collective bcast --algorithm flat --procs 2 --size 4KiB";
    let predicted = table(&home.does(&format!("{predicted} --format csv"))).1;
    let expected = number(&predicted[0], "time_s");
    let found = number(row, "time_s");
    // The profile has no tables: an empty message counts as one byte.
    assert_eq!(row["model"], "loggp");
    assert!(
        (found / expected - 1.0).abs() < 1e-3,
        "{found} not {expected}"
    );
}

/// The links of a network count beside a profile, which tells L; without a network the profile's
/// hosts are on one switch with links of 1/β. From S on a message asks first: L there and back.
#[test]
fn links_are_those_of_the_network_or_of_one_switch() {
    let home = Home::fitted();
    let case = "--collective alltoall --algorithm direct --procs 4 --size 64KiB";
    let slow = include_str!("../../../scenarios/ethernet-4x50.toml");
    home.write("slow.toml", slow);
    home.write("fast.toml", &slow.replace("50Mbit/s", "500Mbit/s"));
    let time = |more: &str| time_us(&home, &format!("{case} --profile profile.toml {more}"));
    let bytes = 3.0 * 65536.0;
    for (network, gap) in [("slow", 0.16), ("fast", 0.016)] {
        let found = time(&format!("--network {network}.toml"));
        assert_near(found, bytes * gap + 100.0, network);
    }
    let [ports, star] = ["loggp", "tcp"].map(|model| time(&format!("--model {model}")));
    assert!((star / ports - 1.0).abs() < 1e-3, "{star} not {ports}");
    let asking = time("--network slow.toml --set L=50us --set S=64KiB");
    assert_near(
        asking,
        bytes * 0.16 + 3.0 * 50.0,
        "a request and its answer",
    );
}

#[test]
fn every_algorithm_takes_the_same_as_its_goal() {
    let home = home();
    for entry in ALGORITHMS {
        let case = format!(
            "--collective {} --algorithm {} --procs 6 --size 5000",
            entry.collective,
            entry.example()
        );
        for model in [LOGGP, "--network four.toml --model fluid --ppn 2"] {
            let direct = rows(&home, &format!("{case} {model} --write-goal p.goal"));
            let read = rows(&home, &format!("--goal p.goal {model}"));
            for key in ["time_s", "messages", "sent_bytes"] {
                assert_eq!(direct[0][key], read[0][key], "{case} {model} {key}");
            }
        }
    }
}

/// n·(n − 1)·m is beyond 64 bits.
#[test]
fn a_thousand_million_ranks_are_counted() {
    let home = home();
    let case = "--collective allgather --algorithm ring --procs 1000000000 --size 1KiB";
    let row = &rows(&home, &format!("{case} {LOGGP}"))[0];
    assert_near(number(row, "sent_bytes") / 1e18, 1_023.999_998_976, "bytes");
}
