//! The search for the option that avoids a hang.
//!
//! In:  options of INGOT_DEBUG, and a function that runs the rung with some of them. Out: the
//!      option with which the rung no longer hangs.

use super::observation::Outcome;

/// Finds an option with which the rung passes. `None`: it hangs with all of them, or there are
/// none, which is the second hang of the rung.
///
/// The rung runs with all options first, so that a hang that none of them avoids is repeated once;
/// then with one half of those that are left, so that n options take log2(n) more runs.
pub fn find_cure(
    options: &[&'static str],
    run: &mut dyn FnMut(&[&str]) -> Outcome,
) -> Option<String> {
    let cured = |outcome: Outcome| outcome != Outcome::Hang;
    if options.is_empty() {
        // The same again: a hang that is not repeated has no known cure, but may be chance.
        return cured(run(&[])).then(|| "nothing: the hang did not come back".into());
    }
    if !cured(run(options)) {
        return None;
    }
    let mut left = options;
    while left.len() > 1 {
        let (first, second) = left.split_at(left.len() / 2);
        left = match cured(run(first)) {
            true => first,
            false if second.len() == 1 || cured(run(second)) => second,
            // Neither half alone avoids it.
            false => return Some(left.join(",")),
        };
    }
    left.first().map(|option| option.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: &[&str] = &["a", "b", "c", "d", "e"];

    /// Runs a machine that hangs unless all these options are set; counts its hangs.
    fn search(options: &[&'static str], needed: &[&str]) -> (Option<String>, u32, u32) {
        let (mut runs, mut hangs) = (0, 0);
        let cure = find_cure(options, &mut |flags| {
            runs += 1;
            match needed.iter().all(|option| flags.contains(option)) {
                true => Outcome::Pass,
                false => {
                    hangs += 1;
                    Outcome::Hang
                }
            }
        });
        (cure, runs, hangs)
    }

    #[test]
    fn the_one_option_is_found_in_few_runs() {
        for option in OPTIONS {
            let (cure, runs, _) = search(OPTIONS, &[option]);
            assert_eq!(cure.as_deref(), Some(*option));
            assert!(runs <= 7, "{option}: {runs}");
        }
    }

    #[test]
    fn a_hang_without_a_cure_is_repeated_once() {
        assert_eq!(search(OPTIONS, &["z"]), (None, 1, 1));
        assert_eq!(search(&[], &["z"]), (None, 1, 1));
        assert!(search(&[], &[]).0.unwrap().contains("did not come back"));
    }

    #[test]
    fn options_that_work_only_together_are_named_together() {
        assert_eq!(search(OPTIONS, &["a", "e"]).0.as_deref(), Some("a,b,c,d,e"));
    }
}
