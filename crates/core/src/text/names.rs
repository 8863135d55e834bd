//! Variants and their names, one table each: both text forms of an enum come from it.

/// The name of `value` in a table that lists every variant.
pub(crate) fn name_of<T: PartialEq>(value: &T, table: &[(T, &'static str)]) -> &'static str {
    let found = table.iter().find(|(variant, _)| variant == value);
    found.expect("the table lists every variant").1
}

/// The variant named `text`; `kind` completes "is not …" in the error.
pub(crate) fn variant_of<T: Copy>(
    text: &str,
    kind: &str,
    table: &[(T, &'static str)],
) -> Result<T, String> {
    let found = table.iter().find(|(_, name)| *name == text);
    found.map(|(variant, _)| *variant).ok_or_else(|| {
        let names: Vec<&str> = table.iter().map(|(_, name)| *name).collect();
        let names = names.join(", ");
        format!("{text:?} is not {kind}; write one of: {names}")
    })
}
