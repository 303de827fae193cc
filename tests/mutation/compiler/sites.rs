//! Where the compiler can be made faulty: every mutation site of a source file.
//!
//! In:  the text of a Rust source file. Out: its [`Site`]s, each with the text to insert before and
//! after it so that a fault can be switched on at run time.
//! Ref: `operators` has the table of what replaces what. Constants, patterns, types, macros other
//! than `matches!`, tests and text output have no sites: a switch cannot stand in the first four.

use crate::operators;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// A place in a source file that one fault replaces.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// The function that holds it: `name`, or `Type::name` for a method.
    pub function: String,
    /// What is done to it, as in the README's table.
    pub operator: String,
    /// The original text, white space collapsed and comments removed.
    pub original: String,
    /// The text that runs in its place.
    pub mutated: String,
    /// Index among the sites of this file with the same function, operator and original text.
    pub ordinal: usize,
    /// First line, from 1.
    pub line: usize,
    /// Bytes of the file that the insertions enclose.
    pub start: usize,
    /// End of those bytes.
    pub end: usize,
    /// Text inserted at `start`; `@` stands for the fault's number.
    pub before: String,
    /// Text inserted at `end`.
    pub after: String,
}

/// All sites of a file.
///
/// # Errors
/// The file is not Rust.
pub fn sites(text: &str) -> Result<Vec<Site>, syn::Error> {
    let file = syn::parse_file(text)?;
    let mut finder = Finder {
        text,
        owner: String::new(),
        functions: Vec::new(),
        sites: Vec::new(),
    };
    finder.visit_file(&file);
    let mut sites = finder.sites;
    sites.sort_by(|a, b| (a.start, b.end).cmp(&(b.start, a.end)));
    for i in 0..sites.len() {
        let same = |s: &&Site| {
            let key = |s: &Site| (s.function.clone(), s.operator.clone(), s.original.clone());
            key(s) == key(&sites[i])
        };
        sites[i].ordinal = sites[..i].iter().filter(same).count();
    }
    Ok(sites)
}

/// Inserts the switches of `sites`, each with its fault's number, into a file's text.
pub fn insert(text: &str, sites: &[(usize, &Site)]) -> String {
    // Where two insertions meet: ends before starts, inner ends first, outer starts first.
    let mut insertions: Vec<(usize, i8, i64, String)> = Vec::new();
    for (number, site) in sites {
        let length = (site.end - site.start) as i64;
        let number = number.to_string();
        let (before, after) = (&site.before, &site.after);
        insertions.push((site.start, 1, -length, before.replace('@', &number)));
        let rank = if length == 0 { 2 } else { 0 };
        insertions.push((site.end, rank, length, after.replace('@', &number)));
    }
    insertions.sort();
    let mut result = String::new();
    let mut copied = 0;
    for (position, _, _, inserted) in insertions {
        result += &text[copied..position];
        result += &inserted;
        copied = position;
    }
    result + &text[copied..]
}

/// Text on one line: comments removed, white space collapsed.
pub fn flat(text: &str) -> String {
    let lines = text.lines().map(|l| l.split("//").next().unwrap_or(l));
    let joined = lines.collect::<Vec<_>>().join(" ");
    joined.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(crate) struct Finder<'a> {
    text: &'a str,
    owner: String,
    functions: Vec<String>,
    sites: Vec<Site>,
}

