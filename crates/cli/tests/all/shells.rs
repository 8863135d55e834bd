//! Files as shells give them: standard input and output, pipes, links, modes, and encodings.

use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, symlink};
use std::process::{Command, Output, Stdio};

use crate::support::{ON_SIMULATOR, TestHome, stderr_text};

const OSU: &str = "# OSU MPI All-to-All Personalized Exchange Latency Test v5.3\n\
    # Size       Avg Latency(us)\n1 30.1\n2 30.2\n1024 80.5\n65536 900.25\n";

/// netsig with `input` as its standard input.
fn run_with_stdin(home: &TestHome, arguments: &str, input: &[u8]) -> Output {
    let output = home.netsig(arguments).write_stdin(input).output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", stderr_text(&output));
    output
}

/// Runs shell commands with `netsig` in the path, and returns the exit code.
fn shell(home: &TestHome, commands: &str) -> Option<i32> {
    let netsig = env!("CARGO_BIN_EXE_netsig");
    let script = format!("umask 022; netsig() {{ {netsig} \"$@\" 2>>said; }}; {commands}");
    let status = Command::new("bash")
        .args(["-c", &script])
        .env("NETSIG", netsig)
        .current_dir(home.0.path())
        .stdout(Stdio::null())
        .status();
    status.unwrap().code()
}

#[test]
fn a_dash_is_standard_input_and_output() {
    let home = TestHome::small();
    let data = home.read("data.csv");
    let profile = home.read("profile.toml");
    let points = "--collective alltoall --procs 8 --size 1KiB --format csv";
    for (arguments, input) in [
        ("import osu OSU.txt --procs 8 -o -", OSU),
        ("fit data.csv -o -", &data),
        ("report profile.toml --procs 4 -o -", &profile),
        ("tune profile.toml --for openmpi-4.1 -o -", &profile),
        ("tune profile.toml --for loggopsim -o -", &profile),
        ("plan profile.toml --budget 1m --for 'alltoall up to 16' -o -", &profile),
        ("compare data.csv --format csv", &data),
        (&format!("predict profile.toml {points}"), &profile),
        (&format!("select profile.toml {points}"), &profile),
        (
            &format!("simulate --profile profile.toml --algorithm direct {points}"),
            &profile,
        ),
    ] {
        home.write("OSU.txt", OSU);
        let named = home.run(arguments);
        let name = arguments.split(' ').find(|word| word.contains('.')).unwrap();
        let dashed = arguments.replacen(name, "-", 1);
        let output = run_with_stdin(&home, &dashed, input.as_bytes());
        let piped = String::from_utf8(output.stdout).unwrap();
        let anonymous = |text: &str| text.replace(name, "standard input");
        assert_eq!(anonymous(&piped), anonymous(&named), "{dashed}");
    }
    let written = |name: &str| fs::exists(home.path(name)).unwrap();
    assert!(!written("-"));
    let twice = ["standard input: is named twice", "name each file once"];
    home.assert_refused("fit - - -o twice.toml", 2, twice);
    home.assert_refused("fit - --plogp - -o twice.toml", 2, ["standard input: ", ""]);
    let pipeline = "cat OSU.txt | netsig import osu - --procs 8 -o - | netsig fit - -o piped.toml";
    assert_eq!(shell(&home, pipeline), Some(0));
    let pipeline = "cat data.csv | netsig fit - -o - | netsig predict - --collective alltoall \
        --procs 8 --size 1KiB | true; exit ${PIPESTATUS[1]}";
    assert_eq!(shell(&home, pipeline), Some(0));
}

