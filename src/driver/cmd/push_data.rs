//! Copies push data, a register at a time.
//!
//! In:  bound words, and a count. Out: whole registers in a batch.

/// Dwords of a register.
pub(crate) const REGISTER_DW: usize = abi::REGISTER_DW as usize;

/// Fills registers with the first `count` words, then with zeros. `words` has whole registers up to
/// `count`.
#[inline(always)]
pub(crate) fn fill(words: &[u32], count: usize, registers: &mut [[u32; REGISTER_DW]]) {
    let mut from = words.as_chunks().0.iter();
    let mut rest = count;
    for to in registers {
        *to = match from.next() {
            Some(from) => first_of(from, rest),
            None => [0; REGISTER_DW],
        };
        rest = rest.saturating_sub(REGISTER_DW);
    }
}

/// Copies the registers of `under` with the first `count` words merged in; the first `count` dwords
/// of `under` are zeros. `words` has whole registers up to `count`. Returns `None` if the
/// destination is too small.
#[inline(always)]
pub(crate) fn fill_over(
    words: &[u32],
    count: usize,
    under: &[[u32; REGISTER_DW]],
    registers: &mut [[u32; REGISTER_DW]],
) -> Option<()> {
    let covered = count.div_ceil(REGISTER_DW);
    let (over, rest) = registers.split_at_mut_checked(covered)?;
    let (under, behind) = under.split_at_checked(covered)?;
    let mut left = count;
    for ((to, under), from) in over.iter_mut().zip(under).zip(words.as_chunks().0) {
        let from = first_of(from, left);
        *to = std::array::from_fn(|dword| from[dword] | under[dword]);
        left = left.saturating_sub(REGISTER_DW);
    }
    for (to, from) in rest.iter_mut().zip(behind) {
        *to = *from;
    }
    Some(())
}

/// The first `count` dwords of a register, then zeros.
#[inline(always)]
fn first_of(register: &[u32; REGISTER_DW], count: usize) -> [u32; REGISTER_DW] {
    const MASKS: [[u32; REGISTER_DW]; REGISTER_DW + 1] = {
        let mut masks = [[0; REGISTER_DW]; REGISTER_DW + 1];
        let mut count = 0;
        while count <= REGISTER_DW {
            let mut dword = 0;
            while dword < count {
                masks[count][dword] = u32::MAX;
                dword += 1;
            }
            count += 1;
        }
        masks
    };
    let mask = &MASKS[count.min(REGISTER_DW)];
    std::array::from_fn(|dword| register[dword] & mask[dword])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dwords_beyond_the_count_are_zero() {
        let words: Vec<u32> = (1..20).collect();
        for count in 0..=16 {
            let mut registers = [[7; REGISTER_DW]; 4];
            fill(&words, count, &mut registers);
            let wanted = |at: usize| if at < count { words[at] } else { 0 };
            let all = registers.as_flattened();
            assert!(all.iter().enumerate().all(|(at, word)| *word == wanted(at)));
        }
    }

    #[test]
    fn words_are_merged_over_the_registers_under_them() {
        let words: Vec<u32> = (1..20).collect();
        for count in 0..=16 {
            let mut under = [[0; REGISTER_DW]; 4];
            for (at, word) in under.as_flattened_mut().iter_mut().enumerate() {
                *word = if at < count { 0 } else { 100 + at as u32 };
            }
            let mut registers = [[7; REGISTER_DW]; 4];
            assert_eq!(fill_over(&words, count, &under, &mut registers), Some(()));
            let all = registers.as_flattened();
            assert_eq!(all[..count], words[..count]);
            assert_eq!(all[count..], under.as_flattened()[count..]);
        }
        assert_eq!(
            fill_over(
                &words,
                9,
                &[[0; REGISTER_DW]; 1],
                &mut [[0; REGISTER_DW]; 2]
            ),
            None
        );
        assert_eq!(
            fill_over(
                &words,
                9,
                &[[0; REGISTER_DW]; 2],
                &mut [[0; REGISTER_DW]; 1]
            ),
            None
        );
    }
}
