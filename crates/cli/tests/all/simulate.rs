//! `netsig simulate`: its output, and times that were worked by hand.

mod sweep;

use crate::support::{PrintedRow, TestHome, assert_same_json, number, parse_csv, printed_rows, stderr_text};
use netsig_base::algorithm::{ALGORITHMS, Algorithm, AlgorithmTraffic, Collective};

/// `LogGP` with round numbers: L = 5 µs, o = 1 µs, g = 2 µs, G = 1 ns.
const LOGGP: &str = "--set L=5us --set o=1us --set g=2us --set G=1ns";

/// Two and two hosts at 1 Gbit/s; the uplinks carry 1 Gbit/s and buffer 4550 bytes.
const FOUR: &str = include_str!("../refusals/home/four.toml");

fn home() -> TestHome {
    let home = TestHome::new();
    home.write("four.toml", FOUR);
    home
}

/// The rows of a simulation.
fn simulated(home: &TestHome, arguments: &str) -> Vec<PrintedRow> {
    printed_rows(home, &format!("simulate {arguments}"))
}

fn assert_near(found: f64, expected: f64, what: &str) {
    let error = (found - expected).abs();
    assert!(error <= 1e-9 * expected, "{what}: {found} not {expected}");
}

#[test]
fn rows_have_the_promised_columns_in_every_format() {
    let home = home();
    let wanted = "simulate --network tree-2x6x40 --collective alltoall --procs 4,6 --size 1KiB,2KiB";
    let (columns, rows) = parse_csv(&home.run(&format!("{wanted} --format csv")));
    let promised = "collective,algorithm,procs,size_bytes,time_s,model,method,messages,sent_bytes,losses,network";
    assert_eq!(columns.join(","), promised);
    let all = ALGORITHMS.iter();
    let plain = all.filter(|e| e.collective == Collective::Alltoall && e.settings.is_empty());
    assert_eq!(rows.len(), 4 * plain.count());
    assert_eq!(rows[1]["procs"], "6", "process counts change fastest");
    assert_same_json(&home, wanted, &rows);
}

#[test]
fn every_scenario_of_the_lab_simulates_as_it_is() {
    let home = home();
    for (name, _) in netsig_lab::SHIPPED_SCENARIOS {
        let procs = netsig_lab::load(name).unwrap().hosts();
        for model in ["loggp", "plogp", "plogpt", "fluid", "tcp"] {
            let what = format!("--network {name} --model {model} --collective alltoall --procs {procs} --size 4KiB");
            for row in simulated(&home, &what) {
                assert!(number(&row, "time_s") > 0.0, "{row:?}");
                assert_eq!((&*row["model"], &*row["network"]), (model, *name));
            }
        }
    }
}

#[test]
fn losses_and_links_are_told_and_written() {
    let home = home();
    let lost = "simulate --network four.toml --collective alltoall --algorithm sends-in-turn \
                --procs 4 --size 10000 --losses losses.csv --links links.csv --gantt g.svg \
                --timeline t.json";
    let output = home.netsig(lost).output().unwrap();
    let note = stderr_text(&output);
    assert!(
        note.starts_with("netsig: note: messages lost packets 4 times") && note.contains("--losses"),
        "{note}"
    );
    assert_eq!(note.lines().count(), 1, "{note}");
    let (columns, losses) = parse_csv(&home.read("losses.csv"));
    assert_eq!(columns.join(","), "time_s,from,to,operation,delay_s,cause");
    assert_eq!(losses.len(), 4);
    assert_eq!((&*losses[0]["time_s"], &*losses[0]["delay_s"]), ("0.00008", "0.2"));
    let (columns, links) = parse_csv(&home.read("links.csv"));
    assert_eq!(columns.join(","), "link,bytes,busy_s,utilisation");
    // Each host sends two messages over the uplink of its pair.
    let uplink = links.iter().find(|row| row["link"] == "switch0 -> switch2");
    assert_eq!(uplink.unwrap()["bytes"], "40000");
    assert!(home.read("g.svg").starts_with("<svg"));
    assert!(serde_json::from_str::<serde_json::Value>(&home.read("t.json")).is_ok());
}

/// With a profile, a network still gives the links, and the profile gives L. Without a network the profile's hosts are
/// on one switch with links of 1/β; ports without tables send a message in each α + β·m. From S on a message asks first: L there and back.
#[test]
fn links_are_those_of_the_network_or_of_one_switch() {
    let home = TestHome::fitted();
    let slow = include_str!("../../../../scenarios/ethernet-4x50.toml");
    home.write("slow.toml", slow);
    home.write("fast.toml", &slow.replace("50Mbit/s", "500Mbit/s"));
    let cell = "--collective alltoall --algorithm direct --procs 4 --size 64KiB";
    let time = |more: &str| {
        let row = &simulated(&home, &format!("{cell} --profile profile.toml {more}"))[0];
        number(row, "time_s") * 1e6
    };
    let bytes = 3.0 * 65536.0;
    for (network, gap) in [("slow", 0.16), ("fast", 0.016)] {
        let found = time(&format!("--network {network}.toml"));
        assert_near(found, bytes * gap + 100.0, network);
    }
    let [ports, star] = ["loggp", "tcp"].map(|model| time(&format!("--model {model}")));
    assert!((star / ports - 1.0).abs() < 1e-2, "{star} not {ports}");
    let free_command = format!("predict profile.toml {cell} --model hockney");
    let free = number(&printed_rows(&home, &free_command)[0], "time_s") * 1e6;
    assert!((ports / free - 1.0).abs() < 0.03, "{ports} not {free}");
    let asking = time("--network slow.toml --set L=50us --set S=64KiB");
    let expected = bytes * 0.16 + 3.0 * 50.0;
    assert_near(asking, expected, "a request and its answer");
}

#[test]
fn every_algorithm_takes_the_same_as_its_goal() {
    let home = home();
    for entry in ALGORITHMS {
        let algorithm = Algorithm::parse(entry.collective, &entry.example()).unwrap();
        // Six equal blocks of whole doubles.
        let size = if entry.collective.has_data() { 4992 } else { 0 };
        let case = format!(
            "--collective {} --algorithm {algorithm} --procs 6 --size {size} --set omega=1ns/B",
            entry.collective,
        );
        for model in [LOGGP, "--network four.toml --model fluid --ppn 2"] {
            let needs = match algorithm.traffic() {
                Some(AlgorithmTraffic::Clusters) => "follows the clusters of the ranks",
                Some(AlgorithmTraffic::Phases) if model != LOGGP => "follows the links between switches",
                _ => "",
            };
            if !needs.is_empty() {
                let command = format!("simulate {case} {model}");
                let place = format!("{} {algorithm} {needs}", entry.collective);
                let remedy = "name another --algorithm, or measure it";
                home.assert_refused(&command, 3, [&place, remedy]);
                continue;
            }
            let direct = simulated(&home, &format!("{case} {model} --write-goal p.goal"));
            let read = simulated(&home, &format!("--goal p.goal {model}"));
            for key in ["time_s", "messages", "sent_bytes"] {
                assert_eq!(direct[0][key], read[0][key], "{case} {model} {key}");
            }
        }
    }
}
