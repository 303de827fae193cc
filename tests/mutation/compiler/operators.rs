//! The operators: what a fault makes of an expression, a statement or a function.
//!
//! In:  a syntax tree's node. Out: its sites, pushed to the [`Finder`].
//! The mutated text is built from the original operands, so it is evaluated as they were.

use crate::sites::Finder;
use syn::{BinOp, Expr, Pat, Stmt};

/// Operators of two operands, and the one that stands in for each.
const BINARY: &[(&str, &str)] = &[
    ("<", "<="),
    ("<=", "<"),
    (">", ">="),
    (">=", ">"),
    ("==", "!="),
    ("!=", "=="),
    ("&&", "||"),
    ("||", "&&"),
    ("+", "-"),
    ("-", "+"),
    ("*", "+"),
    ("/", "*"),
    ("%", "+"),
    ("<<", ">>"),
    (">>", "<<"),
    ("&", "|"),
    ("|", "&"),
    ("^", "|"),
    ("+=", "-="),
    ("-=", "+="),
    ("*=", "+="),
    ("|=", "&="),
    ("&=", "|="),
    ("^=", "|="),
    ("<<=", ">>="),
    (">>=", "<<="),
];

/// Methods that another with the same operands replaces.
const METHODS: &[(&str, &str)] = &[
    ("min", "max"),
    ("max", "min"),
    ("any", "all"),
    ("all", "any"),
    ("is_some", "is_none"),
    ("is_none", "is_some"),
    ("first", "last"),
    ("last", "first"),
    ("wrapping_add", "wrapping_sub"),
    ("wrapping_sub", "wrapping_add"),
    ("saturating_sub", "saturating_add"),
    ("saturating_add", "saturating_sub"),
    ("trailing_zeros", "leading_zeros"),
    ("leading_zeros", "trailing_zeros"),
];

/// What a function of this result type may return instead of running.
pub fn trivial_results(output: &syn::ReturnType) -> &'static [&'static str] {
    let syn::ReturnType::Type(_, ty) = output else {
        return &[""];
    };
    let syn::Type::Path(path) = &**ty else {
        return &[];
    };
    let Some(last) = path.path.segments.last() else {
        return &[];
    };
    let is_unit = |arguments: &syn::PathArguments| match arguments {
        syn::PathArguments::AngleBracketed(list) => matches!(
            list.args.first(),
            Some(syn::GenericArgument::Type(syn::Type::Tuple(t))) if t.elems.is_empty()
        ),
        _ => false,
    };
    match last.ident.to_string().as_str() {
        "bool" => &["true", "false"],
        "Option" => &["None"],
        "Vec" => &["Vec::new()"],
        "Result" if is_unit(&last.arguments) => &["Ok(())"],
        "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "u128" => {
            &["0"]
        }
        _ => &[],
    }
}

/// True where a pattern is bound: such a condition cannot be replaced.
fn binds(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(b) => binds(&b.left) || binds(&b.right),
        _ => false,
    }
}

/// Pushes the sites of an expression itself, not those of its operands.
pub fn expression(finder: &mut Finder, node: &Expr) {
    match node {
        Expr::Binary(binary) => {
            if binds(node) {
                return;
            }
            let found = finder.source(&binary.op);
            if let Some((from, to)) = BINARY.iter().find(|row| row.0 == found) {
                let (left, right) = (finder.source(&binary.left), finder.source(&binary.right));
                let assigns = from.ends_with('=')
                    && !matches!(
                        binary.op,
                        BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Le(_) | BinOp::Ge(_)
                    );
                let text = if assigns {
                    format!("{left} {to} {right}")
                } else {
                    format!("({left}) {to} ({right})")
                };
                finder.replaced(node, &format!("{from} to {to}"), &text);
            }
        }
        Expr::Lit(lit) => literal(finder, node, &lit.lit),
        Expr::Unary(unary) if !matches!(unary.op, syn::UnOp::Deref(_)) => {
            let operand = finder.source(&unary.expr);
            let sign = finder.source(&unary.op);
            finder.replaced(node, &format!("{sign} dropped"), &format!("({operand})"));
        }
        Expr::If(branch) => condition(finder, &branch.cond, &["true", "false"]),
        Expr::While(repeat) => condition(finder, &repeat.cond, &["false"]),
        Expr::Match(select) => arms(finder, select),
        Expr::MethodCall(call) => {
            let name = call.method.to_string();
            if let Some((_, to)) = METHODS.iter().find(|row| row.0 == name) {
                let receiver = finder.source(&call.receiver);
                let args: Vec<String> = call.args.iter().map(|a| finder.source(a)).collect();
                let text = format!("{receiver}.{to}({})", args.join(", "));
                finder.replaced(node, &format!("{name} to {to}"), &text);
            } else if matches!(name.as_str(), "is_empty" | "contains" | "contains_key") {
                let text = format!("!({})", finder.source(node));
                finder.replaced(node, "result negated", &text);
            }
        }
        Expr::Range(range) => {
            let half_open = matches!(range.limits, syn::RangeLimits::HalfOpen(_));
            if let (Some(start), Some(end), true) = (&range.start, &range.end, half_open) {
                let text = format!("({})..({}) + 1", finder.source(start), finder.source(end));
                finder.replaced(node, "range end + 1", &text);
            }
        }
        Expr::Macro(mac) if mac.mac.path.is_ident("matches") => {
            let text = format!("!{}", finder.source(node));
            finder.replaced(node, "result negated", &text);
        }
        _ => {}
    }
}

