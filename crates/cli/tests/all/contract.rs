//! Guarantees to users and scripts: the way from a plan to a prediction, the formats of the output, and the exit codes
//! of failures.

use std::process::Stdio;

use crate::support::{PrintedRow, TestHome, assert_same_json, number, parse_csv, stderr_text};

#[test]
fn a_plan_leads_to_predictions() {
    let home = TestHome::measured();
    let (_, parameters) = parse_csv(&home.run("fit data.csv -o profile.toml --format csv"));
    for algorithm in ["direct", "library"] {
        let signature = [algorithm, "signature", "gamma"];
        let wanted = |row: &&PrintedRow| ["algorithm", "model", "parameter"].map(|key| &row[key]) == signature;
        let gamma = parameters.iter().find(wanted).unwrap();
        // Twice the interval, which is conditional on the estimate of beta.
        let [value, lower, upper] = ["value", "lower", "upper"].map(|key| number(gamma, key));
        let room = (upper - lower) / 2.0;
        assert!(
            lower < value && value < upper && lower - room < 1.8 && 1.8 < upper + room,
            "{gamma:?}"
        );
    }

    let wanted = "predict profile.toml --collective alltoall --procs 4..16+4 --size 1KiB..1MiB";
    let csv = home.run(&format!("{wanted} --format csv"));
    let (columns, rows) = parse_csv(&csv);
    let promised = "collective,algorithm,procs,size_bytes,time_s,lower_s,upper_s,model";
    assert_eq!(columns[..8].join(","), promised);
    assert_eq!(rows.len(), 2 * 4 * 11);
    for row in &rows {
        let [lower, time, upper] = ["lower_s", "time_s", "upper_s"].map(|key| number(row, key));
        assert!(0.0 < lower && lower <= time && time <= upper, "{row:?}");
    }

    assert_same_json(&home, wanted, &rows);
}

/// A fit opens with its verdict. Its parameters, and a sentence with a model that `predict --model` takes, are behind
/// `--all`; csv has all parameters anyway.
#[test]
fn a_fit_opens_with_its_verdict() {
    let home = TestHome::measured();
    let fit = |option: &str| {
        let command = home.netsig(&format!("fit data.csv -o profile.toml {option}"));
        let output = { command }.output().unwrap();
        (String::from_utf8(output.stdout.clone()).unwrap(), stderr_text(&output))
    };
    let (verdict, _) = fit("");
    assert!(verdict.starts_with("Verdict on alltoall\nContended?"), "{verdict}");
    assert!(!verdict.contains("byte_s"), "{verdict}");
    let (all, told) = fit("--all");
    assert!(all.starts_with(&verdict) && all.contains("byte_s"), "{all}");
    let sentence = told.lines().find_map(|line| line.strip_prefix("alltoall direct: "));
    let (model, _) = sentence.unwrap().split_once(',').unwrap();
    home.run(&format!(
        "predict profile.toml --collective alltoall --procs 8 --size 1KiB --model {model}"
    ));
    let (csv, said) = fit("--format csv");
    assert_eq!(csv, fit("--all --format csv").0);
    assert!(csv.contains("buses") && said.contains("Verdict on alltoall"), "{said}");
}

#[test]
fn the_demo_leaves_its_files_and_says_that_it_is_simulated() {
    let home = TestHome::new();
    let run = || {
        let text = home.run("demo --on sim --out demo");
        assert!(text.contains("SIMULATED"), "{text}");
        let svg_text = home.read("demo/prediction.svg");
        let picture = svg_text.trim();
        assert!(picture.starts_with("<svg") && picture.ends_with("</svg>"));
        assert!(picture.contains("SIMULATED"), "in the title");
        ["data.csv", "heldout.csv", "profile.toml"].map(|name| home.read(&format!("demo/{name}")))
    };
    let first = run();
    assert!(first.iter().all(|text| !text.is_empty()));
    assert!(first == run(), "the same input gives the same bytes");
}

