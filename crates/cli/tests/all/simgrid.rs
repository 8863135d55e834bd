//! Platforms for `SimGrid` in its real smpirun: an undisturbed message takes the profile's time, and
//! a direct exchange takes the time of the links that it shares. The one option beside the platform
//! leaves out the program's computation, which would take this machine's time. Without smpirun the
//! tests say SKIPPED, or fail if `NETSIG_TESTS=all`.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::long_form::is_long_form;
use crate::support::skipped;
use netsig_base::network::Network;
use netsig_base::units::{Bytes, Procs};
use netsig_model::profile::Profile;
use netsig_model::tune::simgrid::{PlatformTopology, platform};
use tempfile::TempDir;

/// Tables with two protocols, and overheads, up to 1 MiB; beyond, they go below β·m.
const TABLES: &str = include_str!("../../../model/benches/profile.toml");

/// α and β alone.
const LINE: &str = "netsig_profile = 4\n[hockney]\n\
    alpha_s = { value = 5e-5, lower = 4e-5, upper = 6e-5 }\n\
    beta_s_per_byte = { value = 8.5e-9, lower = 8e-9, upper = 9e-9 }\n";

/// Two switches with four hosts each, joined by one without hosts; all links are equally fast.
const TREE: &str = "topology = 'graph'\nrate = '1Gbit/s'\nport_buffer = '64KiB'\n\
    [[switch]]\nname = 'left'\nhosts = 'a[0-3]'\n[[switch]]\nname = 'top'\n\
    [[switch]]\nname = 'right'\nhosts = 'b[0-3]'\n\
    [[link]]\nbetween = ['left', 'top']\nrate = '1Gbit/s'\nport_buffer = '64KiB'\ndelay = '10us'\n\
    [[link]]\nbetween = ['right', 'top']\nrate = '1Gbit/s'\nport_buffer = '64KiB'\ndelay = '10us'\n";

const SIZES: [u64; 14] = [
    0,
    1,
    10,
    100,
    1000,
    5000,
    8192,
    8193,
    20_000,
    65_535,
    65_536,
    300_000,
    1 << 20,
    3 << 20,
];

/// A size at which the bandwidth takes nearly all of the time.
const LARGE: u64 = 3 << 20;

/// Simulated times of a size: one message, and the direct exchange.
struct SimgridTimes {
    size: Bytes,
    message: f64,
    exchange: f64,
}

/// A compiled program and its folder.
struct CompiledSmpi {
    folder: TempDir,
    program: PathBuf,
}

impl CompiledSmpi {
    /// `None`, with a message, if there is no smpirun.
    fn new() -> Option<Self> {
        if Command::new("smpirun").arg("-version").output().is_err() {
            let missing = "smpirun is not installed (Debian: libsimgrid-dev)";
            assert!(!is_long_form(), "{missing}");
            skipped(missing);
            return None;
        }
        let folder = TempDir::new().unwrap();
        let program = folder.path().join("program");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/smpi.c");
        let mut compiler = Command::new("smpicc");
        successful_stdout(compiler.args(["-O2", source, "-o"]).arg(&program).output().unwrap());
        Some(Self { folder, program })
    }

    /// The times on a platform with `procs` processes.
    fn run(&self, platform: &str, procs: u32) -> Vec<SimgridTimes> {
        let path = self.folder.path().join("platform.xml");
        fs::write(&path, platform).unwrap();
        let mut command = Command::new("smpirun");
        command
            .args(["-np", &procs.to_string(), "-platform"])
            .arg(&path)
            .arg("--cfg=smpi/simulate-computation:no");
        command.arg(&self.program).args(SIZES.map(|size| size.to_string()));
        let output = successful_stdout(command.current_dir(&self.folder).output().unwrap());
        let times: Vec<SimgridTimes> = output.lines().map(parse_times).collect();
        assert_eq!(times.len(), SIZES.len(), "{output}");
        times
    }
}

fn successful_stdout(output: Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{error}");
    String::from_utf8(output.stdout).unwrap()
}

fn parse_times(line: &str) -> SimgridTimes {
    let numbers: Vec<f64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
    let [size, message, exchange] = numbers[..] else {
        panic!("{line}");
    };
    SimgridTimes {
        size: Bytes::rounded(size),
        message,
        exchange,
    }
}

#[test]
fn smpirun_gives_one_message_the_time_of_the_profile() {
    let Some(smpi) = CompiledSmpi::new() else {
        return;
    };
    let hosts = Procs::new(8).unwrap();
    for (name, text) in [("line.toml", LINE), ("tables.toml", TABLES)] {
        let profile = Profile::parse(name, text).unwrap();
        let star = platform(&profile, name, PlatformTopology::Star(hosts)).unwrap();
        let beta = profile.hockney.beta.value;
        for SimgridTimes {
            size,
            message,
            exchange,
        } in smpi.run(&star, hosts.get())
        {
            let plogp = profile.network().plogp;
            let known = plogp.message(size).0;
            let ratio = message / known;
            println!("{name} {} B: {message:.3e} s, profile {known:.3e} s", size.0);
            let is_told = size.0 < LARGE || profile.plogp.is_none();
            assert!(!is_told || (0.98..1.02).contains(&ratio), "{name} {}", size.0);
            if size.0 == LARGE {
                let wire = 7.0 * beta * size.as_f64();
                println!("{name} exchange: {:.3} of the wire", exchange / wire);
                assert!((1.0..1.1).contains(&(exchange / wire)), "{exchange} {wire}");
            }
        }
    }
}

/// 16 messages cross each link between switches in each direction, and seven cross a host's link.
#[test]
fn smpirun_sends_a_tree_s_messages_over_the_links_between_its_switches() {
    let Some(smpi) = CompiledSmpi::new() else {
        return;
    };
    let profile = Profile::parse("line.toml", LINE).unwrap();
    let network = Network::parse("tree", TREE).unwrap();
    let tree = platform(&profile, "line.toml", PlatformTopology::Described(&network)).unwrap();
    let beta = profile.hockney.beta.value;
    for SimgridTimes {
        size,
        message,
        exchange,
    } in smpi.run(&tree, 8)
    {
        let known = profile.network().plogp.message(size).0 + 20e-6;
        assert!(
            (0.98..1.02).contains(&(message / known)),
            "{}: {message} {known}",
            size.0
        );
        if size.0 == LARGE {
            let wire = 16.0 * beta * size.as_f64();
            println!("tree exchange: {:.3} of the wire", exchange / wire);
            assert!((1.0..1.1).contains(&(exchange / wire)), "{exchange} {wire}");
        }
    }
}
