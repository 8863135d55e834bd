//! `netsig report`: the content of the page, and its behaviour in a real browser (`report/browser.py`, headless
//! Chromium).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::long_form::is_long_form;
use crate::report_figures::{assert_figures, page_data};
use crate::support::{PrintedRow, TestHome, printed_rows, skipped, stderr_text};
use itertools::Itertools as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use regex_lite::Regex;
use serde_json::{Value, json};

/// Real measurements of all-to-alls and broadcasts in the emulated cluster.
const EXAMPLES: [&str; 3] = ["alltoall.csv", "bcast.csv", "heldout.csv"];

/// The checker of accessibility, which `make browser` downloads.
const AXE: &str = "../../target/tools/axe.min.js";

/// A name that acts as a script unless it is taken as text.
const HOSTILE: &str = "<script>window.stolen=1</script><img src=x onerror='window.stolen=1'>";

/// The examples with their profiles.
fn examples() -> TestHome {
    let home = TestHome::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for name in EXAMPLES {
        std::fs::copy(folder.join(name), home.path(name)).unwrap();
    }
    home.run("fit alltoall.csv -o alltoall.toml");
    home.run("fit bcast.csv -o bcast.toml");
    home
}

/// True if a task of `browser.py` succeeds on a page; prints a message if this machine has no browser.
fn browser_succeeds(home: &TestHome, task: &str, page: &str, file: Option<&Path>) -> bool {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report/browser.py");
    let needed = ["/usr/bin/python3", "/usr/bin/chromium", "/usr/bin/chromedriver"];
    let selenium = Command::new(needed[0]).args(["-c", "import selenium"]).output();
    let has_selenium = selenium.is_ok_and(|output| output.status.success());
    if !has_selenium || needed.iter().any(|path| !Path::new(path).exists()) {
        skip_without("Chromium, chromedriver or selenium to open the report in");
        return false;
    }
    let mut command = Command::new(needed[0]);
    command.arg(script).arg(task).arg(home.path(page));
    command.args(file);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{task}: {}", stderr_text(&output));
    true
}

/// A file with the expected value.
fn expected(home: &TestHome, value: &Value) -> PathBuf {
    home.write("expected.json", &value.to_string());
    home.path("expected.json")
}

/// Prints that a part of a test is skipped because this machine lacks a tool; the long form fails instead.
fn skip_without(tool: &str) {
    assert!(!is_long_form(), "there is no {tool}: run make browser");
    skipped(&format!("there is no {tool}"));
}

fn number(row: &PrintedRow, key: &str) -> Option<f64> {
    row[key].parse().ok()
}

/// Process counts of the page, few of which were measured.
const COUNTS: [u32; 4] = [3, 8, 12, 24];

/// Predictions of the command line at random sizes, for the page to compare with.
fn points(home: &TestHome) -> Value {
    let mut rng = ChaCha8Rng::seed_from_u64(22);
    let mut points = Vec::new();
    for (predictor, collective) in ["alltoall", "bcast"].into_iter().enumerate() {
        for procs in COUNTS {
            // Between 1 B and 1 MiB, evenly in the logarithm.
            let random = (0..170).map(|_| 1u64 << rng.random_range(0..20));
            let octaves: Vec<u64> = random.collect();
            let sizes: BTreeSet<u64> = octaves
                .into_iter()
                .map(|octave| octave + rng.random_range(0..octave))
                .collect();
            let list: Vec<String> = sizes.iter().map(ToString::to_string).collect();
            let command = format!(
                "select {collective}.toml --collective {collective} --procs {procs} --size {} --extrapolate",
                list.join(",")
            );
            let ranked = printed_rows(home, &command);
            for size in sizes {
                let rows_of_size = ranked.iter().filter(|row| row["size_bytes"] == size.to_string());
                let told = rows_of_size.clone().filter(|row| is_on_page(row)).map(|row| {
                    json!({
                        "algorithm": row["algorithm"],
                        "time": number(row, "time_s"),
                        "lower": number(row, "lower_s"),
                        "upper": number(row, "upper_s"),
                    })
                });
                let is_first = |row: &&PrintedRow| row["rank"] == "1" && is_on_page(row);
                let best = rows_of_size.clone().find(is_first).map(|row| row["algorithm"].clone());
                points.push(json!({
                    "predictor": predictor, "procs": procs, "size": size, "best": best,
                    "rows": told.collect::<Vec<_>>(),
                }));
            }
        }
    }
    Value::from(points)
}

/// True for rows of the page: within reach of the measurements, and no lower bounds, which only models without
/// contention give.
fn is_on_page(row: &PrintedRow) -> bool {
    let is_measured = ["interpolated", "extrapolated"].contains(&row["standing"].as_str());
    is_measured || row["standing"] == "unfitted" && row["model"] == "regimes"
}

