//! Words into mapped memory, chunk after chunk.
//!
//! In:  chunks, from whoever owns memory. Out: a batch: commands from the front of each chunk, the data that they name from its
//!      back, and a jump to the next chunk where the two would meet.
//! Ref: SKL PRM vol. 2a, "MI_BATCH_BUFFER_START", "MI_BATCH_BUFFER_END".

use hw::mi::mi_batch_buffer_end;

use crate::mi;

/// Where the words of a batch go: chunks of one size, one of them current.
pub trait Memory {
    /// Why there is no further chunk.
    type Error;
    /// Words of a chunk.
    const CHUNK_DW: usize;
    /// The current chunk, if there is one: [`Memory::CHUNK_DW`] words.
    fn words(&mut self) -> Option<&mut [u32]>;
    /// GPU address of the current chunk, a multiple of 64; of 4096, where anything is asked for in a chunk's last words.
    fn address(&self) -> u64;
    /// Gets another chunk; its address.
    fn prepare(&mut self) -> Result<u64, Self::Error>;
    /// Makes that chunk the current one. `commands_dw` words of the last one are commands, but for the jump behind them.
    fn advance(&mut self, commands_dw: usize);
    /// Brings the line of a word in the chunk after the current one near, if that is known and if it helps.
    fn fetch_ahead(&self, _at_dw: usize) {}
    /// The error of asking for more at once than a chunk holds.
    fn too_long() -> Self::Error;
    /// Some dwords of the surface at a byte of the bindless heap, as they are now.
    fn surface<const N: usize>(
        &self,
        offset_bytes: u32,
        dwords: [usize; N],
    ) -> Result<[u32; N], Self::Error>;
}

/// Data lies at multiples of this many dwords: 64 bytes.
const ALIGN_DW: isize = 16;
/// Dwords of the jump to the next chunk, with the end behind it.
const LINK_DW: usize = 4;

/// A jump to the next chunk. In a batch that was called this is a jump; in one that was not it is a call, and the batch ends behind it.
fn link(address: u64) -> [u32; LINK_DW] {
    let [a, b, c] = mi::call(address);
    [a, b, c, mi_batch_buffer_end::PACKET.header]
}

/// A piece of data in a batch's memory.
#[derive(Debug)]
pub struct Data<'a> {
    /// GPU address, a multiple of 64.
    pub address: u64,
    /// The words: what they were is still in them.
    pub words: &'a mut [u32],
}

/// Where data lies in the heap of dynamic state, in bytes.
pub fn offset(address: u64, base: u64) -> u64 {
    address.wrapping_sub(base) & 0xffff_ffff
}

/// A batch being written.
#[derive(Debug)]
pub struct Stream<M> {
    memory: M,
    /// Dwords of commands in the current chunk.
    at_dw: u32,
    /// Dword where the data at the back begins.
    data_dw: u32,
}

impl<M: Memory> Stream<M> {
    /// A batch in the memory's current chunk.
    pub fn new(memory: M) -> Self {
        Self {
            memory,
            at_dw: 0,
            data_dw: M::CHUNK_DW as u32,
        }
    }

    /// The memory, with what is in it.
    pub fn into_memory(self) -> M {
        self.memory
    }

    /// The memory.
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// The memory, to give it a first chunk.
    pub fn memory_mut(&mut self) -> &mut M {
        &mut self.memory
    }

    /// The memory, to take its chunks away: the batch begins anew.
    pub fn restart(&mut self) -> &mut M {
        self.at_dw = 0;
        self.data_dw = M::CHUNK_DW as u32;
        &mut self.memory
    }

