//! Binary data in an archive's objects: SPIR-V as variable-length integers, and base64.
//!
//! In:  encoded bytes. Out: words or bytes. Ref: Fossilize, varint.cpp; RFC 4648.

/// Decodes words of seven bits a byte, the lowest first; the highest bit of a byte says that the
/// word continues. `None` if the bytes do not encode exactly `count` words.
pub fn varint(bytes: &[u8], count: u64) -> Option<Vec<u32>> {
    // A word has at least one byte: the result's size is in proportion to the input's.
    if count > bytes.len() as u64 {
        return None;
    }
    let mut words = Vec::with_capacity(count as usize);
    let mut bytes = bytes.iter();
    for _ in 0..count {
        let (mut word, mut shift) = (0u32, 0);
        loop {
            let byte = *bytes.next()?;
            if shift >= 32 {
                return None;
            }
            word |= u32::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        words.push(word);
    }
    bytes.next().is_none().then_some(words)
}

/// Decodes base64 with padding; `None` if it is malformed.
pub fn base64(text: &str) -> Option<Vec<u8>> {
    let text = text.as_bytes();
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let digits = text.strip_suffix(b"==").or(text.strip_suffix(b"="));
    let digits = digits.unwrap_or(text);
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for group in digits.chunks(4) {
        let mut bits = 0u32;
        for digit in group {
            let value = match digit {
                b'A'..=b'Z' => digit - b'A',
                b'a'..=b'z' => digit - b'a' + 26,
                b'0'..=b'9' => digit - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            bits = bits << 6 | u32::from(value);
        }
        let missing = 4 - group.len();
        bits <<= 6 * missing;
        let group = bits.to_be_bytes();
        bytes.extend_from_slice(group.get(1..4 - missing)?);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_one_to_five_bytes() {
        let bytes = [0x7f, 0x80, 1, 0xff, 0xff, 0xff, 0xff, 0x0f];
        assert_eq!(varint(&bytes, 3).unwrap(), [0x7f, 0x80, u32::MAX]);
        assert_eq!(varint(&bytes, 2), None);
        assert_eq!(varint(&bytes, 4), None);
        assert_eq!(varint(&bytes[..7], 3), None);
        assert_eq!(varint(&bytes, u64::MAX), None);
        assert_eq!(varint(&[0x80, 0x80, 0x80, 0x80, 0x80, 0], 1), None);
    }

    #[test]
    fn base64_is_decoded_with_its_padding() {
        for (text, bytes) in [
            ("", &b""[..]),
            ("Zg==", b"f"),
            ("Zm8=", b"fo"),
            ("Zm9v", b"foo"),
            ("+/+/AQ==", b"\xfb\xff\xbf\x01"),
        ] {
            assert_eq!(base64(text).as_deref(), Some(bytes), "{text}");
        }
        for text in ["Z", "Zg=", "Zm9v!", "Zm9*", "===="] {
            assert_eq!(base64(text), None, "{text}");
        }
    }
}
