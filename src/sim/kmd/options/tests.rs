//! The list of options.

use crate::options::{Options, Sink};

#[test]
fn options_are_parsed_from_a_list() {
    let options = Options::parse("strict, trace=submit,hang=3", Sink::none()).unwrap();
    assert!(options.strict && options.trace_submits && !options.trace_ioctls);
    assert_eq!(options.hang_seconds, 3);
    let seconds = |list| Options::parse(list, Sink::none()).unwrap().hang_seconds;
    // The strict simulator is slower.
    assert!(seconds("strict") > seconds(""));
    assert_eq!(seconds("hang=3,strict"), 3);
    // Stale data is strict mode's to know.
    assert!(Options::parse("stale", Sink::none()).unwrap().strict);
    for word in ["hang=soon", "lenient", "trace=ps"] {
        let error = Options::parse(&format!("strict,{word}"), Sink::none()).unwrap_err();
        let line = error.to_string();
        assert!(
            line.contains(&format!("{word:?}; there are strict, stale, hang=SECONDS")),
            "{line}"
        );
        assert!(!line.contains('\n'));
    }
}
