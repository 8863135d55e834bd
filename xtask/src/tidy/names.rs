//! The rules of names that no compiler checks.
//!
//! * A type's name stands once in the workspace.
//! * Nothing is named `own`.
//! * A function's parameters are names, not tuple patterns.
//! * A name keeps its meaning: no `let x = …` in the block of another `let x`, whose value it uses.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Block, FnArg, Local, Pat, Signature, Stmt};

use super::modules::SourceTexts;

/// Type names that each place needs for itself: the options of a subcommand.
const SHARED: [&str; 1] = ["Args"];

/// Where the names of the workspace break the rules.
#[derive(Default)]
pub struct NameCensus {
    /// The places of each type's name.
    types: BTreeMap<String, Vec<SourceLine>>,
    owns: Vec<SourceLine>,
    tuples: Vec<SourceLine>,
    rebound: Vec<SourceLine>,
}

/// A line of a file.
#[derive(Clone)]
struct SourceLine {
    file: String,
    line: usize,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl NameCensus {
    /// Reads the names of all `sources`.
    ///
    /// # Errors
    /// If a file does not parse.
    pub fn read(sources: &SourceTexts) -> Result<Self> {
        let mut census = Self::default();
        for (file, text) in sources {
            let parsed: syn::File = syn::parse_str(text).with_context(|| format!("{file}: does not parse"))?;
            let mut reader = NameReader {
                census: &mut census,
                file,
            };
            reader.visit_file(&parsed);
        }
        Ok(census)
    }

    /// The names of types that stand more than once, and their places.
    fn repeated(&self) -> impl Iterator<Item = (&String, &[SourceLine])> {
        self.types
            .iter()
            .filter(|(name, places)| places.len() > 1 && !SHARED.contains(&name.as_str()))
            .map(|(name, places)| (name, places.as_slice()))
    }

    /// One line for each violation.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for (name, places) in self.repeated() {
            for place in &places[1..] {
                let first = &places[0];
                faults.push(format!(
                    "{place}: type {name} has the name of another at {first}; say what it is without its path"
                ));
            }
        }
        let all = [
            (&self.owns, "own says nothing; name the thing"),
            (
                &self.tuples,
                "takes a tuple pattern as a parameter; name the parameters or make a struct",
            ),
            (
                &self.rebound,
                "binds a name again to another value made of it; give the new value its own name",
            ),
        ];
        for (places, fault) in all {
            faults.extend(places.iter().map(|place| format!("{place}: {fault}")));
        }
        faults
    }
}

/// The counts in one line.
impl fmt::Display for NameCensus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let types: usize = self.types.values().map(Vec::len).sum();
        let repeated: usize = self.repeated().map(|(_, places)| places.len()).sum();
        let Self {
            owns, tuples, rebound, ..
        } = self;
        write!(
            f,
            "names: {types} types, of which {repeated} share their name; {} times `own`; {} tuple parameters; {} names bound again",
            owns.len(),
            tuples.len(),
            rebound.len(),
        )
    }
}

/// Collects the names of a file.
struct NameReader<'a> {
    census: &'a mut NameCensus,
    file: &'a str,
}

impl NameReader<'_> {
    fn place(&self, span: Span) -> SourceLine {
        SourceLine {
            file: self.file.to_owned(),
            line: span.start().line,
        }
    }

    fn type_name(&mut self, name: &Ident) {
        let place = self.place(name.span());
        let places = self.census.types.entry(name.to_string()).or_default();
        places.push(place);
    }

    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(ident) => self.visit_ident(&ident),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for NameReader<'_> {
    fn visit_ident(&mut self, ident: &'ast Ident) {
        if ident == "own" {
            self.census.owns.push(self.place(ident.span()));
        }
    }

    fn visit_token_stream(&mut self, tokens: &'ast TokenStream) {
        self.tokens(tokens.clone());
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.type_name(&item.ident);
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.type_name(&item.ident);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_union(&mut self, item: &'ast syn::ItemUnion) {
        self.type_name(&item.ident);
        visit::visit_item_union(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.type_name(&item.ident);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.type_name(&item.ident);
        visit::visit_item_type(self, item);
    }

    fn visit_signature(&mut self, signature: &'ast Signature) {
        for input in &signature.inputs {
            if let FnArg::Typed(parameter) = input
                && is_tuple(&parameter.pat)
            {
                self.census.tuples.push(self.place(signature.ident.span()));
            }
        }
        visit::visit_signature(self, signature);
    }

    fn visit_block(&mut self, block: &'ast Block) {
        let mut bound: Vec<&Ident> = Vec::new();
        for statement in &block.stmts {
            let Stmt::Local(local) = statement else {
                continue;
            };
            let Some(name) = bound_name(&local.pat) else {
                continue;
            };
            if bound.contains(&name) && uses(local, name) {
                self.census.rebound.push(self.place(name.span()));
            }
            bound.push(name);
        }
        visit::visit_block(self, block);
    }
}

/// True of `(a, b)` and of `&(a, b)`.
fn is_tuple(pattern: &Pat) -> bool {
    match pattern {
        Pat::Tuple(_) => true,
        Pat::Reference(pattern) => is_tuple(&pattern.pat),
        _ => false,
    }
}

/// The name that a pattern of one name binds, with a type or without.
fn bound_name(pattern: &Pat) -> Option<&Ident> {
    match pattern {
        Pat::Ident(name) => Some(&name.ident),
        Pat::Type(typed) => bound_name(&typed.pat),
        _ => None,
    }
}

/// True if the value of `local` uses `name`.
fn uses(local: &Local, name: &Ident) -> bool {
    let mut search = UseSearch { name, found: false };
    if let Some(value) = &local.init {
        search.visit_expr(&value.expr);
    }
    search.found
}

/// The search for the uses of a variable.
struct UseSearch<'a> {
    name: &'a Ident,
    found: bool,
}

impl<'ast> Visit<'ast> for UseSearch<'_> {
    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        self.found |= path.path.is_ident(self.name);
    }
}
