//! Guesses the name that a misspelt one stands for.

/// Least similarity of a name to a guess: 1 for the same name, 0 for one without a common letter.
const LEAST_LIKENESS: f64 = 0.8;

/// Most similar of the names `known` to `text`, if one is similar.
pub fn nearest<'a>(text: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let likenesses = known.into_iter().map(|name| (strsim::jaro(text, name), name));
    let similar = likenesses.filter(|(likeness, _)| *likeness > LEAST_LIKENESS);
    let best = similar.max_by(|one, other| one.0.total_cmp(&other.0));
    best.map(|(_, name)| name)
}

/// The beginning of a remedy that goes on with the names `known`, which `, ` separates: a question
/// for the nearest of them, or nothing. Settings after the name of an algorithm do not count.
pub fn guess(text: &str, known: &str) -> String {
    let name = |usage| -> &str { str::split(usage, ':').next().unwrap_or_default() };
    let names = known.split(", ").map(name);
    let found = nearest(name(text), names);
    found.map_or(String::new(), |found| format!("did you mean {found}? If not, "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_is_guessed_and_another_word_is_not() {
        let known = "library, pairwise, windowed:segment=SEGMENT,window=WINDOW, bruck";
        for (text, found) in [
            ("pairwize", "pairwise"),
            ("widowed:segment=4096,window=4", "windowed"),
            ("Bruck", "bruck"),
        ] {
            assert_eq!(guess(text, known), format!("did you mean {found}? If not, "));
        }
        assert_eq!(guess("tam", known), "");
    }
}