    /// Dwords of commands in the current chunk.
    pub fn commands_dw(&self) -> usize {
        self.at_dw as usize
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> Result<(), M::Error> {
        let at = self.at_dw as usize;
        let link = link(self.memory.prepare()?);
        let room = self.memory.words().and_then(|words| words.get_mut(at..));
        let room = room.and_then(<[u32]>::first_chunk_mut);
        *room.ok_or_else(M::too_long)? = link;
        self.memory.advance(at);
        self.at_dw = 0;
        self.data_dw = M::CHUNK_DW as u32;
        Ok(())
    }

    /// Room for `N` dwords of whole commands.
    #[inline(always)]
    pub fn reserve<const N: usize>(&mut self) -> Result<&mut [u32; N], M::Error> {
        if self.at_dw as usize + N + LINK_DW > self.data_dw as usize {
            self.grow()?;
        }
        let at = self.at_dw as usize;
        let end = at + N;
        self.at_dw = end as u32;
        self.fetch_ahead(at, N);
        let words = self.memory.words();
        let room = words.and_then(|words| words.get_mut(at..end));
        match room.and_then(<[u32]>::as_mut_array) {
            Some(room) => Ok(room),
            None => Err(M::too_long()),
        }
    }

    /// Where words are written here, others are soon written in the next chunk.
    #[inline(always)]
    fn fetch_ahead(&self, at_dw: usize, len_dw: usize) {
        for line in (at_dw..at_dw + len_dw).step_by(ALIGN_DW as usize) {
            self.memory.fetch_ahead(line);
        }
    }

    /// Appends whole commands.
    #[inline(always)]
    pub fn put<const N: usize>(&mut self, words: [u32; N]) -> Result<(), M::Error> {
        *self.reserve::<N>()? = words;
        Ok(())
    }

    /// Appends what another batch has in one of its chunks.
    pub fn append(&mut self, words: &[u32]) -> Result<(), M::Error> {
        let end = |at: u32| at as usize + words.len();
        if end(self.at_dw) + LINK_DW > self.data_dw as usize {
            self.grow()?;
        }
        let (at, end) = (self.at_dw as usize, end(self.at_dw));
        if end + LINK_DW > self.data_dw as usize {
            return Err(M::too_long());
        }
        self.at_dw = end as u32;
        let room = self.memory.words().and_then(|words| words.get_mut(at..end));
        room.ok_or_else(M::too_long)?.copy_from_slice(words);
        Ok(())
    }

    /// Where data of so many dwords begins, before what is there already; negative where there is not so much.
    #[inline(always)]
    fn data_start(&self, len_dw: usize) -> isize {
        (self.data_dw as usize).wrapping_sub(len_dw).cast_signed() & !(ALIGN_DW - 1)
    }

    /// Room for data that commands name.
    #[inline]
    pub fn data(&mut self, len_dw: usize) -> Result<Data<'_>, M::Error> {
        self.reserve_with::<0>(len_dw).map(|(_, data)| data)
    }

    /// Room for `N` dwords of whole commands, and for data that they name, in one chunk.
    #[inline(always)]
    pub fn reserve_with<const N: usize>(
        &mut self,
        len_dw: usize,
    ) -> Result<(&mut [u32; N], Data<'_>), M::Error> {
        let mut start = self.data_start(len_dw);
        if start < (self.at_dw as usize + N + LINK_DW).cast_signed() {
            self.grow()?;
            start = self.data_start(len_dw);
            if start < (N + LINK_DW).cast_signed() {
                return Err(M::too_long());
            }
        }
        match self.place(start.cast_unsigned(), len_dw) {
            Some(room) => Ok(room),
            None => Err(M::too_long()),
        }
    }

    /// Takes the next dwords of the current chunk for commands, and those from `start` on for data.
    #[inline(always)]
    fn place<const N: usize>(
        &mut self,
        start: usize,
        len_dw: usize,
    ) -> Option<(&mut [u32; N], Data<'_>)> {
        let at = self.at_dw as usize;
        self.fetch_ahead(at, N);
        self.fetch_ahead(start, len_dw);
        let address = self.memory.address() + start as u64 * 4;
        let (front, back) = self.memory.words()?.split_at_mut_checked(start)?;
        let commands = front.get_mut(at..at + N)?.as_mut_array()?;
        let words = back.get_mut(..len_dw)?;
        self.data_dw = start as u32;
        self.at_dw = (at + N) as u32;
        Some((commands, Data { address, words }))
    }

