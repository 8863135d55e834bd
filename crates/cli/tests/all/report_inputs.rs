//! `netsig report` of unusual input: each gives a page, or one clear line.

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
