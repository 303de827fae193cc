use super::*;

fn sample() -> Observation {
    let mut sample = Observation::new(Outcome::Wrong, "line 7: no");
    sample.value("buffer", vec![1, 0xdead_beef]);
    sample.measures.push(("ticks per ms".into(), 12_000.0));
    sample
}

#[test]
fn an_observation_survives_its_text_and_half_of_it_is_refused() {
    let text = sample().to_text();
    assert_eq!(Observation::parse(&text), Some(sample()));
    assert_eq!(Observation::parse("outcome: pass\n"), None);
    assert_eq!(
        Observation::parse(&text.replace("deadbeef", "deadbe"))
            .unwrap()
            .values[0]
            .1[1],
        0xdeadbe
    );
    assert_eq!(
        Observation::parse(&text.replace("deadbeef", "dead-eef")),
        None
    );
}

#[test]
fn differences_name_the_dword_and_give_ratios() {
    let mut twin = sample();
    assert_eq!(
        sample().differences(&twin),
        ["ticks per ms: 12000, 1.000 times the twin's"]
    );
    twin.value("VS_INVOCATION_COUNT", vec![3]);
    let missing = "VS_INVOCATION_COUNT: only the twin has this result";
    assert_eq!(sample().differences(&twin)[0], missing);
    twin.outcome = Outcome::Pass;
    twin.values[0].1 = vec![9, 7, 0];
    twin.measures[0].1 = 6_000.0;
    assert_eq!(
        sample().differences(&twin),
        [
            "outcome: wrong result, the twin: pass",
            "buffer: 2 dwords, the twin: 3",
            "buffer[0]: 0x00000001, the twin: 0x00000009",
            "buffer[1]: 0xdeadbeef, the twin: 0x00000007",
            "ticks per ms: 12000, 2.000 times the twin's",
        ]
    );
}