#[test]
fn a_pipe_or_descriptor_is_written_through() {
    let home = TestHome::small();
    let profile = home.read("profile.toml");
    // As /dev/stdout is.
    symlink("/proc/self/fd/1", home.path("stdout")).unwrap();
    for (commands, copy) in [
        ("netsig fit data.csv -o stdout | cat >copy", profile.clone()),
        ("netsig fit data.csv -o /dev/stdout >copy", profile.clone()),
        (
            "{ echo a; netsig fit data.csv -o stdout; echo b; } >copy",
            format!("a\n{profile}b\n"),
        ),
        ("netsig fit data.csv -o /dev/fd/5 5>copy", profile.clone()),
        (
            "mkfifo fifo; cat fifo >copy & netsig fit data.csv -o fifo; wait",
            profile.clone(),
        ),
        ("netsig fit data.csv -o /dev/null; : >copy", String::new()),
        (
            "netsig fit /dev/fd/7 7< <(cat data.csv) -o >(cat >copy); sleep 0; wait $!",
            profile.replace("data.csv", "/dev/fd/7"),
        ),
    ] {
        assert_eq!(shell(&home, commands), Some(0), "{commands}: {}", home.read("said"));
        assert_eq!(home.read("copy"), copy, "{commands}");
    }
    assert!(home.path("stdout").is_symlink());
    let fifo = home.path("fifo").metadata().unwrap();
    assert!(fifo.file_type().is_fifo());
    let measured = format!("netsig measure plan.toml {ON_SIMULATOR} -o stdout | cat >copy");
    assert_eq!(shell(&home, &measured), Some(0));
    assert_eq!(home.read("copy"), home.read("data.csv"));
    let gone = "netsig fit data.csv -o stdout | true; exit ${PIPESTATUS[0]}";
    assert_eq!(shell(&home, gone), Some(0), "a reader may go");
    for unheard in ["fit data.csv -o unheard.toml", "fit nowhere.csv -o unheard.toml"] {
        let commands = format!("exec 2> >(true); wait $!; \"$NETSIG\" {unheard}");
        let code = shell(&home, &commands);
        assert_eq!(code, Some(128 + 13), "as any program without a reader");
    }
    symlink("circle", home.path("circle")).unwrap();
    for (arguments, place) in [
        ("measure plan.toml -o fifo", "fifo: is no regular file"),
        ("fit data.csv -o .", ".: is not a regular file"),
        ("fit data.csv -o new/", "new/: is not a regular file"),
        ("fit data.csv -o circle", "circle: is not a regular file"),
        ("fit data.csv -o /dev/fd/77", "/dev/fd/77: is not open"),
    ] {
        let output = home.netsig(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(
            stderr_text(&output).starts_with(&format!("netsig: {place}")),
            "{}",
            stderr_text(&output)
        );
    }
    let appended = "cp data.csv own.csv; netsig fit own.csv -o stdout >>own.csv";
    assert_eq!(shell(&home, appended), Some(2));
    assert_eq!(home.read("own.csv"), home.read("data.csv"));
}

#[test]
fn links_and_modes_stay() {
    let home = TestHome::small();
    let mode = |name: &str| home.path(name).metadata().unwrap().mode() & 0o7777;
    symlink("behind.toml", home.path("link.toml")).unwrap();
    assert_eq!(shell(&home, "netsig fit data.csv -o link.toml"), Some(0));
    assert!(home.path("link.toml").is_symlink());
    assert_eq!(home.read("behind.toml"), home.read("profile.toml"));
    assert_eq!(mode("behind.toml"), 0o644);
    symlink("behind.csv", home.path("link.csv")).unwrap();
    home.assert_refused(
        "measure plan.toml --on sim:nowhere -o link.csv",
        2,
        ["no scenario is called", ".toml"],
    );
    assert!(home.path("link.csv").is_symlink() && !home.path("behind.csv").exists());
    for kept in [0o600, 0o664] {
        fs::set_permissions(home.path("behind.toml"), Permissions::from_mode(kept)).unwrap();
        home.run("fit data.csv -o link.toml");
        assert_eq!(mode("behind.toml"), kept);
    }
    assert_eq!(shell(&home, "umask 077; netsig fit data.csv -o own.toml"), Some(0));
    assert_eq!(mode("own.toml"), 0o600);
}

#[test]
fn every_encoding_is_read() {
    let home = TestHome::small();
    let fit = |file: &str| home.run(&format!("fit {file} -o -")).replace(file, "data.csv");
    let predict = |file: &str| {
        home.run(&format!(
            "predict {file} --collective alltoall --procs 8 --size 1KiB --format csv"
        ))
    };
    let (fitted, predicted) = (fit("data.csv"), predict("profile.toml"));
    for (change, name) in [
        ("(printf '\\357\\273\\277'; cat FILE) >NEW", "marked"),
        ("sed 's/$/\\r/' FILE >NEW", "crlf"),
        ("(printf '\\377\\376'; iconv -t UTF-16LE FILE) >NEW", "little"),
        ("iconv -t UTF-16BE FILE >NEW", "big"),
        ("gzip -c FILE >NEW", "packed"),
        ("(printf '# \\265s\\n'; cat FILE) >NEW", "latin1"),
    ] {
        for file in ["data.csv", "profile.toml"] {
            let new = format!("{name}-{file}");
            let commands = change.replace("FILE", file).replace("NEW", &new);
            assert_eq!(shell(&home, &commands), Some(0));
        }
        assert_eq!(fit(&format!("{name}-data.csv")), fitted, "{name}");
        assert_eq!(predict(&format!("{name}-profile.toml")), predicted, "{name}");
    }
    every_other_file_is_read(&home);
    let mut zip = fs::File::create(home.path("data.zip")).unwrap();
    zip.write_all(b"PK\x03\x04\x14\0").unwrap();
    home.assert_refused("fit data.zip -o zip.toml", 2, ["data.zip: is a zip archive", "by gzip"]);
}

/// Any encoding is read like plain text: printed tables, plans, networks of both kinds, and hosts.
fn every_other_file_is_read(home: &TestHome) {
    home.write("osu.txt", OSU);
    home.write("hosts", "a\nb\nc\nd\n");
    home.write("switches.conf", "SwitchName=s Nodes=a,b,c,d\n");
    let network = "topology = \"star\"\nhosts = 4\nrate = \"50Mbit/s\"\nport_buffer = \"64KiB\"\n";
    home.write("star.toml", network);
    let simulated = "simulate --collective alltoall --algorithm direct --procs 4 --size 1KiB --format csv \
                     --model loggp --profile profile.toml --network switches.conf --rate 40Mbit/s";
    for (file, command) in [
        ("osu.txt", "import osu osu.txt --procs 8 -o -".to_owned()),
        ("plan.toml", format!("measure plan.toml {ON_SIMULATOR} -o -")),
        ("star.toml", "discover --network star.toml -o -".to_owned()),
        ("switches.conf", "discover --network switches.conf -o -".to_owned()),
        ("hosts", format!("{simulated} --placement hosts")),
    ] {
        // The data quote the plan with its line ends.
        let rows = || {
            let printed = home.run(&command);
            let rows = printed.lines().filter(|line| !line.starts_with('#'));
            rows.map(str::to_owned).collect::<Vec<_>>()
        };
        let plain = rows();
        for change in [
            "(printf '\\357\\273\\277'; cat FILE) >NEW",
            "sed 's/$/\\r/' FILE >NEW",
            "(printf '\\377\\376'; iconv -t UTF-16LE FILE) >NEW",
            "gzip -c FILE >NEW",
        ] {
            let commands = change.replace("FILE", file).replace("NEW", "new");
            assert_eq!(
                shell(home, &format!("{commands} && mv {file} old && mv new {file}")),
                Some(0)
            );
            assert!(rows() == plain, "{change}: {command}");
            fs::rename(home.path("old"), home.path(file)).unwrap();
        }
    }
}

/// A network may come through a pipe; its text decides its kind, and it is not read again after an error.
#[test]
fn a_network_may_be_a_pipe() {
    let home = TestHome::new();
    let star = "topology = \"star\"\nhosts = 4\nrate = \"50Mbit/s\"\nport_buffer = \"64KiB\"\n";
    let slurm = "SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n[2-3]\nSwitchName=c Switches=a,b\n";
    for (name, text) in [("net.toml", star), ("topology.conf", slurm)] {
        home.write(name, text);
        let named = home.run(&format!("discover --network {name} -o -"));
        let piped_output = run_with_stdin(&home, "discover --network - -o -", text.as_bytes());
        let stem = name.split('.').next().unwrap();
        let piped = String::from_utf8(piped_output.stdout).unwrap();
        assert_eq!(piped.replace("standard input", stem), named);
    }
    home.write("bad", "SwitchName=a Nods=n[0-1]\n");
    let place = "<bad netsig discover --network - -o - ; grep 'standard input:1:' said";
    assert_eq!(shell(&home, place), Some(0));
    let fifo = "mkfifo fifo; cat bad >fifo & timeout 20 \"$NETSIG\" discover --network ./fifo -o -";
    assert_eq!(shell(&home, fifo), Some(2));
}

/// `netsig discover` put the clusters into the profile.
#[test]
fn a_profile_fitted_again_keeps_its_clusters() {
    let home = TestHome::small();
    home.run("discover --network wan-5-7-40x2 -o profile.toml");
    let clusters = |text: &str| text[text.find("[[cluster]]").unwrap()..].to_owned();
    let before = clusters(&home.read("profile.toml"));
    home.run("fit data.csv -o profile.toml");
    assert!(home.read("profile.toml").contains("[[cluster]]"));
    home.run("fit data.csv -o profile.toml");
    assert_eq!(clusters(&home.read("profile.toml")), before);
}
