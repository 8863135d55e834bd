//! `netsig report` of unusual input: each gives a page, or one clear line.

use std::time::Duration;

use crate::long_form::is_long_form;
use crate::report::small_data;
use crate::report_figures::page_data;
use crate::support::TestHome;
use itertools::Itertools as _;

/// A name that acts as markup unless it is taken as text.
const MARKUP: &str = "<b onclick='x'>&amp;</b>";

/// A profile without fitted algorithms gives a page that says so.
#[test]
fn a_profile_without_algorithms_says_so() {
    let home = TestHome::new();
    home.write("data.csv", &small_data(1.0));
    home.run("fit data.csv -o profile.toml");
    let profile = home.read("profile.toml");
    let (network, _) = profile.split_once("\n[[").unwrap();
    home.write("empty.toml", network);
    home.run("report empty.toml -o page.html");
    let page = home.read("page.html");
    assert!(
        page.contains("Warning: empty.toml holds no fitted algorithm"),
        "the page says why it is empty"
    );
    assert!(page.contains("Between two processes"), "what is known is drawn");
}

/// Algorithms that another program named with markup are text, in figures and tables.
#[test]
fn markup_in_an_algorithm_is_text() {
    let home = TestHome::new();
    home.write("data.csv", &small_data(1.0).replace("library", MARKUP));
    home.run("report data.csv -o page.html --procs 8");
    let page = home.read("page.html");
    assert!(!page.contains("<b onclick"), "a name is markup");
    let data = page_data(&page);
    assert_eq!(data["cells"][0]["names"][0], MARKUP, "and it is whole");
}

/// Ten profiles of one network share its section. Other networks have sections beside it.
#[test]
fn profiles_of_one_network_share_its_section() {
    let home = TestHome::new();
    home.write("data.csv", &small_data(1.0));
    home.write("slower.csv", &small_data(4.0));
    home.run("fit data.csv -o p0.toml");
    home.run("fit slower.csv -o slower.toml");
    let names = (0..9).map(|number| format!("p{number}.toml")).collect_vec();
    for name in &names {
        home.write(name, &home.read("p0.toml"));
    }
    home.run(&format!(
        "report {} slower.toml -o page.html --procs 8",
        names.join(" ")
    ));
    let page = home.read("page.html");
    assert_eq!(page.matches("<h2>Network and files").count(), 2);
    assert_eq!(page.matches("<figcaption>Between two processes").count(), 2);
    assert_eq!(page.matches("class=\"chapter\"").count(), 10);
}

/// All-to-alls among these processes, each cell with so many repetitions, in which nothing is contended.
fn free_data(counts: impl Iterator<Item = u32>, repetitions: u32) -> String {
    let header = "experiment,collective,algorithm,procs,size_bytes,repetition,launch,time_s";
    let cells = counts.flat_map(|procs| [10, 13, 16].map(|power| (procs, 1 << power)));
    let rows = cells.flat_map(|(procs, size)| {
        let time = f64::from(procs - 1) * (1e-4 + 1e-8 * f64::from(size));
        (0..repetitions).map(move |repetition| {
            let scatter = 1.0 + 0.01 * f64::from(repetition % 7);
            format!(
                "collective,alltoall,library,{procs},{size},{repetition},0,{}",
                scatter * time
            )
        })
    });
    std::iter::once(header.to_owned()).chain(rows).join("\n")
}

/// A million repetitions and a thousand process counts make pages that can be mailed.
#[test]
fn large_data_make_a_small_page() {
    if !is_long_form() {
        return;
    }
    let home = TestHome::new();
    for data in [free_data([4, 6, 8].into_iter(), 112_000), free_data(2..=1001, 1)] {
        home.write("data.csv", &data);
        let mut command = home.netsig("report data.csv -o page.html");
        command.timeout(Duration::from_secs(900)).assert().success();
        assert!(home.read("page.html").len() < 6_000_000);
    }
}