fn literal(finder: &mut Finder, node: &Expr, lit: &syn::Lit) {
    match lit {
        syn::Lit::Bool(value) => {
            let other = if value.value { "false" } else { "true" };
            finder.replaced(node, "bool inverted", other);
        }
        syn::Lit::Int(int) => {
            let Ok(value) = int.base10_parse::<u128>() else {
                return;
            };
            let suffix = int.suffix();
            let is_limit = value >= 127 && (value + 1).is_power_of_two();
            if !is_limit {
                finder.replaced(node, "literal + 1", &format!("{}{suffix}", value + 1));
            }
            if value > 0 {
                finder.replaced(node, "literal - 1", &format!("{}{suffix}", value - 1));
            }
        }
        _ => {}
    }
}

fn condition(finder: &mut Finder, condition: &Expr, forced: &[&str]) {
    if binds(condition) {
        return;
    }
    let text = format!("!({})", finder.source(condition));
    finder.replaced(condition, "condition negated", &text);
    for value in forced {
        finder.replaced(condition, &format!("condition {value}"), value);
    }
}

fn is_constant(body: &Expr) -> bool {
    match body {
        Expr::Lit(_) => true,
        Expr::Path(path) => path.path.segments.last().is_some_and(|s| {
            let name = s.ident.to_string();
            name.starts_with(|c: char| c.is_ascii_uppercase())
        }),
        _ => false,
    }
}

fn arms(finder: &mut Finder, select: &syn::ExprMatch) {
    let catch_all = |arm: &syn::Arm| matches!(arm.pat, Pat::Wild(_)) && arm.guard.is_none();
    let has_catch_all = select.arms.last().is_some_and(catch_all);
    for (i, arm) in select.arms.iter().enumerate() {
        match &arm.guard {
            Some((_, guard)) if !binds(guard) => condition(finder, guard, &["true"]),
            None if has_catch_all && i + 1 < select.arms.len() => {
                finder.unmatched(&arm.pat, "arm dropped");
            }
            _ => {}
        }
        let Some(next) = select.arms.get(i + 1) else {
            continue;
        };
        if is_constant(&arm.body) && is_constant(&next.body) {
            let (body, other) = (finder.source(&arm.body), finder.source(&next.body));
            if body != other {
                finder.replaced(&arm.body, "next arm's result", &other);
            }
        }
    }
}

/// Pushes the sites of a statement itself.
pub fn statement(finder: &mut Finder, node: &Stmt) {
    let Stmt::Expr(expression, semicolon) = node else {
        return;
    };
    let inner = match expression {
        Expr::Try(tried) => &*tried.expr,
        other => other,
    };
    match inner {
        Expr::Call(_) | Expr::MethodCall(_) if semicolon.is_some() => {
            finder.dropped(node, "call dropped");
        }
        Expr::Assign(_) if semicolon.is_some() => finder.dropped(node, "assignment dropped"),
        Expr::Binary(binary) if semicolon.is_some() && finder.source(&binary.op).ends_with('=') => {
            finder.dropped(node, "assignment dropped");
        }
        Expr::If(branch) if branch.else_branch.is_none() => {
            let leaves = |stmt: &&Stmt| {
                matches!(
                    stmt,
                    Stmt::Expr(Expr::Return(_) | Expr::Break(_) | Expr::Continue(_), _)
                )
            };
            if let Some(exit) = branch.then_branch.stmts.last().filter(leaves) {
                finder.dropped(exit, "exit dropped");
            }
        }
        _ => {}
    }
}
