//! Checks the layers of a crate, and that its files have no circular dependencies.
//!
//! No files may depend on each other in a circle, except a module and the modules inside it. A crate may state its
//! layers in its root, in one sentence: `Layers, each using only those before it: a, b, c.`

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anyhow::Result;

use super::modules::{CrateModules, ModuleUse, SourceTexts};

/// The beginning of the statement of the layers.
const STATEMENT: &str = "Layers, each using only those before it:";

/// The crates that must state their layers.
const LAYERED: [&str; 3] = [
    "crates/base/src/lib.rs",
    "crates/model/src/lib.rs",
    "crates/cli/src/main.rs",
];

/// The names used between files: by user, then by the defining file.
type UseGraph = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// The faults of the crate with the root file `root` (`lib.rs` or `main.rs`).
///
/// # Errors
/// If a file does not parse.
pub fn faults(sources: &SourceTexts, root: &str) -> Result<Vec<String>> {
    let modules = CrateModules::read(sources, root)?;
    let layers = layers(&sources[root]);
    let mut faults = Vec::new();
    if layers.is_empty() {
        let is_missing = LAYERED.contains(&root);
        faults.extend(is_missing.then(|| format!("{root}: does not say \"{STATEMENT} a, b, c.\"")));
    } else {
        let missing = modules.folders().filter(|folder| !layers.contains(folder));
        faults.extend(missing.map(|folder| format!("{root}: {folder} is not among the layers")));
    }
    let layer_of = |module: &[String]| layers.iter().position(|layer| module.first() == Some(layer));
    let (mut upward, mut sideways) = (UseGraph::new(), UseGraph::new());
    for used in modules.uses() {
        if layer_of(used.from).is_some_and(|from| Some(from) < layer_of(&used.to)) {
            add_use(&mut upward, &modules, &used);
        }
        let is_inside = used.from.starts_with(&used.to) || used.to.starts_with(used.from);
        if !is_inside {
            add_use(&mut sideways, &modules, &used);
        }
    }
    for (from, used) in &upward {
        let line = |to: &String| format!("{}, a later layer", describe_edge(&upward, from, to));
        faults.extend(used.keys().map(line));
    }
    faults.extend(circles(sideways));
    Ok(faults)
}

/// Adds a use to the graph, unless both modules are in the same file.
fn add_use(graph: &mut UseGraph, modules: &CrateModules, used: &ModuleUse) {
    let [from, to] = [used.from, &used.to].map(|module| modules.file(module).to_owned());
    if from != to {
        let names = graph.entry(from).or_default().entry(to).or_default();
        names.insert(used.name.clone());
    }
}

/// The layers that a crate's root states.
fn layers(text: &str) -> Vec<String> {
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    let statement = words.join(" ");
    let Some((_, after_statement)) = statement.split_once(STATEMENT) else {
        return Vec::new();
    };
    let list = after_statement.split('.').next().unwrap_or_default();
    list.split(',').map(|layer| layer.trim().to_owned()).collect()
}

/// A line for each circle: the shortest through each file. Each circle is cut before the search for the next.
fn circles(mut graph: UseGraph) -> Vec<String> {
    let mut faults = Vec::new();
    for file in graph.keys().cloned().collect::<Vec<_>>() {
        while let Some(circle) = shortest_circle(&graph, &file) {
            let edge_texts = circle.windows(2).map(|pair| describe_edge(&graph, &pair[0], &pair[1]));
            let edges: Vec<String> = edge_texts.collect();
            faults.push(format!("circle: {}", edges.join("; ")));
            graph.entry(file.clone()).or_default().remove(&circle[1]);
        }
    }
    faults
}

/// The files of the shortest path from `start` back to `start`.
fn shortest_circle(graph: &UseGraph, start: &str) -> Option<Vec<String>> {
    let mut previous: BTreeMap<&str, &str> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(file) = queue.pop_front() {
        for next in graph.get(file).into_iter().flat_map(BTreeMap::keys) {
            if previous.contains_key(next.as_str()) {
                continue;
            }
            previous.insert(next, file);
            queue.push_back(next);
        }
    }
    let mut path = vec![start.to_owned()];
    let mut current = *previous.get(start)?;
    while current != start {
        path.push(current.to_owned());
        current = previous[current];
    }
    path.push(start.to_owned());
    path.reverse();
    Some(path)
}

/// Describes a use in words.
fn describe_edge(graph: &UseGraph, from: &str, to: &str) -> String {
    let names: Vec<&str> = graph[from][to].iter().map(String::as_str).collect();
    format!("{from} uses {} of {to}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults_of(files: &[(&str, &str)]) -> Vec<String> {
        let owned = |(path, text): &(&str, &str)| (format!("src/{path}"), (*text).to_owned());
        faults(&files.iter().map(owned).collect(), "src/lib.rs").unwrap()
    }

    #[test]
    fn a_circle_is_found_however_the_names_are_written() {
        let root = ("lib.rs", "pub mod a; pub mod b;");
        let b = ("b.rs", "pub struct B; fn f() { let x = vec![crate::a::A]; }");
        for a in [
            "use crate::b::B; pub struct A;",
            "use crate::{b::{B as Other}}; pub struct A;",
            "pub struct A; fn f(x: super::b::B) {}",
            "pub struct A; fn f() { println!(\"{}\", crate::b::B); }",
            "pub struct A; mod inner { use super::super::b::B; }",
        ] {
            let faults = faults_of(&[root, ("a.rs", a), b]);
            let [fault] = faults.as_slice() else {
                panic!("{a}: {faults:?}");
            };
            assert!(fault.starts_with("circle: src/a.rs uses "), "{fault}");
            assert!(fault.ends_with("B of src/b.rs; src/b.rs uses A of src/a.rs"), "{fault}");
        }
    }

    #[test]
    fn longer_circles_and_reexports_are_followed() {
        let faults = faults_of(&[
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "use crate::b::C; pub struct A;"),
            ("b.rs", "mod inner; pub use inner::C;"),
            ("b/inner.rs", "pub use crate::c::C;"),
            ("c/mod.rs", "use crate::a::A; pub struct C;"),
        ]);
        let line = "circle: src/a.rs uses C of src/c/mod.rs; src/c/mod.rs uses A of src/a.rs";
        assert_eq!(faults, [line]);
    }

    #[test]
    fn parents_children_tests_and_other_crates_are_no_circle() {
        let faults = faults_of(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "mod child; use child::C; use b::X; pub struct A;"),
            (
                "a/child.rs",
                "use super::A; pub struct C; #[cfg(test)] mod tests { use crate::b::B; }",
            ),
            ("b.rs", "use crate::a::A; pub struct B;"),
        ]);
        assert_eq!(faults, [""; 0]);
    }

    #[test]
    fn a_use_of_a_later_layer_is_a_fault() {
        let root = "//! Layers, each using only those before it: a,\n//! b.\nmod a; mod b; mod c;";
        let faults = faults_of(&[
            ("lib.rs", root),
            ("a.rs", "mod inner;"),
            ("a/inner.rs", "use crate::b::B;"),
            ("b.rs", "pub struct B;"),
            ("c.rs", ""),
        ]);
        let lines = [
            "src/lib.rs: c is not among the layers",
            "src/a/inner.rs uses B of src/b.rs, a later layer",
        ];
        assert_eq!(faults, lines);
    }
}