/// Real data with their profiles: the page is complete, and works in a browser.
#[test]
fn the_page_of_the_examples_works() {
    let home = examples();
    let counts = COUNTS.iter().join(",");
    let files = "alltoall.csv alltoall.toml bcast.toml heldout.csv bcast.csv";
    home.run(&format!("report {files} -o report.html --procs {counts}"));
    assert_whole_page(&home.read("report.html"));
    assert_figures(&page_data(&home.read("report.html")));
    let works = |task: &str, file: Option<&Path>| browser_succeeds(&home, task, "report.html", file);
    std::thread::scope(|scope| {
        scope.spawn(|| ["interaction", "download", "plain"].map(|task| works(task, None)));
        scope.spawn(|| {
            let is_driven = ["layout", "steady", "private"]
                .map(|task| works(task, None))
                .contains(&true);
            let axe = Path::new(env!("CARGO_MANIFEST_DIR")).join(AXE);
            if axe.exists() {
                works("accessible", Some(&axe));
            } else if is_driven {
                skip_without("axe to check the accessibility with");
            }
        });
        works("predictor", Some(&expected(&home, &points(&home))));
    });
}

/// The page of data that hold statistics of another program and no repetitions: it shows the numbers of the files, and
/// nothing that needs repetitions.
#[test]
fn imported_statistics_are_shown() {
    let home = TestHome::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/data/osu");
    let benchmarks = [
        "latency-p2",
        "alltoall-direct-p4",
        "alltoall-direct-p6",
        "alltoall-direct-p8",
    ];
    let names = benchmarks.map(|name| format!("osu_{name}.txt"));
    for name in &names {
        std::fs::copy(folder.join(name), home.path(name)).unwrap();
    }
    home.run(&format!("import osu {} --algorithm direct -o osu.csv", names.join(" ")));
    home.run("report osu.csv -o osu.html --procs 8");
    let page = home.read("osu.html");
    let row = page.split("<tr>").find(|row| row.contains("max-over-ranks")).unwrap();
    let cell = row.split("<td").find(|cell| cell.contains('%'));
    assert!(
        cell.is_none_or(|cell| cell.contains("error")),
        "a share of stalled repetitions: {row}"
    );
    browser_succeeds(&home, "private", "osu.html", None);
    // Statistics of another program count no losses.
    let imported = home
        .read("osu.csv")
        .replace("collective,alltoall,direct", "collective,bcast,library");
    home.write("bcast.csv", &imported);
    let said = home.run("report bcast.csv -o bcast.html --procs 8");
    assert!(said.contains("Losses      Not known from the data"), "{said}");
}

/// Asserts that a page is self-contained, names its sources, and has the verdict first.
fn assert_whole_page(page: &str) {
    assert!(page.len() < 6_000_000, "{} bytes", page.len());
    let body = page.split("id=\"report-data\"").next().unwrap();
    for address in ["src=\"", "href=\"http", "@import", "url("] {
        assert!(!body.contains(address), "{address} loads something");
    }
    let place = |text: &str| body.find(text).unwrap_or_else(|| panic!("{text} is missing"));
    let order = [
        "Contended?",
        "Losses",
        "Setting",
        "Preloaded",
        "How sure",
        "id=\"predictor\"",
        "<svg",
        "γ",
    ];
    assert!(order.map(place).is_sorted(), "{:?}", order.map(place));
    assert!(body.contains("processes to which nothing was fitted."));
    assert_eq!(
        page.matches("<h2>Network and files").count(),
        1,
        "both profiles are of one network"
    );
    assert_private(page);
}

/// Asserts that a page has no address but the names of XML's namespaces, no words of an upload, and the permission to
/// contain the plotting library.
fn assert_private(page: &str) {
    let namespaces = [
        "http://www.w3.org/1999/xhtml",
        "http://www.w3.org/1999/xlink",
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/2000/xmlns/",
        "http://www.w3.org/XML/1998/namespace",
    ];
    let address = Regex::new(r"(?i)\b[a-z][a-z+.-]*://[^\s\x22'`<>\\]+|[\s\x22'`(=]//[\w-]+\.\w+").unwrap();
    let found: BTreeSet<&str> = address.find_iter(page).map(|place| place.as_str()).collect();
    let foreign: Vec<&&str> = found.iter().filter(|address| !namespaces.contains(*address)).collect();
    assert!(foreign.is_empty() && !found.is_empty(), "{foreign:?}");
    let lowercase = page.to_lowercase();
    for word in ["cloud", "upload", "chart studio"] {
        assert!(!lowercase.contains(word), "{word}");
    }
    let licences = page.split("details class=\"licences\"").nth(1).unwrap();
    for text in ["== plotly.js ", "== @plotly/d3 ", "Permission is hereby granted"] {
        assert!(licences.contains(text), "{text}");
    }
}

