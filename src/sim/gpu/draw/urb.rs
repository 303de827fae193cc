//! Memory of a draw's URB entries.
//!
//! In:  rows to allocate, dwords to write. Out: handles in rows of 64 bytes, as payloads hold them;
//!      the dwords of an entry.
//! Ref: SKL PRM vol. 7, "Unified Return Buffer (URB)".

use eu::StopReason;

/// Dwords of a row, the unit of handles.
const ROW_DWORDS: usize = 16;

/// Rows that handles can address: handles in payloads have 16 bits.
const MAX_ROWS: usize = 1 << 16;

/// The content of unwritten dwords in strict mode: a NaN that no shader produces.
pub(crate) const UNWRITTEN: u32 = 0x7fff_a5a5;

/// URB entries of a draw.
#[derive(Default)]
pub(crate) struct Urb {
    words: Vec<u32>,
    /// The content of new entries. On a real machine they hold what was last written there.
    fill: u32,
}

fn outside(handle: u32, offset: usize, len: usize) -> StopReason {
    StopReason::Fault {
        what: format!(
            "{len} dwords at dword {offset} of URB handle {handle:#x}, which are not allocated"
        ),
        at: 0,
    }
}

impl Urb {
    /// A URB whose new entries hold zeros or, in strict mode, [`UNWRITTEN`].
    pub fn new(strict: bool) -> Urb {
        Urb {
            fill: if strict { UNWRITTEN } else { 0 },
            ..Urb::default()
        }
    }

    /// Fills an entry with the content of a new one.
    pub fn reset_entry(&mut self, handle: u32, len: usize) -> Result<(), StopReason> {
        let start = Self::start(handle, 0);
        let to = self.words.get_mut(start..start.saturating_add(len));
        to.ok_or_else(|| outside(handle, 0, len))?.fill(self.fill);
        Ok(())
    }

    /// Allocates an entry; returns its handle.
    pub fn alloc(&mut self, rows: usize) -> Result<u32, StopReason> {
        let handle = self.words.len() / ROW_DWORDS;
        if rows > MAX_ROWS - handle {
            return Err(StopReason::Unimplemented {
                what: "more URB entries at once than handles can name".into(),
                at: 0,
            });
        }
        self.words.resize((handle + rows) * ROW_DWORDS, self.fill);
        Ok(handle as u32)
    }

    /// Frees all entries.
    pub fn reset(&mut self) {
        self.words.clear();
    }

    fn start(handle: u32, offset: usize) -> usize {
        (handle as usize)
            .saturating_mul(ROW_DWORDS)
            .saturating_add(offset)
    }

    /// The first `len` dwords of an entry.
    pub fn slice(&self, handle: u32, len: usize) -> Result<&[u32], StopReason> {
        let start = Self::start(handle, 0);
        let range = start..start.saturating_add(len);
        self.words.get(range).ok_or_else(|| outside(handle, 0, len))
    }

    /// Reads dwords at dword `offset` of an entry.
    pub fn read(&self, handle: u32, offset: usize, out: &mut [u32]) -> Result<(), StopReason> {
        let start = Self::start(handle, offset);
        let range = start..start.saturating_add(out.len());
        let from = self.words.get(range);
        out.copy_from_slice(from.ok_or_else(|| outside(handle, offset, out.len()))?);
        Ok(())
    }

    /// Writes dwords at dword `offset` of an entry.
    pub fn write(&mut self, handle: u32, offset: usize, values: &[u32]) -> Result<(), StopReason> {
        let start = Self::start(handle, offset);
        let range = start..start.saturating_add(values.len());
        let to = self.words.get_mut(range);
        to.ok_or_else(|| outside(handle, offset, values.len()))?
            .copy_from_slice(values);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urb_entries_are_separate_and_bounded() {
        let mut urb = Urb::default();
        assert_eq!((urb.alloc(2).unwrap(), urb.alloc(1).unwrap()), (0, 2));
        urb.write(2, 15, &[7]).unwrap();
        let mut out = [0; 2];
        urb.read(1, 30, &mut out).unwrap();
        assert_eq!(out, [0, 7]);
        assert_eq!(urb.slice(2, 16).unwrap()[15], 7);
        assert!(urb.read(2, 15, &mut out).is_err());
        assert!(urb.write(u32::MAX, usize::MAX, &[1]).is_err());
        assert!(urb.alloc(MAX_ROWS).is_err());
        // As many as handles can name, to the last.
        let rest = MAX_ROWS - 3;
        assert_eq!(urb.alloc(rest).unwrap(), 3);
        assert!(urb.alloc(1).is_err());
        urb.reset();
        assert!(urb.slice(0, 1).is_err());
        urb.alloc(3).unwrap();
        assert_eq!(urb.slice(2, 16).unwrap(), [0; 16]);
    }

    #[test]
    fn new_entries_are_poisoned_in_strict_mode() {
        let mut urb = Urb::new(true);
        let handle = urb.alloc(1).unwrap();
        let float = |urb: &Urb| f32::from_bits(urb.slice(handle, 4).unwrap()[3]);
        assert!(float(&urb).is_nan());
        urb.write(handle, 3, &[0]).unwrap();
        assert_eq!(float(&urb), 0.0);
        urb.reset_entry(handle, 16).unwrap();
        assert!(float(&urb).is_nan());
        let mut lenient = Urb::new(false);
        lenient.alloc(1).unwrap();
        assert_eq!(lenient.slice(0, 16).unwrap(), [0; 16]);
    }
}
