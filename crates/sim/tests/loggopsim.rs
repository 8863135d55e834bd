//! Parameters for `LogGOPSim`, read back from the text as a shell would, in netsig's simulator of
//! GOAL programs: one message takes the time of the profile.

use itertools::Itertools as _;
use netsig_base::units::{Bytes, Procs, Seconds, SecondsPerByte};
use netsig_model::model::message::loggp::LogGP;
use netsig_model::profile::Profile;
use netsig_model::tune::loggopsim::parameters;
use netsig_sim::goal::{Goal, GoalRun};
use netsig_sim::network::endpoint::{Endpoint, PortParameters};
use netsig_sim::run;

/// Two protocols, and overheads.
const TABLES: &str = include_str!("../../model/benches/profile.toml");

/// α = 100 µs and β of 40 Mbit/s: whole nanoseconds suffice.
const SLOW: &str = "netsig_profile = 4\n[hockney]\n\
    alpha_s = { value = 1e-4, lower = 9e-5, upper = 2e-4 }\n\
    beta_s_per_byte = { value = 2.09e-7, lower = 2e-7, upper = 3e-7 }\n";

/// 100 Gbit/s: a byte takes less than a nanosecond.
const FAST: &str = "netsig_profile = 4\n[hockney]\n\
    alpha_s = { value = 2e-6, lower = 1e-6, upper = 3e-6 }\n\
    beta_s_per_byte = { value = 8.4e-11, lower = 8e-11, upper = 9e-11 }\n\
    [protocol]\neager_above_bytes = 8192\neager_up_to_bytes = 16384\n";

/// The options by name.
fn options(text: &str) -> Vec<(&str, f64)> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let words = lines.flat_map(str::split_whitespace).tuples();
    words.map(|(name, value)| (name, value.parse().unwrap())).collect()
}

/// The simulated time of one message with the options of the text.
fn simulated(text: &str, size: u64) -> f64 {
    let unit = match text.lines().next().unwrap() {
        line if line.contains("times in nanoseconds") => 1e-9,
        line if line.contains("times in picoseconds") => 1e-12,
        line => panic!("{line}"),
    };
    let options = options(text);
    let value = |wanted| options.iter().find(|(name, _)| *name == wanted).unwrap().1 * unit;
    let [latency, overhead, gap] = ["-L", "-o", "-g"].map(|name| Seconds(value(name)));
    let model = LogGP::new(latency, overhead, gap, SecondsPerByte(value("-G"))).unwrap();
    assert!(value("-O") <= value("-G"), "O would lengthen messages");
    let program = format!("num_ranks 2\nrank 0 {{\nsend {size}b to 1\n}}\nrank 1 {{\nrecv {size}b from 0\n}}\n");
    let goal = Goal::parse("one.goal", &program).unwrap();
    let mut network = Endpoint::new(PortParameters::LogGP(model), Procs::new(2).unwrap());
    let outcome = run(&mut GoalRun::new(&goal).unwrap(), &mut network, &mut ()).unwrap();
    outcome.time.0 as f64 * 1e-12
}

#[test]
fn one_message_in_goal_takes_the_time_of_the_profile() {
    // A table bends and jumps; a line is as exact as whole units are.
    for (text, tolerance) in [(TABLES, 0.12), (SLOW, 0.001), (FAST, 0.001)] {
        let profile = Profile::parse("p.toml", text).unwrap();
        let written = parameters(&profile, "p.toml").unwrap();
        for size in [1, 64, 1024, 8192, 65_536, 1 << 20] {
            let known = profile.network().plogp.message(Bytes(size)).0;
            let ratio = simulated(&written, size) / known;
            assert!((ratio - 1.0).abs() < tolerance, "{size} B: {ratio}\n{written}");
        }
    }
}

#[test]
fn the_text_states_unit_origin_and_what_is_missing() {
    let texts = [TABLES, SLOW, FAST].map(|text| {
        let profile = Profile::parse("p.toml", text).unwrap();
        parameters(&profile, "p.toml").unwrap()
    });
    insta::assert_snapshot!(texts.join("\n").replace(env!("CARGO_PKG_VERSION"), "VERSION"));
}
