//! What `fit` and `compare` make of their data files before they fit: several put together,
//! mixtures and impossible times refused unless forced, and what only warns.

mod support;

use support::{Home, ON, PLAN, number, retimed, said, table};

/// The columns that the data have.
const HEADER: &str = "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s,\
    retransmits,rtos,tail_probes\n";

/// One network and MPI.
const FACTS: &str = "#@netsig=0.1.0\n#@mpi=Open MPI 4.1.4\n#@placement=a:1,b:1,c:1,d:1\n\
    #@setting_btl=tcp\n#@env_UCX_TLS=tcp\n";

/// 100 us and 0.2 us a byte.
fn one_way(size: u32) -> f64 {
    1e-4 + 2e-7 * f64::from(size)
}

/// Ping-pongs, and alltoalls of 4 processes that take 1.5 times their contention-free time
/// and, from 64 KiB on, 0.3 s more, with a timer that expires in each.
fn data(facts: &str) -> String {
    let rows = |repetition: u32, size: u32| {
        let noise = 1.0 + 0.01 * f64::from(repetition);
        let pair = one_way(size) * noise;
        let stalls = u32::from(size >= 65536);
        let all = (4.5 * one_way(size) + 0.3 * f64::from(stalls)) * noise;
        format!(
            "pingpong,,,2,{size},{repetition},0,{pair},0,0,0\n\
             collective,alltoall,direct,4,{size},{repetition},0,{all},{stalls},{stalls},0\n"
        )
    };
    let sizes = |repetition| (0..11).map(move |power| rows(repetition, 512 << power));
    let rows: String = (0..3).flat_map(sizes).collect();
    format!("{facts}{HEADER}{rows}")
}

/// With `a.csv` and, of other facts, `b.csv`.
fn pair(right: &str, wrong: &str) -> Home {
    let home = Home::new();
    assert!(FACTS.contains(right), "{right}");
    home.write("a.csv", &data(FACTS));
    home.write("b.csv", &data(&FACTS.replace(right, wrong)));
    home
}

/// What a fit of the files says on standard error, after it did what it was asked.
fn fit_says(home: &Home, arguments: &str) -> String {
    let output = home.netsig(&format!("fit {arguments} -o p.toml")).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{arguments}: {}", said(&output));
    said(&output)
}

/// The repetitions of either file count: the interval of beta shrinks.
#[test]
fn files_are_fitted_together() {
    let home = Home::measured();
    home.write("other.toml", &PLAN.replace("seed = 20", "seed = 21"));
    home.does(&format!("measure other.toml -o more.csv {ON}"));
    let half_width = |files: &str| {
        let arguments = format!("fit {files} -o p.toml --model signature --format csv");
        let (_, rows) = table(&home.does(&arguments));
        let mut rows = rows.iter();
        let beta = rows.find(|row| row["parameter"] == "beta_s_per_byte");
        let beta = beta.unwrap();
        (number(beta, "upper") - number(beta, "lower")) / 2.0
    };
    assert!(half_width("data.csv more.csv") < half_width("data.csv"));
    let profile = home.read("p.toml");
    assert!(profile.contains("data = \"data.csv\""), "{profile}");
    half_width("data.csv more.csv");
    let profile = home.read("p.toml");
    for fact in [
        "data = \"data.csv, more.csv\"",
        "data_seed = \"20\"",
        "data_file_2_seed = \"21\"",
    ] {
        assert!(profile.contains(fact), "{fact}: {profile}");
    }
    let judged = home.does("compare data.csv more.csv --format csv");
    assert!(judged.contains("direct,full,"), "{judged}");
}

/// Another time unit, or another network, shows in the ping-pong where provenance says nothing.
#[test]
fn files_of_two_networks_are_told_apart_by_their_ping_pong() {
    let home = Home::new();
    let text = data("");
    let without = |experiment: &str| -> String {
        let lines = text.split_inclusive('\n');
        lines.filter(|line| !line.starts_with(experiment)).collect()
    };
    home.write("a.csv", &text);
    home.write("b.csv", &retimed(&text, |_, time| time / 100.0));
    home.write("c.csv", &without("pingpong"));
    home.write("d.csv", &without("collective,"));
    for (files, unlike) in [
        (
            "a.csv b.csv",
            "a.csv: its ping-pongs from 64 KiB on take 0.01 times",
        ),
        ("c.csv b.csv", "c.csv: its collectives take 0.01 times"),
    ] {
        let unlike = format!("b.csv cannot be of the network of {unlike}");
        let remedy = "take each on its own, or give --force";
        home.refuses(&format!("fit {files} -o p.toml"), 3, [&unlike, remedy]);
    }
    let mut table = "# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n".to_owned();
    table.extend((4..20).map(|power| format!("{0} {0}.0\n", 1 << power)));
    home.write("one-p2.txt", &table);
    home.write("two-p2.txt", &table.replace(".0\n", "00.0\n"));
    home.does("import osu one-p2.txt two-p2.txt -o tables.csv");
    let unlike = "launch 1 of tables.csv cannot be of the network of launch 0 of tables.csv";
    home.refuses(
        "fit tables.csv -o p.toml",
        3,
        [unlike, "import each on its own, or give --force"],
    );
    assert!(!fit_says(&home, "a.csv c.csv").contains("cannot be of"));
    assert!(fit_says(&home, "c.csv d.csv").contains("c.csv and d.csv have fewer than three cells"));
    assert!(fit_says(&home, "a.csv b.csv --force").contains("warning: b.csv cannot be of"));
}