    /// The same in the last words of a chunk: from its beginning on always the same place.
    pub fn last_data(&mut self, len_dw: usize) -> Result<Data<'_>, M::Error> {
        if self.data_dw as usize != M::CHUNK_DW {
            self.grow()?;
        }
        self.data(len_dw)
    }

    /// Ends the batch.
    pub fn end(&mut self) -> Result<(), M::Error> {
        self.put([mi_batch_buffer_end::PACKET.header])
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::Memory;
    use std::collections::BTreeMap;

    /// Chunks in the process's memory, at made-up addresses.
    #[derive(Debug)]
    pub struct Chunks {
        pub chunks: Vec<Vec<u32>>,
        pub used: Vec<usize>,
        /// By their byte in the heap.
        pub surfaces: BTreeMap<u32, [u32; 16]>,
    }

    pub const CHUNK_DW: usize = 256;

    impl Default for Chunks {
        fn default() -> Self {
            Self {
                chunks: vec![vec![0xdead_beef; CHUNK_DW]],
                used: Vec::new(),
                surfaces: BTreeMap::new(),
            }
        }
    }

    impl Chunks {
        pub fn address_of(index: usize) -> u64 {
            0x1_0000_0000 + 0x1_0000 * index as u64
        }

        /// The word at an address.
        pub fn word(&self, address: u64) -> u32 {
            let at = address - Self::address_of(0);
            self.chunks[(at >> 16) as usize][(at as usize & 0xffff) / 4]
        }
    }

    impl Memory for Chunks {
        type Error = &'static str;
        const CHUNK_DW: usize = CHUNK_DW;

        fn words(&mut self) -> Option<&mut [u32]> {
            let current = self.used.len();
            Some(&mut self.chunks[current])
        }
        fn address(&self) -> u64 {
            Self::address_of(self.used.len())
        }
        fn prepare(&mut self) -> Result<u64, &'static str> {
            if self.chunks.len() == 40 {
                return Err("no more");
            }
            self.chunks.push(vec![0xdead_beef; CHUNK_DW]);
            Ok(Self::address_of(self.used.len() + 1))
        }
        fn advance(&mut self, commands_dw: usize) {
            self.used.push(commands_dw);
        }
        fn too_long() -> &'static str {
            "too long"
        }
        fn surface<const N: usize>(
            &self,
            offset_bytes: u32,
            dwords: [usize; N],
        ) -> Result<[u32; N], &'static str> {
            let surface = self.surfaces.get(&offset_bytes).ok_or("no surface")?;
            Ok(dwords.map(|dword| surface[dword]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{CHUNK_DW, Chunks};
    use super::*;
    use hw::mi::mi_batch_buffer_start;

    #[test]
    fn chunks_are_linked_where_commands_and_data_would_meet() {
        let mut stream = Stream::new(Chunks::default());
        for round in 0..100 {
            let data = stream.data(20).unwrap();
            assert_eq!((data.address % 64, data.words.len()), (0, 20));
            data.words.fill(0xda7a_0000 + round);
            stream.put([round; 5]).unwrap();
        }
        stream.end().unwrap();
        let end = stream.commands_dw();
        let memory = stream.memory();
        assert!(memory.used.len() > 5);
        let mut seen = 0;
        for (index, chunk) in memory.chunks.iter().enumerate() {
            let used = memory.used.get(index).copied().unwrap_or(end - 1);
            for group in chunk[..used].chunks_exact(5) {
                assert_eq!(group, [seen; 5]);
                seen += 1;
            }
            if index < memory.used.len() {
                let to = mi_batch_buffer_start::BATCH_BUFFER_START_ADDRESS.get(&chunk[used..]);
                assert_eq!(to, Chunks::address_of(index + 1));
            }
            let last = if index < memory.used.len() {
                used + 3
            } else {
                used
            };
            assert_eq!(chunk[last], mi_batch_buffer_end::PACKET.header);
            assert!(
                chunk[last + 1..]
                    .iter()
                    .all(|word| *word >> 16 == 0xda7a || *word == 0xdead_beef)
            );
        }
        assert_eq!(seen, 100);
    }

    #[test]
    fn more_than_a_chunk_holds_is_refused() {
        let mut stream = Stream::new(Chunks::default());
        assert_eq!(stream.data(CHUNK_DW).err(), Some("too long"));
        assert!(stream.data(CHUNK_DW - LINK_DW - 16).is_ok());
        assert_eq!(stream.append(&[0; CHUNK_DW]), Err("too long"));
        assert!(stream.append(&[0; CHUNK_DW - LINK_DW]).is_ok());
        assert!(stream.append(&[0; 10]).is_ok());
        while stream.put([0; 100]).is_ok() {}
        assert_eq!(stream.put([0; 100]), Err("no more"));
    }
}
