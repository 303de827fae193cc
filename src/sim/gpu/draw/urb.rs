//! Memory of a draw's URB entries.
//!
//! In:  rows to allocate, dwords to write. Out: handles, in rows of 64 bytes as payloads hold them; dwords back.
//! Ref: SKL PRM vol. 7, "Unified Return Buffer (URB)".

use eu::Stop;

/// Dwords of a row: the unit of handles.
const ROW_DWORDS: usize = 16;

/// Rows that a handle can name: handles in payloads have 16 bits.
const MAX_ROWS: usize = 1 << 16;

/// URB entries of a draw.
#[derive(Default)]
pub(crate) struct Urb {
    words: Vec<u32>,
}

fn outside(handle: u32, offset: usize, len: usize) -> Stop {
    Stop::Fault {
        what: format!(
            "{len} dwords at dword {offset} of URB handle {handle:#x}, which are not allocated"
        ),
        at: 0,
    }
}

impl Urb {
    /// Allocates an entry of zeros; its handle.
    pub fn alloc(&mut self, rows: usize) -> Result<u32, Stop> {
        let handle = self.words.len() / ROW_DWORDS;
        if rows > MAX_ROWS - handle {
            return Err(Stop::Unimplemented {
                what: "more URB entries at once than handles can name".into(),
                at: 0,
            });
        }
        self.words.resize((handle + rows) * ROW_DWORDS, 0);
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
    pub fn slice(&self, handle: u32, len: usize) -> Result<&[u32], Stop> {
        let start = Self::start(handle, 0);
        let range = start..start.saturating_add(len);
        self.words.get(range).ok_or_else(|| outside(handle, 0, len))
    }

    /// Reads dwords at dword `offset` of an entry.
    pub fn read(&self, handle: u32, offset: usize, out: &mut [u32]) -> Result<(), Stop> {
        let start = Self::start(handle, offset);
        let range = start..start.saturating_add(out.len());
        let from = self.words.get(range);
        out.copy_from_slice(from.ok_or_else(|| outside(handle, offset, out.len()))?);
        Ok(())
    }

    /// Writes dwords at dword `offset` of an entry.
    pub fn write(&mut self, handle: u32, offset: usize, values: &[u32]) -> Result<(), Stop> {
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
    fn entries_lie_apart_and_end_where_they_end() {
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
}
