//! Variants of enums and their names, which an enum derives or a table lists: the basis of both
//! reading and writing.

use strum::VariantArray;

use super::guess::guess;

/// The name of `value` in a table that lists every variant.
pub fn name_of<T: PartialEq>(value: &T, table: &[(T, &'static str)]) -> &'static str {
    let found = table.iter().find(|(variant, _)| variant == value);
    found.expect("the table lists every variant").1
}

/// The variant named `text`; `kind` completes "is not …" in the error.
///
/// # Errors
/// If no variant has this name; the message lists the names.
pub fn variant_of<T: Copy>(text: &str, kind: &str, table: &[(T, &'static str)]) -> Result<T, String> {
    let found = table.iter().find(|(_, name)| *name == text);
    found.map(|(variant, _)| *variant).ok_or_else(|| {
        let listed: Vec<&str> = table.iter().map(|(_, name)| *name).collect();
        let names = listed.join(", ");
        let guess = guess(text, &names);
        format!("{text:?} is not {kind}; {guess}write one of: {names}")
    })
}

/// [`variant_of`] for an enum that derives its names.
pub(crate) fn variant_named<T>(text: &str, kind: &str) -> Result<T, String>
where
    T: VariantArray + Copy + Into<&'static str>,
{
    let variants = T::VARIANTS.iter();
    let table: Vec<(T, &'static str)> = variants.map(|variant| (*variant, (*variant).into())).collect();
    variant_of(text, kind, &table)
}