#[test]
fn forced_mixtures_are_fitted_with_a_warning() {
    let home = pair("a:1,b:1,c:1,d:1", "a:2,b:2");
    for (files, warning) in [
        (
            "a.csv b.csv",
            "a.csv, b.csv: two networks or settings are mixed: ",
        ),
        ("b.csv", "b.csv: 2 ranks shared host a, so that times are "),
    ] {
        let warned = fit_says(&home, &format!("{files} --force"));
        let begin = format!("netsig: warning: {warning}");
        assert!(warned.starts_with(&begin), "{warned}");
    }
}

#[test]
fn jobs_of_one_cluster_are_no_mixture() {
    let home = pair("a:1,b:1,c:1,d:1", "e:1,f:1\n#@hosts=e,f\n#@kernel=6.9");
    let said = fit_says(&home, "a.csv b.csv");
    assert!(!said.contains("mixed"), "{said}");
}

/// Each of 4 processes sends three blocks: from 32 KiB on more than 64 KiB together. 96 KiB
/// take 98304 B · 0.202 us/B, the repetitions' median being 1 % above the truth.
#[test]
fn times_that_the_links_do_not_allow_are_refused() {
    let home = Home::new();
    let in_other_units = |row: &[String], time| match &*row[0] {
        "collective" => time * 1e-3,
        _ => time,
    };
    home.write("a.csv", &data(FACTS));
    home.write("wrong.csv", &retimed(&data(FACTS), in_other_units));
    let what = "wrong.csv: alltoall direct, 4 processes, 32 KiB: ";
    let remedy = "is less than half of the 19.9 ms that its 96 KiB take over a link at the \
                  ping-pong's rate: time_s may be in another unit than seconds; correct it or \
                  measure again, or give --force";
    home.refuses("fit a.csv wrong.csv -o p.toml", 3, [what, remedy]);
    home.refuses("compare wrong.csv", 3, [what, remedy]);
    let warned = fit_says(&home, "wrong.csv --force");
    let warning = format!("netsig: warning: {what}");
    assert!(warned.starts_with(&warning), "{warned}");
}

#[test]
fn one_process_count_and_cells_that_only_stalled_are_warnings() {
    let home = Home::new();
    home.write("a.csv", &data(FACTS));
    let warned = fit_says(&home, "a.csv");
    for warning in [
        "netsig: warning: 3 cells stalled in every repetition (first: alltoall direct, \
         4 processes, 64 KiB): the network never showed its unstalled time there, ",
        "alltoall direct: 4 is the only process count, so that growth, ",
    ] {
        assert!(warned.contains(warning), "{warned}");
    }
    assert!(!warned.contains("unverified"), "{warned}");
    let once = data(FACTS).replacen(",1,1,0\n", ",1,0,0\n", 1);
    home.write("a.csv", &once);
    let warned = fit_says(&home, "a.csv");
    assert!(warned.contains("warning: 2 cells stalled"), "{warned}");
}

/// Small messages, which no link rules out, whose times fall with their size.
#[test]
fn a_negative_gamma_is_no_profile() {
    let home = Home::new();
    let falling = |row: &[String], time| match &*row[0] {
        "collective" => 10.0 / row[4].parse::<f64>().unwrap(),
        _ => time,
    };
    home.write("a.csv", &retimed(&data(FACTS), falling));
    let output = home.netsig("fit a.csv -o p.toml --force").output().unwrap();
    let message = said(&output);
    assert_eq!(output.status.code(), Some(3), "{message}");
    let line = "netsig: a.csv: alltoall direct: gamma = -";
    assert!(message.contains(line), "{message}");
    assert!(!home.path("p.toml").exists());
}
