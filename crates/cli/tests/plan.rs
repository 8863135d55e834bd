//! `netsig plan`: a proposed plan can be carried out and says which predictions it serves.

mod support;

use netsig_measure::plan::Plan;
use support::{Home, said};

/// α = 100 µs and β = 200 ns/B, written by hand.
const PROFILE: &str = "netsig_profile = 2
[hockney]
alpha_s = { value = 1e-4, lower = 0.9e-4, upper = 1.1e-4 }
beta_s_per_byte = { value = 2e-7, lower = 1.9e-7, upper = 2.1e-7 }
residual = 0.02
";

const WISH: &str = "alltoall direct,pairwise up to 12";

/// The output of netsig plan for a wish, with further arguments, and its words on standard error.
fn planned(home: &Home, wish: &str, arguments: &str) -> (String, String) {
    let output = home.netsig(&format!("plan --for '{wish}' {arguments}"));
    let output = { output }.output().unwrap();
    let says = said(&output);
    assert!(output.status.success(), "{wish} {arguments}: {says}");
    (String::from_utf8(output.stdout).unwrap(), says)
}

#[test]
fn a_proposed_plan_is_carried_out() {
    let home = Home::new();
    let (text, says) = planned(&home, WISH, "--budget 30s --most 8 -o proposed.toml");
    assert!(text.is_empty() && says.lines().count() == 1, "{says}");
    assert!(
        says.contains("times among 12 are then expected to be known to ±"),
        "{says}"
    );
    let proposed = home.read("proposed.toml");
    let header: Vec<&str> = proposed
        .lines()
        .take_while(|line| line.starts_with('#'))
        .collect();
    assert_eq!(header.len(), 6, "{header:?}");
    for (line, words) in header.iter().zip([
        "Proposed for alltoall direct,pairwise up to 12 with 256 B to 256 KiB",
        "Budget 30.0 s; expected ",
        "Assumed: alpha = 50.0 us, beta = 8.0000 ns/B, eager limit 64 KiB",
        "alltoall direct among 12: ±",
        "alltoall pairwise among 8: ±",
        "alltoall pairwise among 12: ±",
    ]) {
        assert!(line.contains(words), "{header:?}");
    }
    home.does("measure proposed.toml -o proposed.csv --on sim:ethernet-12x40");
    home.does("fit proposed.csv -o fitted.toml");
    let again = planned(&home, WISH, "--budget 30s --most 8").0;
    assert_eq!(again, proposed);
}

/// Times that are ten times longer leave fewer repetitions for the same budget.
#[test]
fn a_profile_says_how_long_things_take() {
    let home = Home::new();
    home.write("profile.toml", PROFILE);
    let repetitions = |text: &str| Plan::parse("plan.toml", text).unwrap().samples();
    let assumed = planned(&home, WISH, "--budget 2m").0;
    let told = planned(&home, WISH, "profile.toml --budget 2m").0;
    assert!(
        told.contains("times from the profile's alpha and beta, and gamma = 1.5"),
        "{told}"
    );
    assert!(!told.contains("Assumed"), "{told}");
    assert!(repetitions(&told) < repetitions(&assumed));
}

/// At least three counts, the most among them half of those wanted, or as many as there are.
#[test]
fn hosts_bound_the_processes() {
    let home = Home::new();
    for (options, most, is_far) in [
        ("", 20, false),
        ("--hosts 9", 9, true),
        ("--most 99", 40, false),
    ] {
        let arguments = format!("--budget 30s {options}");
        let (text, says) = planned(&home, "bcast binomial up to 40", &arguments);
        let counts = text
            .lines()
            .filter_map(|line| line.strip_prefix("procs = "));
        let mut counts: Vec<u32> = counts.map(|count| count.parse().unwrap()).collect();
        counts.sort_unstable();
        counts.dedup();
        assert!(
            counts.len() >= 3 && counts.last() == Some(&most),
            "{options}: {counts:?}"
        );
        assert_eq!(
            says.contains("more than 4 times the 9"),
            is_far,
            "{options}: {says}"
        );
    }
}
