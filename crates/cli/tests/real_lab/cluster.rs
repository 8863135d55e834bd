//! The emulated cluster without MPI: hosts reach each other over shaped links, exit codes are passed on, and nothing
//! remains after any end of the lab.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use super::early_ends::{processes, wait_until};
use super::{has_lab, netsig, run_unless_void, stderr_text};

/// netsig about to run a command in the lab.
fn exec(scenario: &str, command: &[&str]) -> Command {
    let arguments = ["lab", "exec", scenario, "--"];
    netsig(Path::new("."), &[&arguments, command].concat())
}

/// Runs `script` in a shell in the lab.
fn run(scenario: &str, script: &str) -> Output {
    let home = TempDir::new().unwrap();
    run_unless_void(exec(scenario, &["bash", "-c", script]), home.path())
}

/// Output of `script` in the lab, which must succeed.
pub fn printed(scenario: &str, script: &str) -> String {
    let output = run(scenario, script);
    assert!(output.status.success(), "{script}: {}", stderr_text(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// From h0, each other host refuses a connection to a closed port, by its address and by its name; a connection to an
/// absent host would time out. Switches in a row, a tree with its uplink, and sites around a core.
#[test]
fn all_hosts_reach_each_other_under_their_names() {
    if !has_lab() {
        return;
    }
    for (scenario, last) in [
        ("ethernet-4x50", 3),
        ("unequal-2-6-4x40", 11),
        ("tree-2x6x40", 11),
        ("wan-4-4-4-30x10", 11),
    ] {
        let script = format!(
            "/run/lab/agent h0 'hostname; for i in $(seq 1 {last}); do \
             bash -c \"exec 3<>/dev/tcp/10.0.0.$((i + 1))/9\" 2>&1 | grep -om1 refused; \
             bash -c \"exec 3<>/dev/tcp/h$i/9\" 2>&1 | grep -om1 refused; done'"
        );
        let expected = format!("h0\n{}", "refused\n".repeat(2 * last));
        assert_eq!(printed(scenario, &script), expected, "{scenario}");
    }
}

/// The shell is in a PID namespace of its own, after the tools that built the network.
#[test]
fn links_and_environment_are_those_of_the_scenario() {
    if !has_lab() {
        return;
    }
    let text = printed(
        "ethernet-4x50",
        "echo $NETSIG_LAB $NETSIG_LAB_HOSTS $(wc -l < $NETSIG_LAB_HOSTFILE) $TMPDIR \
         $NETSIG_LAB_CONGESTION_CONTROL ${NETSIG_LAB_SCENARIO-none} $(($$ < 200)); \
         PATH=$PATH:/usr/sbin:/sbin; tc -n h3 qdisc show dev eth0; tc -n sw0 qdisc show dev p3",
    );
    let (first, shapes) = text.split_once('\n').unwrap();
    assert_eq!(first, "ethernet-4x50 4 4 /run/lab/tmp reno none 1");
    assert_eq!(shapes.matches("qdisc tbf").count(), 2, "{text}");
    assert_eq!(shapes.matches("rate 50Mbit").count(), 2, "{text}");
}

/// h1 accepts a connection from h0, and each prints the kernel's facts about it in a line.
const ENDS: &str = r#"cat > $TMPDIR/end << 'END'
use IO::Socket::INET;
my $place = "10.0.0.2:7000";
my $socket;
$socket = IO::Socket::INET->new(Listen => 1, LocalAddr => $place)->accept if @ARGV;
select undef, undef, undef, 0.02 until $socket ||= IO::Socket::INET->new($place);
print join(" ", split " ", `ss -tinH`), "\n";
shutdown $socket, 1;
<$socket>
END
export PATH=$PATH:/usr/sbin:/sbin
/run/lab/agent h1 perl $TMPDIR/end accept &
/run/lab/agent h0 perl $TMPDIR/end
wait
"#;

/// Tests each congestion control of the machine, not only its default.
#[test]
fn connections_use_the_congestion_control_of_the_scenario() {
    if !has_lab() {
        return;
    }
    let home = TempDir::new().unwrap();
    let file = home.path().join("scenario.toml");
    let scenario = include_str!("../../../../scenarios/ethernet-4x50.toml");
    for control in &netsig_lab::check().congestion_controls {
        fs::write(&file, scenario.replace("reno", control)).unwrap();
        let text = printed(file.to_str().unwrap(), ENDS);
        let is_used = |end: &str| end.split(' ').any(|word| word == control);
        assert!(
            text.lines().count() == 2 && text.lines().all(is_used),
            "{control}: {text}"
        );
    }
    fs::write(&file, scenario.replace("reno", "vegas")).unwrap();
    let output = exec(file.to_str().unwrap(), &["true"]).output().unwrap();
    if !netsig_lab::check().congestion_controls.contains(&"vegas".to_owned()) {
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr_text(&output).contains("has no congestion control vegas"));
    }
}

#[test]
fn exit_codes_and_signals_pass_through() {
    if !has_lab() {
        return;
    }
    for (script, code, what) in [
        ("exit 7", 7, ""),
        ("kill -TERM $$", 143, ""),
        ("(sleep 600 &) ; exit 3", 3, "orphans do not hold the lab up"),
        ("trap 'exit 9' TERM; kill -TERM 1; sleep 5 & wait", 9, "handed on"),
    ] {
        assert_eq!(
            run("ethernet-4x50", script).status.code(),
            Some(code),
            "{script} {what}"
        );
    }
    let output = exec("ethernet-4x50", &["no-such-command"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr_text(&output).contains("cannot run no-such-command: "),
        "{}",
        stderr_text(&output)
    );
}

/// Three hosts send datagrams of 41 frames to a fourth, whose port passes a third of them at a time. It sent or dropped
/// every frame that left the hosts. The fourth sends first, so that the switch learns its port.
#[test]
fn a_port_counts_what_it_drops() {
    if !has_lab() {
        return;
    }
    let netsig = env!("CARGO_BIN_EXE_netsig");
    let script = format!(
        "/run/lab/agent h0 'bash -c \"printf 0 >/dev/udp/10.0.0.2/9\"'; \
         for h in 1 2 3; do /run/lab/agent h$h 'bash -c \"for i in \\$(seq 40); do \
         dd if=/dev/zero bs=60000 count=3 status=none >/dev/udp/10.0.0.1/9; done\"' 2>/dev/null & done; \
         wait; sleep 1; for h in 1 2 3; do \
         /run/lab/agent h$h 'cat /sys/class/net/eth0/statistics/tx_packets'; done; \
         '{netsig}' lab drops --format csv"
    );
    let text = printed("ethernet-4x50", &script);
    let lines: Vec<&str> = text.lines().collect();
    let (sent_lines, table) = lines.split_at(3);
    let sent: u32 = sent_lines.iter().map(|line| line.parse::<u32>().unwrap()).sum();
    assert_eq!(table[0], "switch,port,packets,dropped");
    let rows: Vec<Vec<&str>> = table[1..].iter().map(|row| row.split(',').collect()).collect();
    let ports: Vec<&str> = rows.iter().map(|row| row[1]).collect();
    assert_eq!(ports, ["p0", "p1", "p2", "p3"]);
    let [passed, dropped]: [u32; 2] = [2, 3].map(|column| rows[0][column].parse().unwrap());
    assert!(dropped > 0 && passed + dropped == sent, "{text}");
    assert!(rows[1..].iter().all(|row| row[3] == "0"), "{text}");
}

/// The command leaves a daemon and files, all recognisable by their mark; the lab ends with it, and by
/// being killed.
#[test]
fn nothing_stays_after_any_end() {
    if !has_lab() {
        return;
    }
    let mounts = || fs::read_to_string("/proc/self/mountinfo").unwrap().lines().count();
    let before = mounts();
    for (end, last) in [("normal", ""), ("killed", "sleep 600")] {
        let mark = format!("netsig-{end}-{}", std::process::id());
        let script = format!(
            "touch $TMPDIR/{mark} /dev/shm/{mark} /run/{mark}; \
             setsid bash -c 'sleep 600; : {mark}' & echo up; {last}"
        );
        let mut child = exec("ethernet-4x50", &["bash", "-c", &script])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0; 3];
        child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
        assert_eq!(&first, b"up\n");
        if end == "killed" {
            assert!(!processes(&mark).is_empty());
            child.kill().unwrap();
        }
        child.wait().unwrap();
        wait_until("the end of its processes", || processes(&mark).is_empty());
        for folder in ["/run", "/dev/shm", "/tmp", "/run/lab/tmp"] {
            assert!(!Path::new(folder).join(&mark).exists(), "{folder}/{mark} stays");
        }
        assert_eq!(mounts(), before, "mounts stay");
    }
}
