//! Real emulated clusters: hosts reach each other, exit codes come through, and nothing
//! stays behind however the lab ends.
//!
//! This program is its own host: as `cluster SCENARIO COMMAND…` it runs the command in
//! a lab, so that a test can kill it. In the lab it is both ends of a connection, as
//! `cluster end-accept` and `cluster end-connect`. Where namespaces are missing the
//! tests say SKIPPED, or fail if `NETSIG_LAB_TESTS=required`.

use std::ffi::OsString;
use std::io::Read;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Output, Stdio};
use std::time::{Duration, Instant};

/// A test and its name, for the filter on the command line.
type Test = (&'static str, fn());

const TESTS: [Test; 10] = [
    (
        "all_hosts_reach_each_other_under_their_names",
        all_hosts_reach_each_other_under_their_names,
    ),
    (
        "links_have_the_rate_of_the_scenario",
        links_have_the_rate_of_the_scenario,
    ),
    (
        "connections_use_the_congestion_control_of_the_scenario",
        connections_use_the_congestion_control_of_the_scenario,
    ),
    (
        "switches_of_unequal_size_come_up_in_a_row",
        switches_of_unequal_size_come_up_in_a_row,
    ),
    (
        "a_tree_comes_up_and_crosses_its_uplink",
        a_tree_comes_up_and_crosses_its_uplink,
    ),
    (
        "exit_codes_and_signals_pass_through",
        exit_codes_and_signals_pass_through,
    ),
    (
        "the_environment_names_the_lab",
        the_environment_names_the_lab,
    ),
    ("a_missing_command_is_named", a_missing_command_is_named),
    (
        "nothing_stays_after_a_normal_end",
        nothing_stays_after_a_normal_end,
    ),
    (
        "nothing_stays_after_the_lab_is_killed",
        nothing_stays_after_the_lab_is_killed,
    ),
];

fn main() -> ExitCode {
    if let Some(code) = netsig_lab::entry(std::env::args_os()) {
        return code;
    }
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    match args.first().and_then(|arg| arg.to_str()) {
        Some("end-accept") => return show(accept()),
        Some("end-connect") => return show(connect()),
        _ => {}
    }
    if let [scenario, command @ ..] = &args[..]
        && !command.is_empty()
        && netsig_lab::load(&scenario.to_string_lossy()).is_ok()
    {
        return host(&scenario.to_string_lossy(), command);
    }
    run_tests(&args)
}

/// Runs `command` in a lab, as the command line does.
fn host(scenario: &str, command: &[OsString]) -> ExitCode {
    let outcome = netsig_lab::load(scenario)
        .and_then(|scenario| netsig_lab::exec(&scenario, command))
        .unwrap_or_else(|error| panic!("{error}"));
    if let Some(reason) = outcome.void_reason() {
        eprintln!("{reason}");
    }
    ExitCode::from(u8::try_from(outcome.code).unwrap_or(1))
}

/// Runs the tests whose names contain an argument, one after the other: two clusters at
/// once would disturb each other.
fn run_tests(args: &[OsString]) -> ExitCode {
    if let Err(error) = netsig_lab::verify(&netsig_lab::load("tree-2x6x40").unwrap()) {
        let required = std::env::var_os("NETSIG_LAB_TESTS").is_some_and(|v| v == "required");
        assert!(!required, "{error}");
        eprintln!("SKIPPED: {error}");
        return ExitCode::SUCCESS;
    }
    let filters: Vec<_> = args.iter().filter_map(|arg| arg.to_str()).collect();
    let wanted = |name: &str| {
        let mut filters = filters
            .iter()
            .filter(|arg| !arg.starts_with('-'))
            .peekable();
        filters.peek().is_none() || filters.any(|filter| name.contains(filter))
    };
    for (name, test) in TESTS.iter().filter(|(name, _)| wanted(name)) {
        eprint!("test {name} ... ");
        test();
        eprintln!("ok");
    }
    ExitCode::SUCCESS
}

/// This program, about to run `script` in a shell in the lab.
fn lab(scenario: &str, script: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([scenario, "bash", "-c", script])
        .stdin(Stdio::null());
    command
}

fn run(scenario: &str, script: &str) -> Output {
    lab(scenario, script).output().unwrap()
}

/// What `script` prints in the lab, which must succeed.
fn said(scenario: &str, script: &str) -> String {
    let output = run(scenario, script);
    assert!(
        output.status.success(),
        "{script}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// From h0, a connection to a closed port of each other host is refused by that host;
/// to an absent one it would time out.
fn reach(last: u32) -> String {
    format!(
        "/run/lab/agent h0 'hostname; for i in $(seq 1 {last}); do \
         bash -c \"exec 3<>/dev/tcp/10.0.0.$((i + 1))/9\" 2>&1 | grep -om1 refused; \
         bash -c \"exec 3<>/dev/tcp/h$i/9\" 2>&1 | grep -om1 refused; done'"
    )
}

fn all_hosts_reach_each_other_under_their_names() {
    let expected = format!("h0\n{}", "refused\n".repeat(2 * 3));
    assert_eq!(said("ethernet-4x50", &reach(3)), expected);
}

fn switches_of_unequal_size_come_up_in_a_row() {
    let expected = format!("h0\n{}", "refused\n".repeat(2 * 11));
    assert_eq!(said("unequal-2-6-4x40", &reach(11)), expected);
}

fn a_tree_comes_up_and_crosses_its_uplink() {
    let expected = format!("h0\n{}", "refused\n".repeat(2 * 11));
    assert_eq!(said("tree-2x6x40", &reach(11)), expected);
}

fn links_have_the_rate_of_the_scenario() {
    let script = "PATH=$PATH:/usr/sbin:/sbin; tc -n h3 qdisc show dev eth0; \
        tc -n sw0 qdisc show dev p3";
    let text = said("ethernet-4x50", script);
    assert_eq!(text.matches("qdisc tbf").count(), 2, "{text}");
    assert_eq!(text.matches("rate 50Mbit").count(), 2, "{text}");
}

/// Where h1 accepts a connection from h0, over the shaped network.
const MEETING_POINT: &str = "10.0.0.2:7000";

/// A connection from another host.
fn accept() -> TcpStream {
    let listener = TcpListener::bind(MEETING_POINT).unwrap();
    listener.accept().unwrap().0
}

/// A connection to the host that accepts, once it does.
fn connect() -> TcpStream {
    let deadline = Instant::now() + Duration::from_secs(5);
    loop {
        match TcpStream::connect(MEETING_POINT) {
            Ok(stream) => return stream,
            Err(error) => assert!(Instant::now() < deadline, "{error}"),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Prints in one line what the kernel says about the only connection of this host,
/// and holds `stream` until the other end has done so too.
fn show(mut stream: TcpStream) -> ExitCode {
    let output = Command::new("ss").args(["-tinH"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    println!("{}", text.split_whitespace().collect::<Vec<_>>().join(" "));
    stream.shutdown(Shutdown::Write).unwrap();
    stream.read_to_end(&mut Vec::new()).unwrap();
    ExitCode::SUCCESS
}

/// For each congestion control that the machine has, whatever its default is.
fn connections_use_the_congestion_control_of_the_scenario() {
    for control in &netsig_lab::check().congestion_controls {
        let text = both_ends(control);
        let ends: Vec<_> = text.lines().collect();
        assert_eq!(ends.len(), 2, "{control}: {text}");
        for end in ends {
            assert!(
                end.split(' ').any(|word| word == control),
                "{control}: {end}"
            );
        }
    }
}

/// What h0 and h1 say about a connection between them, a line each, in a scenario with
/// the congestion control `control`.
fn both_ends(control: &str) -> String {
    let mut scenario = netsig_lab::load("ethernet-4x50").unwrap();
    control.clone_into(&mut scenario.congestion_control);
    let file = std::env::temp_dir().join(mark(control) + ".toml");
    std::fs::write(&file, scenario.to_toml()).unwrap();
    // The first process of the lab is this program.
    let script = "PATH=$PATH:/usr/sbin:/sbin; agent=/run/lab/agent; \
        $agent h1 /proc/1/exe end-accept > $TMPDIR/h1 & \
        $agent h0 /proc/1/exe end-connect && wait $! && cat $TMPDIR/h1";
    let text = said(file.to_str().unwrap(), script);
    std::fs::remove_file(file).unwrap();
    text
}

fn exit_codes_and_signals_pass_through() {
    let code = |script: &str| run("ethernet-4x50", script).status.code();
    assert_eq!(code("exit 0"), Some(0));
    assert_eq!(code("exit 7"), Some(7));
    assert_eq!(code("kill -TERM $$"), Some(143));
    assert_eq!(
        code("(sleep 600 &) ; exit 3"),
        Some(3),
        "orphans do not hold the lab up"
    );
    assert_eq!(
        code("trap 'exit 9' TERM; kill -TERM 1; sleep 5 & wait"),
        Some(9),
        "handed on"
    );
}

fn the_environment_names_the_lab() {
    let text = said(
        "ethernet-4x50",
        "echo $NETSIG_LAB $NETSIG_LAB_HOSTS $(wc -l < $NETSIG_LAB_HOSTFILE) $TMPDIR $$ \
         $NETSIG_LAB_CONGESTION_CONTROL ${NETSIG_LAB_SCENARIO-none}",
    );
    assert_eq!(
        text,
        "ethernet-4x50 4 4 /run/lab/tmp 2 reno none\n".replace(" 2 ", &shell_id(&text))
    );
}

/// The shell's process id as it stands in `text`: small, for it is in a fresh PID
/// namespace, but the tools that built the network came before it.
fn shell_id(text: &str) -> String {
    let id = text.split_whitespace().nth(4).unwrap_or_default();
    assert!(id.parse::<u32>().is_ok_and(|id| id < 200), "{text}");
    format!(" {id} ")
}

fn a_missing_command_is_named() {
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program)
        .args(["ethernet-4x50", "no-such-command"])
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        message.contains("cannot run no-such-command: "),
        "{message}"
    );
}

/// A command that leaves a daemon and a temporary file, all recognisable by `mark`.
fn littering(mark: &str) -> String {
    format!(
        "touch $TMPDIR/{mark} /dev/shm/{mark} /run/{mark}; \
         setsid bash -c 'sleep 600; : {mark}' & echo up; "
    )
}

/// A text that is in no other process's command line.
fn mark(what: &str) -> String {
    format!("netsig-{what}-{}", std::process::id())
}

/// Waits until no process has `mark` in its command line, and looks for its files.
fn assert_nothing_stays(mark: &str, mounts_before: usize) {
    let deadline = Instant::now() + Duration::from_secs(3);
    while processes(mark) > 0 {
        assert!(
            Instant::now() < deadline,
            "{} processes stay",
            processes(mark)
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    for folder in ["/run", "/dev/shm", "/tmp", "/run/lab/tmp"] {
        assert!(
            !Path::new(folder).join(mark).exists(),
            "{folder}/{mark} stays"
        );
    }
    assert_eq!(mounts(), mounts_before, "mounts stay");
}

fn processes(mark: &str) -> usize {
    let of_mark = |entry: &std::fs::DirEntry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(mark)
    };
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter(of_mark)
        .count()
}

fn mounts() -> usize {
    std::fs::read_to_string("/proc/self/mountinfo")
        .unwrap()
        .lines()
        .count()
}

fn nothing_stays_after_a_normal_end() {
    let (mark, mounts) = (mark("normal"), mounts());
    assert_eq!(said("ethernet-4x50", &littering(&mark)), "up\n");
    assert_nothing_stays(&mark, mounts);
}

fn nothing_stays_after_the_lab_is_killed() {
    let (mark, mounts) = (mark("killed"), mounts());
    let script = littering(&mark) + "sleep 600";
    let mut child = lab("ethernet-4x50", &script)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until_up(&mut child);
    assert!(processes(&mark) > 1);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_nothing_stays(&mark, mounts);
}

/// Waits for the first line that `child` prints.
fn wait_until_up(child: &mut Child) {
    let mut first = [0; 3];
    child
        .stdout
        .as_mut()
        .unwrap()
        .read_exact(&mut first)
        .unwrap();
    assert_eq!(&first, b"up\n");
}
