//! `netsig doctor` in the lab: a sound cluster, hosts that do not answer each other, and ranks that share
//! a host.

use std::collections::BTreeMap;
use std::process::{Command, Output};

use tempfile::TempDir;

use super::support::{PrintedRow, parse_csv};
use super::{has_lab, netsig, path_of, rank_program, run_unless_void, stderr_text};
use crate::long_form::is_long_form;

/// The checks of a trial start whose states do not depend on other programs on this machine, unlike the checks of
/// clocks and processors.
const TRIAL: [&str; 4] = ["start", "one rank a host", "tcp counters", "connections"];

/// The rows of the table by check, and netsig's message.
fn examine(command: Command) -> (Output, BTreeMap<String, PrintedRow>) {
    let home = TempDir::new().unwrap();
    let output = run_unless_void(command, home.path());
    let (columns, rows) = parse_csv(&String::from_utf8_lossy(&output.stdout));
    assert_eq!(
        columns,
        ["check", "state", "detail", "cure"],
        "{}",
        stderr_text(&output)
    );
    let by_check = rows.into_iter().map(|row| (row["check"].clone(), row));
    let rows: BTreeMap<String, PrintedRow> = by_check.collect();
    assert_eq!(home.path().read_dir().unwrap().count(), 0, "a file stays");
    (output, rows)
}

/// A command of netsig within the emulated cluster, after `preparation`.
fn within(preparation: &str, arguments: &str) -> Command {
    let script = format!(
        "export PATH=$PATH:/usr/sbin:/sbin; {preparation}; \
         exec \"$NETSIG\" {arguments} --mpirun {}",
        path_of("mpirun.openmpi")
    );
    let home = std::env::temp_dir();
    let mut command = netsig(&home, &["lab", "exec", "ethernet-4x50", "--", "bash", "-c", &script]);
    command
        .env("NETSIG", env!("CARGO_BIN_EXE_netsig"))
        .env("NETSIG_RANK_PROGRAM", rank_program());
    command
}

/// With either MPI in the long form.
#[test]
#[ignore = "asserts times"]
fn a_sound_cluster_is_found_sound() {
    if !has_lab() {
        return;
    }
    let home = TempDir::new().unwrap();
    let mut mpis = vec![("mpirun.openmpi", rank_program())];
    if is_long_form() {
        let mpich = super::workspace().join("target/mpich/debug/netsig-rank");
        mpis.push(("mpirun.mpich", mpich));
    }
    for (mpirun, program) in mpis {
        let mut command = netsig(home.path(), &["doctor", "--on", "lab:ethernet-4x50"]);
        command
            .args(["--format", "csv", "--mpirun", &path_of(mpirun)])
            .env("NETSIG_RANK_PROGRAM", program);
        let (output, rows) = examine(command);
        assert!(output.status.success(), "{mpirun}: {}", stderr_text(&output));
        // These depend on other programs on this machine, and on the built programs.
        let may_vary = ["interposer", "processors"];
        let sound = rows.values().filter(|row| !may_vary.contains(&row["check"].as_str()));
        for row in sound {
            assert_eq!((row["state"].as_str(), row["cure"].as_str()), ("ok", ""), "{row:?}");
        }
        assert_eq!(rows["one rank a host"]["detail"], "h0, h1, h2, h3");
        assert!(rows["connections"]["detail"].starts_with("6 pairs"), "{rows:?}");
        assert!(
            rows["measure"]["detail"].contains("up to 8' --max-procs 4 "),
            "{rows:?}"
        );
    }
}

/// h2 refuses connections with h1.
const REFUSED: &str = "ip netns exec h2 ip route add blackhole 10.0.0.2/32";

/// The campaign hangs at its first exchange among all ranks, and examines the hosts.
#[test]
fn a_campaign_names_hosts_that_do_not_answer_each_other() {
    if !(is_long_form() && has_lab()) {
        return;
    }
    let home = TempDir::new().unwrap();
    let data = home.path().join("data.csv");
    let learn = format!(
        "learn 'alltoall library up to 8' --max-procs 4 --budget 1m --timeout 5 -o {} --hostfile \"$NETSIG_LAB_HOSTFILE\"",
        data.display()
    );
    let output = run_unless_void(within(REFUSED, &learn), home.path());
    assert_eq!(output.status.code(), Some(1), "{}", stderr_text(&output));
    let said = stderr_text(&output);
    assert!(said.contains("netsig: h1 and h2 cannot exchange messages: "), "{said}");
    assert!(said.contains("; nothing was measured; open all TCP ports "), "{said}");
    assert_eq!(home.path().read_dir().unwrap().count(), 0, "{said}");
}

/// As above. In the long form their packets also vanish, and h3 reaches nobody.
#[test]
fn hosts_that_do_not_answer_each_other_are_named() {
    if !has_lab() {
        return;
    }
    let mut cases = vec![(REFUSED, "h1 and h2 cannot exchange messages: ")];
    if is_long_form() {
        let nowhere = |host, other| {
            format!("ip netns exec {host} ip neigh replace {other} lladdr 02:00:00:00:00:99 nud permanent dev eth0")
        };
        let commands = [("h1", "10.0.0.3"), ("h2", "10.0.0.2")].map(|(host, other)| nowhere(host, other));
        let vanish: &str = commands.join("; ").leak();
        cases.push((vanish, "no message came from h2 to h1, h1 to h2"));
        let alone = "ip netns exec h3 ip route replace blackhole 10.0.0.0/24";
        cases.push((alone, "host h3 cannot connect to host h0 "));
    }
    for (preparation, detail) in cases {
        let options = "doctor --format csv --hostfile \"$NETSIG_LAB_HOSTFILE\" --timeout 3";
        let (output, rows) = examine(within(preparation, options));
        assert_eq!(output.status.code(), Some(1), "{}", stderr_text(&output));
        let found = &rows["connections"];
        assert_eq!(found["state"], "FAILED", "{rows:?}");
        assert!(found["detail"].starts_with(detail), "{found:?}");
        assert!(found["cure"].contains("btl_tcp_if_include"), "{found:?}");
        assert_eq!(rows["measure"]["state"], "skipped");
        let message = "netsig: measuring would not work: connections; follow the cures above\n";
        assert!(stderr_text(&output).ends_with(message), "{}", stderr_text(&output));
    }
}

#[test]
fn ranks_that_share_a_host_are_named() {
    if !has_lab() {
        return;
    }
    let places = "--launcher-option=--map-by --launcher-option=slot --launcher-option=--oversubscribe";
    let preparation = "printf 'h1 slots=2\\n' > $TMPDIR/one";
    let options = format!("doctor --format csv --procs 2 --hostfile $TMPDIR/one {places}");
    let (output, rows) = examine(within(preparation, &options));
    assert_eq!(output.status.code(), Some(1), "{}", stderr_text(&output));
    for check in TRIAL {
        let expected = if check == "one rank a host" { "FAILED" } else { "ok" };
        assert_eq!(rows[check]["state"], expected, "{rows:?}");
    }
    assert_eq!(rows["one rank a host"]["detail"], "ranks 0, 1 share host h1");
}