/// Nobody makes a file in /proc, not even root.
#[test]
fn a_directory_that_takes_no_file_is_told() {
    let home = TestHome::new();
    let result = home.netsig("doctor --format csv").current_dir("/proc").output();
    let output = result.unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr_text(&output));
    let (_, rows) = parse_csv(&String::from_utf8(output.stdout).unwrap());
    let state = |check: &str| rows.iter().find(|row| row["check"] == check).unwrap()["state"].clone();
    assert_eq!(
        ["working directory", "start", "measure"].map(state),
        ["FAILED", "skipped", "skipped"]
    );
}

/// As in `netsig … | head -1`, where the reader goes away early.
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let home = TestHome::fitted();
    let many = "predict profile.toml --collective alltoall --procs 4..400+1 --size 1KiB --extrapolate";
    for arguments in [
        "lab list",
        "lab check --format csv",
        "fit data.csv -o again.toml",
        &format!("{many} --format table"),
        &format!("{many} --format json"),
        &format!("{many} --format csv"),
        "demo --on sim",
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_netsig"))
            .args(arguments.split_whitespace())
            .current_dir(home.0.path())
            .stdin(Stdio::null())
            .stdout(writer)
            .output()
            .unwrap();
        let message = stderr_text(&output);
        let code = output.status.code();
        // `lab check` exits with 1 on a machine that can emulate nothing.
        let may_be_unable = arguments.starts_with("lab check") && code == Some(1);
        assert!(code == Some(0) || may_be_unable, "{arguments}: {message}");
        assert!(!message.contains("panicked") && !message.contains("pipe"), "{message}");
    }
}

#[test]
fn an_output_replaces_an_empty_file_and_its_own_kind() {
    let home = TestHome::fitted();
    let simulate = "simulate --network ethernet-4x50 --collective alltoall --algorithm direct \
                    --procs 4 --size 1KiB";
    let commands = [
        format!("{simulate} --links links --losses losses --timeline t.json --gantt g.svg"),
        format!("{simulate} --write-goal p.goal"),
        "fit data.csv -o p.toml".to_owned(),
        "plan --budget 10m --for 'alltoall up to 16' -o q.toml".to_owned(),
    ];
    let files = ["links", "losses", "t.json", "g.svg", "p.goal", "p.toml", "q.toml"];
    for file in files {
        home.write(file, "");
    }
    let run = || {
        for command in &commands {
            home.run(command);
        }
        home.files()
    };
    let first = run();
    assert!(first.values().all(|content| !content.is_empty()));
    assert!(first == run(), "the same input gives the same files");
}

/// The header of each command's CSV begins with the columns that FORMATS.md lists for it.
#[test]
fn printed_columns_are_those_of_the_documents() {
    let home = TestHome::fitted();
    home.write("exchange.csv", "from,to,size_bytes\n0,1,1000\n");
    let cell = "--collective alltoall --procs 8 --size 4KiB";
    let commands = [
        ("predict", format!("predict profile.toml {cell}")),
        ("select", format!("select profile.toml {cell}")),
        ("compare", "compare data.csv".to_owned()),
        ("compare --by-procs", "compare data.csv --by-procs".to_owned()),
        (
            "compare --selection",
            "compare data.csv --selection profile.toml".to_owned(),
        ),
        ("bounds", "bounds exchange.csv --alpha 50us --beta 10ns".to_owned()),
        ("models", "models".to_owned()),
        ("fit", "fit data.csv -o profile.toml".to_owned()),
        ("demo", "demo --on sim".to_owned()),
        (
            "simulate",
            format!("simulate --network ethernet-8x50 --algorithm direct {cell}"),
        ),
        ("discover", "discover --network tree-2x4x40 -o clusters.toml".to_owned()),
        ("lab list", "lab list".to_owned()),
    ];
    let formats_path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../FORMATS.md");
    let documents = std::fs::read_to_string(formats_path).unwrap();
    for (command, arguments) in commands {
        let row = format!("| `{command}` | `");
        let (_, row) = documents.split_once(&row).unwrap();
        let promised = row.split('`').next().unwrap().replace(", ", ",");
        let csv = home.run(&format!("{arguments} --format csv"));
        assert!(csv.starts_with(&promised), "{command}: {csv}");
        let (_, rows) = parse_csv(&csv);
        assert_same_json(&home, &arguments, &rows);
    }
}
