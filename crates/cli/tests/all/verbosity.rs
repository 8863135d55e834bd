//! What netsig prints while it works, with --quiet and --verbose.

use crate::support::{self, ON_SIMULATOR, TestHome, stderr_text};

/// Two launches of six cells.
const PLAN: &str = r#"seed = 1
launches = 2

[pingpong]
sizes = "1, 1KiB, 64KiB"
repetitions = 4

[[collective]]
name = "alltoall"
algorithms = ["direct", "windowed:segment=4096,window=4"]
procs = 4
sizes = 4096
repetitions = 5

[[collective]]
name = "alltoall"
algorithms = ["library"]
procs = 8
sizes = 7
repetitions = 1
"#;

/// Standard error of a successful command that prints no result.
fn messages(home: &TestHome, arguments: &str) -> String {
    let output = home.netsig(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", stderr_text(&output));
    assert!(output.stdout.is_empty(), "standard output is for results");
    stderr_text(&output)
}

#[test]
fn a_quiet_measurement_prints_nothing_and_writes_the_same_data() {
    let home = TestHome::new();
    home.write("plan.toml", PLAN);
    let usual = messages(&home, &format!("measure plan.toml -o usual.csv {ON_SIMULATOR}"));
    assert_eq!(usual.lines().count(), 2, "the estimate and the summary: {usual}");
    for (name, arguments) in [
        ("before", "-q measure plan.toml"),
        ("after", "measure plan.toml --quiet"),
    ] {
        let message = messages(&home, &format!("{arguments} -o {name}.csv {ON_SIMULATOR}"));
        assert_eq!(message, "", "{arguments}");
        assert_eq!(home.read(&format!("{name}.csv")), home.read("usual.csv"));
    }
}

#[test]
fn a_quiet_fit_prints_warnings_and_no_note() {
    let home = TestHome::new();
    home.write("plan.toml", &support::PLAN.replace("[4, 6, 8]", "4"));
    messages(&home, &format!("measure plan.toml -o data.csv {ON_SIMULATOR}"));
    let said = |options: &str| {
        let output = home.netsig(&format!("fit data.csv -o profile.toml {options}")).output();
        stderr_text(&output.unwrap())
    };
    let usual = said("");
    let (notes, others): (Vec<&str>, Vec<&str>) = usual.lines().partition(|line| line.starts_with("netsig: note: "));
    assert!(!notes.is_empty(), "{usual}");
    assert!(
        others.iter().any(|line| line.starts_with("netsig: warning: ")),
        "{usual}"
    );
    assert_eq!(said("-q").lines().collect::<Vec<_>>(), others);
}

#[test]
fn a_verbose_measurement_prints_each_cell_of_each_launch() {
    let home = TestHome::new();
    home.write("plan.toml", PLAN);
    let message = messages(&home, &format!("measure plan.toml -v -o data.csv {ON_SIMULATOR}"));
    let lines: Vec<&str> = message.lines().collect();
    let [estimate, cells @ .., summary] = &lines[..] else {
        panic!("{message}")
    };
    assert!(estimate.contains("6 cells, 2 launches"), "{estimate}");
    assert_eq!(*summary, "46 samples in data.csv");
    assert_eq!(cells.len(), 12, "{message}");
    let count = |begin: &str, end: &str| {
        let has = |line: &&&str| line.starts_with(begin) && line.ends_with(end);
        cells.iter().filter(has).count()
    };
    assert_eq!(count("pingpong  ", " 4 repetitions"), 6);
    assert_eq!(count("alltoall direct  ", " 5 repetitions"), 2);
    assert_eq!(count("alltoall windowed:segment=4096,window=4 ", " 5 repetitions"), 2);
    assert_eq!(
        count(
            "alltoall library                8 processes      7 B ",
            " 1 repetitions"
        ),
        2
    );
}

#[test]
fn quiet_and_verbose_are_refused_together() {
    let home = TestHome::new();
    let message = ["--quiet prints no progress and --verbose", "leave one of them out"];
    let measure = format!("measure plan.toml -o data.csv {ON_SIMULATOR}");
    home.assert_refused(&format!("-q {measure} -v"), 2, message);
    home.assert_refused(&format!("{measure} --verbose --quiet"), 2, message);
    home.assert_refused("learn 'alltoall library up to 8' -o data.csv -qv", 2, message);
    home.assert_refused("demo -qv", 2, message);
}
