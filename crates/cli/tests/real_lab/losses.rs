//! The counters of losses in the data of the emulated cluster.

use std::fs;

use netsig_base::data::Sample;
use tempfile::TempDir;

use super::{data, has_lab, measuring_on, run_unless_void, stderr_text};

/// Ports that overflow in every exchange of 48 KiB.
const SHALLOW: &str = r#"description = "8 hosts on one 50 Mbit/s switch with 16 KiB port buffers"
topology = "star"
hosts = 8
rate = "50Mbit/s"
port_buffer = "16KiB"
congestion_control = "reno"
"#;

const PLAN: &str = r#"[[collective]]
name = "alltoall"
algorithms = ["direct"]
procs = 8
sizes = "48KiB"
repetitions = 30
"#;

/// The bytes that pass a port, with headers, at 50 Mbit/s.
const WIRE_S: f64 = 7.0 * 49152.0 * 1514.0 / 1448.0 / (50e6 / 8.0);

/// The least stall of TCP.
const STALL_S: f64 = 0.2;

/// A rank with finished sends may still have to resend the end of a message for which another rank waits: it reads its
/// counters after that.
#[test]
#[ignore = "asserts times"]
fn a_stall_shows_the_probe_or_timer_that_ended_it() {
    if !has_lab() {
        return;
    }
    let home_directory = TempDir::new().unwrap();
    let home = home_directory.path();
    fs::write(home.join("shallow.toml"), SHALLOW).unwrap();
    fs::write(home.join("plan.toml"), PLAN).unwrap();
    let output = run_unless_void(measuring_on(home, "lab:shallow.toml"), home);
    assert!(output.status.success(), "{}", stderr_text(&output));
    let samples = data(home).samples;
    let has_stalled = |sample: &&Sample| sample.time.0 > WIRE_S + STALL_S;
    let shows = |sample: &Sample| {
        let ends = [sample.losses.rtos, sample.losses.tail_probes];
        ends.iter().flatten().any(|&count| count > 0)
    };
    assert!(samples.iter().any(shows), "nothing was lost");
    for sample in samples.iter().filter(has_stalled) {
        assert!(shows(sample), "{sample:?}");
    }
}
