//! XML of a platform: document, elements and numbers.

use std::fmt::Write;

/// The file: comment lines, settings by name, and the zones.
pub(super) fn document(comments: &[String], settings: &[(&'static str, String)], zones: &str) -> String {
    let mut text =
        String::from("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n");
    for line in comments {
        writeln!(text, "<!-- {} -->", comment(line)).expect("a string takes all");
    }
    text.push_str("<platform version=\"4.1\">\n<config>\n");
    for (name, value) in settings {
        text.push_str(&element("prop", &[("id", name), ("value", value)]));
    }
    text.push_str("</config>\n");
    text.push_str(zones);
    text.push_str("</platform>\n");
    text
}

/// An empty element on a line of its own.
pub(super) fn element(name: &str, attributes: &[(&str, &str)]) -> String {
    format!("<{name}{}/>\n", attributes_text(attributes))
}

/// An element around others.
pub(super) fn element_around(name: &str, attributes: &[(&str, &str)], inner: &str) -> String {
    format!("<{name}{}>\n{inner}</{name}>\n", attributes_text(attributes))
}

/// A number with seven digits.
pub(super) fn number(value: f64) -> String {
    let rounded = format!("{value:.6e}").parse::<f64>();
    rounded.expect("a number reads back").to_string()
}

fn attributes_text(attributes: &[(&str, &str)]) -> String {
    let pair = |(name, value): &(&str, &str)| format!(" {name}=\"{}\"", escaped(value));
    attributes.iter().map(pair).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// The text without two hyphens in a row and without one at the end, as XML comments require.
fn comment(text: &str) -> String {
    let separated = text.replace("--", "- -").replace("--", "- -");
    separated.trim_end_matches('-').to_owned()
}
