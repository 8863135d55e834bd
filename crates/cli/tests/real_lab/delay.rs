//! Links with a delay: all frames arrive late by it and in order, between two sites and three. Where frames cannot be
//! held back, the lab says so and runs without the delay.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use super::cluster::printed;
use super::support::skipped;
use super::{data, has_lab, path_of, rank_program, run_unless_void, stderr_text};

/// From h0 to one host after the other and back: 3000 datagrams of up to 700 bytes, 32 at a time. Any buffer holds
/// these, so that none may be lost. Prints the host, the number of echoes, of echoes out of order, and the shortest
/// time to an echo in milliseconds.
const ECHOES: &str = r#"cat > $TMPDIR/echo << 'END'
use IO::Socket::INET;
my $socket = IO::Socket::INET->new(LocalPort => 7000, Proto => "udp") or die;
while (my $from = $socket->recv(my $data, 2000)) { $socket->send($data, 0, $from) }
END
cat > $TMPDIR/ask << 'END'
use IO::Socket::INET;
use IO::Select;
use Time::HiRes "time";
my ($host) = @ARGV;
my $address = "10.0.0." . (1 + substr $host, 1);
my $socket = IO::Socket::INET->new(PeerAddr => $address, PeerPort => 7000, Proto => "udp") or die;
my $ready = IO::Select->new($socket);
# The echo has started once it answers.
do { $socket->send("0") } until $ready->can_read(1) && $socket->recv(my $first, 2000);
1 while $ready->can_read(0.2) && $socket->recv(my $further, 2000);
my ($sent, $came, $last, $late, $shortest, @start) = (0, 0, 0, 0, 1);
while ($came < 3000) {
    while ($sent < 3000 && $sent < $came + 32) {
        $start[++$sent] = time;
        $socket->send($sent . "x" x ($sent % 700));
    }
    last unless $ready->can_read(5);
    $socket->recv(my $data, 2000);
    my ($number) = $data =~ /^(\d+)/;
    $came++;
    if ($number < $last) { $late++ } else { $last = $number }
    my $took = time - $start[$number];
    $shortest = $took if $took < $shortest;
}
printf "%s %d %d %.3f\n", $host, $came, $late, 1000 * $shortest;
END
for host in "$@"; do
    /run/lab/agent $host perl $TMPDIR/echo &
    /run/lab/agent h0 perl $TMPDIR/ask $host
done
"#;

/// The shortest measurement.
const PLAN: &str = "[pingpong]\nsizes = \"1\"\nrepetitions = 1\n";

/// True if frames can be held back here; prints SKIPPED otherwise.
fn delays_links() -> bool {
    let rows = netsig_lab::check().rows;
    let tap = rows.iter().find(|row| row.name == "tap devices").unwrap();
    let missing = tap.found.as_ref().err();
    missing.inspect(|missing| skipped(missing)).is_none()
}

/// The script that asks `hosts`.
fn asking(hosts: &[&str]) -> String {
    format!("set -- {}\n{ECHOES}", hosts.join(" "))
}

/// The most frames of 3000 that arrive after a later one: when a process moves to another processor, one frame may
/// overtake another before any link.
const MOST_OVERTAKEN: u32 = 30;

/// The shortest times in milliseconds to an echo of each of `hosts`; asserts that all echoes came in order.
fn shortest_ms(text: &str, hosts: &[&str]) -> Vec<f64> {
    let line = |(line, host): (&str, &&str)| {
        let [name, came, late, time] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        assert_eq!([name, came], [*host, "3000"], "{text}");
        assert!(late.parse::<u32>().unwrap() <= MOST_OVERTAKEN, "{text}");
        time.parse().unwrap()
    };
    assert_eq!(text.lines().count(), hosts.len(), "{text}");
    text.lines().zip(hosts).map(line).collect()
}

/// The first host is at the site of h0, the others at other sites.
#[test]
#[ignore = "asserts times"]
fn frames_arrive_late_by_the_delay_and_all_in_their_order() {
    if !has_lab() {
        return;
    }
    if !delays_links() {
        return;
    }
    for (scenario, hosts, delay_ms) in [
        ("wan-6-6-30x5", &["h5", "h11"][..], 5.0),
        ("wan-4-4-4-30x10", &["h3", "h4", "h11"][..], 10.0),
    ] {
        let times = shortest_ms(&printed(scenario, &asking(hosts)), hosts);
        for (place, time) in times.iter().enumerate() {
            let least = if place == 0 { 0.0 } else { 2.0 * delay_ms };
            let range = least..least + if place == 0 { delay_ms } else { 20.0 };
            assert!(range.contains(time), "{scenario}: {hosts:?} {times:?}");
        }
    }
}

/// Runs netsig where the file that makes tap devices is hidden. It must succeed, and warn once that `links` have no
/// delay. Returns its output.
fn run_without_tap(home: &Path, links: &str, arguments: &[&str]) -> String {
    let hide = "if [ -e /dev/net ]; then mount -t tmpfs none /dev/net; fi && exec \"$@\"";
    let mut command = Command::new("unshare");
    command
        .args(["-Urm", "sh", "-c", hide, "sh"])
        .arg(env!("CARGO_BIN_EXE_netsig"))
        .args(arguments)
        .env("NETSIG_RANK_PROGRAM", rank_program())
        .current_dir(home);
    let output = run_unless_void(command, home);
    let told = stderr_text(&output);
    assert!(output.status.success(), "{told}");
    let warning = format!("the delay of {links} is emulated as 0, since this machine has no tap");
    assert_eq!(told.matches(&warning).count(), 1, "{told}");
    assert!(told.contains("as root: modprobe tun"), "{told}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
#[ignore = "asserts times"]
fn a_delay_that_cannot_be_emulated_is_0_and_told() {
    if !has_lab() {
        return;
    }
    let home_directory = TempDir::new().unwrap();
    let home = home_directory.path();
    let script = asking(&["h11"]);
    let exec = ["lab", "exec", "wan-4-8-20x10", "--", "bash", "-c", &script];
    let text = run_without_tap(home, "west -> east", &exec);
    let times = shortest_ms(&text, &["h11"]);
    assert!(times[0] < 20.0, "{times:?}");

    fs::write(home.join("plan.toml"), PLAN).unwrap();
    let mpirun = path_of("mpirun.openmpi");
    let place = ["--on", "lab:wan-4-4-4-30x10", "--mpirun", &mpirun];
    let measure = ["measure", "plan.toml", "-o", "data.csv"];
    let links = "west -> core, middle -> core, east -> core";
    run_without_tap(home, links, &[&measure[..], &place].concat());
    assert_eq!(data(home).provenance.get("undelayed_links"), Some(links));
}
