//! The modules of a crate, and the names that each module uses of others.
//!
//! Modules are found from the root of the crate by their `mod` items. A path is resolved, through
//! imports and re-exports, to the module that defines its last name. Tests are left out, and so are
//! names from macros and glob imports.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::slice;

use anyhow::{Context, Result};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, File, ItemFn, ItemMod, ItemUse, Macro, Token, UseTree};

/// The texts of files by their paths.
pub type SourceTexts = BTreeMap<String, String>;

/// The parts of a path or of a module's name: `fit::signature`.
pub type ModulePath = Vec<String>;

/// The most imports from a name to its definition.
const MOST_IMPORTS: usize = 8;

/// The modules of a crate by their paths; the root's path is empty.
pub struct CrateModules(BTreeMap<ModulePath, ModuleNames>);

/// A module and its names.
#[derive(Default)]
struct ModuleNames {
    file: String,
    /// The path of each imported name.
    imports: BTreeMap<String, ModulePath>,
    /// The functions, since a function may have the name of a module.
    functions: BTreeSet<String>,
    /// All paths in the module's code.
    paths: BTreeSet<ModulePath>,
}

/// A use of one module's name in another.
pub struct ModuleUse<'a> {
    /// The using module.
    pub from: &'a ModulePath,
    /// The defining module.
    pub to: ModulePath,
    /// The used name.
    pub name: String,
}

impl CrateModules {
    /// Reads the modules of a crate from its root file, a `lib.rs` or `main.rs`.
    ///
    /// # Errors
    /// If a file does not parse.
    pub fn read(sources: &SourceTexts, root: &str) -> Result<Self> {
        let directory = Path::new(root).parent().unwrap_or(Path::new(""));
        let mut modules = Self(BTreeMap::new());
        let mut unread = vec![(ModulePath::new(), root.to_owned())];
        while let Some((path, file)) = unread.pop() {
            let parsed: File = syn::parse_str(&sources[&file]).with_context(|| format!("{file}: does not parse"))?;
            let mut reader = ModuleReader {
                modules: &mut modules.0,
                file,
                path,
                declared: Vec::new(),
            };
            reader.current_module();
            reader.visit_file(&parsed);
            for path in reader.declared {
                let stem = directory.join(path.iter().collect::<PathBuf>());
                let candidates = [stem.with_extension("rs"), stem.join("mod.rs")];
                let mut files = candidates.iter().map(|file| file.display().to_string());
                let found = files.find(|file| sources.contains_key(file));
                unread.extend(found.map(|file| (path, file)));
            }
        }
        Ok(modules)
    }

    /// The file of a module.
    pub fn file(&self, module: &[String]) -> &str {
        &self.0[module].file
    }

    /// The names of the modules that the root declares.
    pub fn folders(&self) -> impl Iterator<Item = &String> {
        let is_folder = |path: &&ModulePath| path.len() == 1;
        self.0.keys().filter(is_folder).flatten()
    }

    /// All uses of one module's name in another.
    pub fn uses(&self) -> Vec<ModuleUse<'_>> {
        let mut uses = Vec::new();
        for (from, module) in &self.0 {
            for path in &module.paths {
                if let Some((to, name)) = self.resolve(from, path, MOST_IMPORTS) {
                    uses.push(ModuleUse { from, to, name });
                }
            }
        }
        uses
    }

    /// Resolves `path` in module `from`: the defining module and the name there, if it is in this
    /// crate.
    fn resolve(&self, from: &[String], path: &[String], imports: usize) -> Option<(ModulePath, String)> {
        let mut current = from.to_vec();
        let mut rest = path;
        while let [name, later @ ..] = rest {
            match name.as_str() {
                "crate" => current.clear(),
                "super" => drop(current.pop()),
                "self" => {}
                _ => break,
            }
            rest = later;
        }
        let mut is_in_crate = rest.len() < path.len();
        while let [name, later @ ..] = rest {
            let module = self.0.get(&current)?;
            let child = [current.as_slice(), slice::from_ref(name)].concat();
            let is_module = self.0.contains_key(&child);
            let is_last = later.is_empty();
            if is_last && module.functions.contains(name) {
                is_in_crate = true;
                break;
            }
            if let Some(import) = module.imports.get(name)
                && imports > 0
                && (is_last || !is_module)
            {
                let path = [import, later].concat();
                let found = self.resolve(&current, &path, imports - 1);
                // A name from another crate belongs to the re-exporting module.
                return found.or_else(|| is_in_crate.then(|| (current, name.clone())));
            }
            if !is_module {
                break;
            }
            (current, rest, is_in_crate) = (child, later, true);
        }
        let name = rest.first().or(current.last())?.clone();
        is_in_crate.then_some((current, name))
    }
}

/// Collects the modules, imports and paths of a file.
struct ModuleReader<'a> {
    modules: &'a mut BTreeMap<ModulePath, ModuleNames>,
    file: String,
    /// The current module.
    path: ModulePath,
    /// The declared modules that have separate files.
    declared: Vec<ModulePath>,
}

impl ModuleReader<'_> {
    /// The current module's entry.
    fn current_module(&mut self) -> &mut ModuleNames {
        let module = || ModuleNames {
            file: self.file.clone(),
            ..ModuleNames::default()
        };
        self.modules.entry(self.path.clone()).or_insert_with(module)
    }

    /// Adds the imports of `tree`, whose path begins with `path`.
    fn import(&mut self, path: &ModulePath, tree: &UseTree) {
        let extended = |name: &dyn ToString| [path.as_slice(), &[name.to_string()]].concat();
        let (path, name) = match tree {
            UseTree::Path(tree) => return self.import(&extended(&tree.ident), &tree.tree),
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.import(path, tree));
            }
            UseTree::Name(tree) if tree.ident == "self" => (path.clone(), path.last().cloned()),
            UseTree::Name(tree) => (extended(&tree.ident), Some(tree.ident.to_string())),
            UseTree::Rename(tree) => (extended(&tree.ident), Some(tree.rename.to_string())),
            UseTree::Glob(_) => (path.clone(), None),
        };
        let module = self.current_module();
        if let Some(name) = name {
            module.imports.insert(name, path.clone());
        }
        module.paths.insert(path);
    }
}

impl<'ast> Visit<'ast> for ModuleReader<'_> {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if is_test(&item.attrs) {
            return;
        }
        self.path.push(item.ident.to_string());
        if item.content.is_none() {
            self.declared.push(self.path.clone());
        } else {
            self.current_module();
            visit::visit_item_mod(self, item);
        }
        self.path.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !is_test(&item.attrs) {
            self.import(&ModulePath::new(), &item.tree);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        if !is_test(&item.attrs) {
            self.current_module().functions.insert(item.sig.ident.to_string());
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            let names = path.segments.iter().map(|segment| segment.ident.to_string());
            self.current_module().paths.insert(names.collect());
        }
        visit::visit_path(self, path);
    }

    /// Visits the arguments of macros with function-like calls.
    fn visit_macro(&mut self, call: &'ast Macro) {
        let arguments = call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated);
        for argument in arguments.into_iter().flatten() {
            ModuleReader::visit_expr(self, &argument);
        }
    }
}

/// True if an item exists for tests only.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let condition = attribute.meta.require_list();
        condition.is_ok_and(|list| list.path.is_ident("cfg") && list.tokens.to_string() == "test")
    })
}