impl Finder<'_> {
    pub(crate) fn source(&self, node: &impl Spanned) -> String {
        flat(&self.text[node.span().byte_range()])
    }

    fn push(&mut self, span: Span, operator: &str, mutated: String, (before, after): (&str, &str)) {
        let Some(function) = self.functions.last() else {
            return;
        };
        let range = span.byte_range();
        self.sites.push(Site {
            function: function.clone(),
            operator: operator.to_string(),
            original: flat(&self.text[range.clone()]),
            mutated,
            ordinal: 0,
            line: span.start().line,
            start: range.start,
            end: range.end,
            before: before.to_string(),
            after: after.to_string(),
        });
    }

    /// An expression that another replaces.
    pub(crate) fn replaced(&mut self, node: &impl Spanned, operator: &str, mutated: &str) {
        let before = format!("(if crate::__fault(@) {{ {mutated} }} else {{ ");
        self.push(node.span(), operator, mutated.to_string(), (&before, " })"));
    }

    /// A statement that is left out.
    pub(crate) fn dropped(&mut self, node: &impl Spanned, operator: &str) {
        let around = ("if !crate::__fault(@) { ", " }");
        self.push(node.span(), operator, String::new(), around);
    }

    /// A pattern that no longer matches.
    pub(crate) fn unmatched(&mut self, node: &impl Spanned, operator: &str) {
        let around = ("", " if !crate::__fault(@)");
        self.push(node.span(), operator, String::new(), around);
    }

    fn body(&mut self, signature: &syn::Signature, block: &syn::Block) {
        for value in operators::trivial_results(&signature.output) {
            let open = block.brace_token.span.open();
            let after = format!(" if crate::__fault(@) {{ return {value}; }}");
            let function = self.functions.last().cloned().unwrap_or_default();
            let range = open.byte_range();
            self.sites.push(Site {
                function,
                operator: "body".to_string(),
                original: flat(&self.text[signature.span().byte_range()]),
                mutated: format!("return {value};"),
                ordinal: 0,
                line: signature.span().start().line,
                start: range.end,
                end: range.end,
                before: String::new(),
                after,
            });
        }
    }

    fn function(
        &mut self,
        attrs: &[syn::Attribute],
        signature: &syn::Signature,
        block: &syn::Block,
    ) {
        if signature.constness.is_some() || is_test(attrs) {
            return;
        }
        let name = signature.ident.to_string();
        let separator = if self.owner.is_empty() { "" } else { "::" };
        self.functions
            .push(format!("{}{separator}{name}", self.owner));
        self.body(signature, block);
        self.visit_block(block);
        self.functions.pop();
    }
}

fn is_test(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|attr| match &attr.meta {
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        syn::Meta::NameValue(_) => false,
    })
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_mod(&mut self, node: &'ast syn::ItemMod) {
        if !is_test(&node.attrs) {
            visit::visit_item_mod(self, node);
        }
    }

    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_item_macro(&mut self, _: &'ast syn::ItemMacro) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_path(&mut self, _: &'ast syn::Path) {}
    fn visit_angle_bracketed_generic_arguments(
        &mut self,
        _: &'ast syn::AngleBracketedGenericArguments,
    ) {
    }
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}

    fn visit_item_impl(&mut self, node: &'ast syn::ItemImpl) {
        let text_output = node.trait_.as_ref().is_some_and(|(_, path, _)| {
            let name = path.segments.last().map(|s| s.ident.to_string());
            matches!(name.as_deref(), Some("Display" | "Debug" | "Error"))
        });
        if text_output || is_test(&node.attrs) {
            return;
        }
        let owner = match &*node.self_ty {
            syn::Type::Path(path) => path.path.segments.last().map(|s| s.ident.to_string()),
            _ => None,
        };
        let outer = std::mem::replace(&mut self.owner, owner.unwrap_or_default());
        visit::visit_item_impl(self, node);
        self.owner = outer;
    }

    fn visit_item_trait(&mut self, node: &'ast syn::ItemTrait) {
        let outer = std::mem::replace(&mut self.owner, node.ident.to_string());
        visit::visit_item_trait(self, node);
        self.owner = outer;
    }

    fn visit_item_fn(&mut self, node: &'ast syn::ItemFn) {
        self.function(&node.attrs, &node.sig, &node.block);
    }

    fn visit_impl_item_fn(&mut self, node: &'ast syn::ImplItemFn) {
        self.function(&node.attrs, &node.sig, &node.block);
    }

    fn visit_trait_item_fn(&mut self, node: &'ast syn::TraitItemFn) {
        if let Some(block) = &node.default {
            self.function(&node.attrs, &node.sig, block);
        }
    }

    fn visit_expr_repeat(&mut self, node: &'ast syn::ExprRepeat) {
        self.visit_expr(&node.expr);
    }

    fn visit_expr(&mut self, node: &'ast syn::Expr) {
        operators::expression(self, node);
        visit::visit_expr(self, node);
    }

    fn visit_stmt(&mut self, node: &'ast syn::Stmt) {
        operators::statement(self, node);
        visit::visit_stmt(self, node);
    }
}
