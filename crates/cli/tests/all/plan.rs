//! `netsig plan`: a proposed plan can be carried out and names the predictions that it serves.

use std::collections::BTreeSet;

use crate::support::TestHome;
use netsig_measure::plan::MeasurementPlan;

/// α = 100 µs and β = 200 ns/B, written by hand.
const PROFILE: &str = "netsig_profile = 4
[hockney]
alpha_s = { value = 1e-4, lower = 0.9e-4, upper = 1.1e-4 }
beta_s_per_byte = { value = 2e-7, lower = 1.9e-7, upper = 2.1e-7 }
residual = 0.02
";

const WISH: &str = "alltoall direct,pairwise up to 12";

/// The plan that netsig proposes for a prediction, with further arguments.
fn planned(home: &TestHome, prediction: &str, arguments: &str) -> String {
    home.run(&format!("plan --prediction '{prediction}' {arguments}"))
}

#[test]
fn a_proposed_plan_is_carried_out() {
    let home = TestHome::new();
    let plan = format!("plan --prediction '{WISH}' --budget 60s --max-procs 8");
    let printed = home.transcript(&[&format!("{plan} -o proposed.toml")]);
    let proposed = home.read("proposed.toml");
    let header = proposed.lines().take_while(|line| line.starts_with('#'));
    let told = printed + &header.collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(told);
    home.run("measure proposed.toml -o proposed.csv --on sim:ethernet-12x40");
    home.run("fit proposed.csv -o fitted.toml");
    assert_eq!(home.run(&plan), proposed);
}

/// Times that are longer leave fewer repetitions for the same budget.
#[test]
fn a_profile_says_how_long_things_take() {
    let home = TestHome::new();
    home.write("profile.toml", PROFILE);
    let repetitions = |text: &str| MeasurementPlan::parse("plan.toml", text).unwrap().samples();
    let assumed = planned(&home, WISH, "--budget 2m");
    let told = planned(&home, WISH, "profile.toml --budget 2m");
    let source = "From the profile: alpha = 100 µs";
    assert!(told.contains(source) && !told.contains("Assumed"), "{told}");
    assert!(repetitions(&told) < repetitions(&assumed));
}

/// Three counts; the largest is half of the predicted count, or the number of hosts.
#[test]
fn hosts_bound_the_processes() {
    let home = TestHome::new();
    for (options, most, is_far) in [("", 20, false), ("--hosts 9", 9, true), ("--max-procs 99", 40, false)] {
        let plan = format!("plan --prediction 'bcast binomial up to 40' --budget 30s {options}");
        let text = home.run(&plan);
        let count_lines = text.lines().filter_map(|line| line.strip_prefix("procs = "));
        let counts: BTreeSet<u32> = count_lines.map(|count| count.parse().unwrap()).collect();
        let has_most = counts.len() >= 3 && counts.last() == Some(&most);
        assert!(has_most, "{options}: {counts:?}");
        let says = home.stderr_of(&[&plan]);
        assert_eq!(says.contains("more than 4 times the 9"), is_far, "{says}");
    }
}