#[test]
fn names_in_the_data_are_text() {
    let home = TestHome::measured();
    let data = home.read("data.csv");
    let first = data.lines().next().unwrap().to_owned();
    home.write(
        "evil.csv",
        &data.replacen(&first, &format!("{first}\n#@hosts={HOSTILE}\n#@mpi={HOSTILE}"), 1),
    );
    home.run("report evil.csv -o evil.html --procs 4,8");
    let page = home.read("evil.html");
    assert!(!page.contains("<img src=x"), "a name is markup");
    let expected = expected(&home, &json!([HOSTILE]));
    browser_succeeds(&home, "hostile", "evil.html", Some(&expected));
}

/// Data alone are fitted. A profile alone predicts and states that nothing was checked. Data that allow no profile are
/// shown as they are.
#[test]
fn any_mix_of_files_makes_a_page() {
    let home = TestHome::fitted();
    for (files, told) in [
        ("data.csv", "one was fitted to all of its data"),
        ("profile.toml", "nothing was checked"),
        ("data.csv profile.toml", "Nothing was held out"),
    ] {
        home.run(&format!("report {files} -o page.html --procs 8"));
        let page = home.read("page.html");
        assert!(page.contains(told), "{files}: {told}");
    }
    let header = "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s\n";
    home.write(
        "one.csv",
        &format!("{header}collective,bcast,library,4,1024,0,0,0.001\n"),
    );
    home.run("report one.csv -o page.html");
    assert!(home.read("page.html").contains("nothing is predicted from one.csv"));
}

/// Ping-pongs and all-to-alls with all times multiplied by `factor`.
pub fn small_data(factor: f64) -> String {
    let row = |kind: &str, procs: u32, size: u32, messages: f64| {
        let time = factor * messages * (1e-4 + 1e-8 * f64::from(size));
        format!("{kind},{procs},{size},0,0,{time}\n")
    };
    let pairs = (10..20).map(|power| row("pingpong,,", 2, 1 << power, 1.0));
    let all = [4, 6, 8].into_iter().flat_map(|procs| {
        let sizes = (10..18).map(|power| 1 << power);
        sizes.map(move |size| row("collective,alltoall,library", procs, size, f64::from(procs - 1)))
    });
    let header = "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s\n";
    header.chars().map(String::from).chain(pairs).chain(all).collect()
}

/// Doubtful data are shown and not fitted, files with different times stay apart, and the page states the reasons.
#[test]
fn data_in_doubt_are_not_fitted() {
    let home = TestHome::new();
    home.write("shared.csv", &format!("#@placement=a:2,b:2\n{}", small_data(1.0)));
    home.run("fit shared.csv --force -o shared.toml");
    let reason = "shared.csv: 2 ranks shared host a";
    for (files, told) in [
        ("shared.csv", "Warning: nothing is predicted from shared.csv"),
        ("shared.csv shared.toml", "Warning: doubtful data: "),
    ] {
        home.run(&format!("report {files} -o page.html --procs 8"));
        let page = home.read("page.html");
        assert!(page.contains(told) && page.contains(reason), "{files}: {told}");
    }
    home.write("one.csv", &small_data(1.0));
    home.write("slower.csv", &small_data(4.0));
    let said = home.run("report one.csv slower.csv -o page.html --procs 8");
    for name in ["alltoall (one.csv)", "alltoall (slower.csv)"] {
        assert!(said.contains(name), "{said}");
    }
    let page = home.read("page.html");
    assert_eq!(
        page.matches("<h2>Network and files").count(),
        2,
        "networks of their own"
    );
    home.run("report one.csv slower.csv -o again.html --procs 8");
    assert!(page == home.read("again.html"), "the same files make another page");
}

/// Many repetitions are thinned out, and the page says how many it shows.
#[test]
fn many_repetitions_are_thinned_out() {
    let home = TestHome::new();
    let header = "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s\n";
    let cell = |procs: u32, size: u32| -> String {
        let time = f64::from((procs - 1) * size) * 1e-8 + 1e-4;
        let row = |number: u32| {
            let time = time * (1.0 + f64::from(number % 97) / 1000.0);
            format!("collective,alltoall,library,{procs},{size},{number},0,{time}\n")
        };
        (0..5000).map(row).collect()
    };
    let sizes = [1024, 4096, 16384, 65536];
    let rows = [4, 6, 8]
        .into_iter()
        .flat_map(|procs| sizes.map(|size| cell(procs, size)));
    home.write("many.csv", &format!("{header}{}", rows.collect::<String>()));
    home.run("report many.csv -o many.html --procs 8 --repetitions 1200");
    let page = home.read("many.html");
    assert!(
        page.contains("The figures show 1200 of 60000 repetitions"),
        "not thinned"
    );
}
