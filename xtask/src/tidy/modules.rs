//! The modules of a crate, and which of them uses which names of which other.
//!
//! Modules are followed from the root of the crate by their `mod` items. A path leads to the
//! module that defines its last name, through imports and re-exports. Tests are left out, and
//! so are names that a macro makes or a glob brings.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::slice;

use anyhow::{Context, Result};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, File, ItemFn, ItemMod, ItemUse, Macro, Token, UseTree};

/// The texts of files by their paths.
pub type Sources = BTreeMap<String, String>;

/// The names of a path or of a module: `fit::signature`.
pub type Names = Vec<String>;

/// How many imports are followed from a name to where it is defined.
const IMPORTS: usize = 8;

/// The modules of a crate by their paths; the root's is empty.
pub struct Modules(BTreeMap<Names, Module>);

/// A module, and what stands in it.
#[derive(Default)]
struct Module {
    file: String,
    /// What each imported name stands for.
    imports: BTreeMap<String, Names>,
    /// A function may have the name of a module beside it.
    functions: BTreeSet<String>,
    /// All paths.
    paths: BTreeSet<Names>,
}

/// A module uses a name of another.
pub struct Use<'a> {
    /// The user.
    pub from: &'a Names,
    /// The module that defines the name.
    pub to: Names,
    /// The name.
    pub name: String,
}

impl Modules {
    /// The modules from `root` on, a `lib.rs` or `main.rs`.
    ///
    /// # Errors
    /// If a file does not parse.
    pub fn read(sources: &Sources, root: &str) -> Result<Self> {
        let directory = Path::new(root).parent().unwrap_or(Path::new(""));
        let mut modules = Self(BTreeMap::new());
        let mut left = vec![(Names::new(), root.to_owned())];
        while let Some((path, file)) = left.pop() {
            let parsed: File = syn::parse_str(&sources[&file])
                .with_context(|| format!("{file}: does not parse"))?;
            let mut reader = Reader {
                modules: &mut modules.0,
                file,
                path,
                declared: Vec::new(),
            };
            reader.here();
            reader.visit_file(&parsed);
            for path in reader.declared {
                let stem = directory.join(path.iter().collect::<PathBuf>());
                let files = [stem.with_extension("rs"), stem.join("mod.rs")];
                let mut files = files.iter().map(|file| file.display().to_string());
                let found = files.find(|file| sources.contains_key(file));
                left.extend(found.map(|file| (path, file)));
            }
        }
        Ok(modules)
    }

    /// The file of a module.
    pub fn file(&self, module: &[String]) -> &str {
        &self.0[module].file
    }

    /// The modules that the root declares.
    pub fn folders(&self) -> impl Iterator<Item = &String> {
        let is_folder = |path: &&Names| path.len() == 1;
        self.0.keys().filter(is_folder).flatten()
    }

    /// Every use of one module's name in another.
    pub fn uses(&self) -> Vec<Use<'_>> {
        let mut uses = Vec::new();
        for (from, module) in &self.0 {
            for path in &module.paths {
                if let Some((to, name)) = self.find(from, path, IMPORTS) {
                    uses.push(Use { from, to, name });
                }
            }
        }
        uses
    }

    /// The module that defines what `path` names in module `from`, if it is of this crate, and
    /// the name there.
    fn find(&self, from: &[String], path: &[String], imports: usize) -> Option<(Names, String)> {
        let mut at = from.to_vec();
        let mut rest = path;
        while let [name, later @ ..] = rest {
            match name.as_str() {
                "crate" => at.clear(),
                "super" => drop(at.pop()),
                "self" => {}
                _ => break,
            }
            rest = later;
        }
        let mut is_ours = rest.len() < path.len();
        while let [name, later @ ..] = rest {
            let module = self.0.get(&at)?;
            let child = [at.as_slice(), slice::from_ref(name)].concat();
            let is_module = self.0.contains_key(&child);
            let is_last = later.is_empty();
            if is_last && module.functions.contains(name) {
                is_ours = true;
                break;
            }
            if let Some(import) = module.imports.get(name)
                && imports > 0
                && (is_last || !is_module)
            {
                let path = [import, later].concat();
                let found = self.find(&at, &path, imports - 1);
                // What comes from another crate is the re-exporting module's.
                return found.or_else(|| is_ours.then(|| (at, name.clone())));
            }
            if !is_module {
                break;
            }
            (at, rest, is_ours) = (child, later, true);
        }
        let name = rest.first().or(at.last())?.clone();
        is_ours.then_some((at, name))
    }
}

/// Collects what stands in a file.
struct Reader<'a> {
    modules: &'a mut BTreeMap<Names, Module>,
    file: String,
    /// The module that is being read.
    path: Names,
    /// The modules that have files of their own.
    declared: Vec<Names>,
}

impl Reader<'_> {
    /// The module at `path`.
    fn here(&mut self) -> &mut Module {
        let module = || Module {
            file: self.file.clone(),
            ..Module::default()
        };
        self.modules.entry(self.path.clone()).or_insert_with(module)
    }

    /// Adds what `tree` imports after the names in `path`.
    fn import(&mut self, path: &Names, tree: &UseTree) {
        let with = |name: &dyn ToString| [path.as_slice(), &[name.to_string()]].concat();
        let (path, name) = match tree {
            UseTree::Path(tree) => return self.import(&with(&tree.ident), &tree.tree),
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.import(path, tree));
            }
            UseTree::Name(tree) if tree.ident == "self" => (path.clone(), path.last().cloned()),
            UseTree::Name(tree) => (with(&tree.ident), Some(tree.ident.to_string())),
            UseTree::Rename(tree) => (with(&tree.ident), Some(tree.rename.to_string())),
            UseTree::Glob(_) => (path.clone(), None),
        };
        let module = self.here();
        if let Some(name) = name {
            module.imports.insert(name, path.clone());
        }
        module.paths.insert(path);
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if is_test(&item.attrs) {
            return;
        }
        self.path.push(item.ident.to_string());
        if item.content.is_none() {
            self.declared.push(self.path.clone());
        } else {
            self.here();
            visit::visit_item_mod(self, item);
        }
        self.path.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !is_test(&item.attrs) {
            self.import(&Names::new(), &item.tree);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if !is_test(&item.attrs) {
            self.here().functions.insert(item.sig.ident.to_string());
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            let names = path
                .segments
                .iter()
                .map(|segment| segment.ident.to_string());
            self.here().paths.insert(names.collect());
        }
        visit::visit_path(self, path);
    }

    /// Reads the arguments of macros that are called like functions.
    fn visit_macro(&mut self, call: &'ast Macro) {
        let arguments = call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated);
        for argument in arguments.into_iter().flatten() {
            Reader::visit_expr(self, &argument);
        }
    }
}

/// Whether an item is only there for tests.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let condition = attribute.meta.require_list();
        condition.is_ok_and(|list| list.path.is_ident("cfg") && list.tokens.to_string() == "test")
    })
}
